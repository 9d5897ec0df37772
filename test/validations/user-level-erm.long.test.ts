// The validations of user-level empirical risk minimization at the quick scale. False alarms at another seed: slopes and means are held to
// 4.5 standard errors, 7e-6 each if they are normal; bounds have no chance in them. This seed is fixed.
import { validations } from '../evidence/user-level-erm/validations/index.ts';
import { testValidations } from './controls.ts';
import { LOST, power, QUARTERS, times } from './user-level-controls.ts';

testValidations(validations, 'tests', {
  'user-level-gradient-error': [
    LOST,
    ...QUARTERS,
    ['errors that grow with d by d^¼ less', /error in d/, times('squares', /^d-/, power('dimension', -0.5))],
    ['errors 1.25 times as large', /^error over/, times('squares', /./, () => 1.25 ** 2)],
    ['errors four fifths as large', /^error over/, times('squares', /./, () => 0.8 ** 2)],
  ],
  'user-level-erm-error': [
    LOST,
    ['n^¼ more', /‖ in n/, times('squares', /^n-/, power('players', 0.5))],
    ['m^¼ more', /‖ in m/, times('squares', /^m-/, power('samples', 0.5))],
    ['errors that fall with ε by ε^½ less', /√n in ε/, times('squares', /^epsilon-/, power('epsilon', 1))],
    ['d^¼ less', /‖ in d/, times('squares', /^d-/, power('dimension', -0.5))],
    ['errors that grow with T by √T more', /‖ in T/, times('squares', /^iterations-/, power('iterations', 1))],
    ['copies that help', /^control: with m copies/, times('squares', /^copies/, power('samples', -1))],
    ['iterates beyond the bound', /^a step of the proof/, times('ratios', /./, () => 1.5)],
    ['a false curvature that does not matter', /^control: for a curvature/, times('false', /./, () => 0.1)],
  ],
});
