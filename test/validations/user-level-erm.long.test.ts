import type { TheoremValidation } from '../evidence/experiment/experiment.ts';
import { ermErrorValidation } from '../evidence/user-level-erm/validations/erm-error.ts';
import { gradientErrorValidation } from '../evidence/user-level-erm/validations/gradient-error.ts';
import { LOST, power, QUARTERS, testValidation, times } from './user-level-controls.ts';

const typed = (validation: unknown): TheoremValidation => validation as TheoremValidation;

/** Squares of errors with another exponent, by a quarter. */
const quarter = (field: string) => power(field, 0.5);

testValidation(typed(gradientErrorValidation), [
  LOST,
  ...QUARTERS,
  {
    what: 'errors that grow with d by d^¼ less',
    change: times('squares', /^d-/, power('dimension', -0.5)),
    refutes: /error in d/,
  },
  { what: 'errors 1.25 times as large', change: times('squares', /./, () => 1.25 ** 2), refutes: /^error over/ },
  { what: 'errors four fifths as large', change: times('squares', /./, () => 0.8 ** 2), refutes: /^error over/ },
]);

testValidation(typed(ermErrorValidation), [
  LOST,
  { what: 'n^¼ more', change: times('squares', /^n-/, quarter('players')), refutes: /‖ in n/ },
  { what: 'm^¼ more', change: times('squares', /^m-/, quarter('samples')), refutes: /‖ in m/ },
  {
    what: 'errors that fall with ε by ε^½ less',
    change: times('squares', /^epsilon-/, power('epsilon', 1)),
    refutes: /√n in ε/,
  },
  { what: 'd^¼ less', change: times('squares', /^d-/, power('dimension', -0.5)), refutes: /‖ in d/ },
  {
    what: 'errors that grow with T by √T more',
    change: times('squares', /^iterations-/, power('iterations', 1)),
    refutes: /‖ in T/,
  },
  {
    what: 'copies that help',
    change: times('squares', /^copies/, power('samples', -1)),
    refutes: /^control: with m copies/,
  },
  { what: 'iterates beyond the bound', change: times('ratios', /./, () => 1.5), refutes: /^a step of the proof/ },
  {
    what: 'a false curvature that does not matter',
    change: times('false', /./, () => 0.1),
    refutes: /^control: for a curvature/,
  },
]);
