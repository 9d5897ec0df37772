import { ermErrorValidation } from '../../protocols/user-level-erm/validations/erm-error.ts';
import { gradientErrorValidation } from '../../protocols/user-level-erm/validations/gradient-error.ts';
import type { Json } from '../../src/protocol/digest.ts';
import type { TheoremValidation } from '../../src/simulation/theorem-validation.ts';
import { fieldOf, LOST, testValidation, times } from './user-level-controls.ts';

const typed = (validation: unknown): TheoremValidation => validation as TheoremValidation;

/** Squares with another power of a field: errors with half of it. */
const power =
  (field: string, exponent: number) =>
  (setting: Json): number =>
    fieldOf(setting, field) ** exponent;

testValidation(typed(gradientErrorValidation), [
  LOST,
  {
    what: 'errors that do not fall with n',
    change: times('squares', /^n-/, power('players', 1)),
    refutes: /error in n/,
  },
  {
    what: 'errors that do not fall with m',
    change: times('squares', /^m-/, power('samples', 1)),
    refutes: /error in m/,
  },
  {
    what: 'errors that do not fall with ε',
    change: times('squares', /^epsilon-/, power('epsilon', 2)),
    refutes: /error in ε/,
  },
  {
    what: 'errors that do not grow with d',
    change: times('squares', /^d-/, power('dimension', -2)),
    refutes: /error in d/,
  },
  { what: 'errors 1.6 times as large', change: times('squares', /./, () => 2.5), refutes: /^error over/ },
]);

testValidation(typed(ermErrorValidation), [
  LOST,
  { what: 'errors that do not fall with n', change: times('squares', /^n-/, power('players', 1)), refutes: /‖ in n/ },
  { what: 'errors that do not fall with m', change: times('squares', /^m-/, power('samples', 1)), refutes: /‖ in m/ },
  {
    what: 'errors that do not grow with d',
    change: times('squares', /^d-/, power('dimension', -2)),
    refutes: /‖ in d/,
  },
  {
    what: 'copies that help',
    change: times('squares', /^copies/, power('samples', -1)),
    refutes: /^control: with m copies/,
  },
  { what: 'iterates beyond the bound', change: times('ratios', /./, () => 2), refutes: /^every iterate/ },
  {
    what: 'a false curvature that does not matter',
    change: times('false', /./, () => 1e-4),
    refutes: /^control: for a curvature/,
  },
]);
