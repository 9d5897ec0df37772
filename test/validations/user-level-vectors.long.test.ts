import type { Json } from '../../src/core/request.ts';
import type { TheoremValidation } from '../evidence/experiment/experiment.ts';
import { multivariateConditionValidation } from '../evidence/user-level-mean/validations/multivariate-condition.ts';
import { multivariateErrorValidation } from '../evidence/user-level-mean/validations/multivariate-error.ts';
import { multivariatePrivacyValidation } from '../evidence/user-level-mean/validations/multivariate-privacy.ts';
import { multivariateRatesValidation } from '../evidence/user-level-mean/validations/multivariate-rates.ts';
import { randomRotationValidation } from '../evidence/user-level-mean/validations/random-rotation.ts';
import { fieldOf, LOST, power, QUARTERS, testValidation, times } from './user-level-controls.ts';

const { sqrt } = Math;

const typed = (validation: unknown): TheoremValidation => validation as TheoremValidation;

testValidation(typed(multivariateRatesValidation), [
  LOST,
  {
    what: 'a rotation that is worth d^¼ less',
    change: times('squares', /^rotated/, power('dimension', 0.5)),
    refutes: /rotated coordinate/,
  },
  {
    what: 'a rotation that is of no use',
    change: times('squares', /^rotated/, power('dimension', 1)),
    refutes: /^control/,
  },
  {
    what: 'a split budget that costs √d less',
    change: times('squares', /^split/, power('dimension', -1)),
    refutes: /split budget, by/,
  },
]);

testValidation(typed(multivariateErrorValidation), [
  LOST,
  ...QUARTERS,
  { what: 'errors 1.25 times as large', change: times('squares', /./, () => 1.25 ** 2), refutes: /^error over/ },
  { what: 'errors two thirds as large', change: times('squares', /./, () => 0.67 ** 2), refutes: /^error over/ },
]);

/** Runs that succeed from so many players on: a square of 0, or of 1. */
const locatedFrom =
  (threshold: (dimension: number, epsilon: number) => number) =>
  (chunk: Json, setting: Json): Json => {
    const { squares } = chunk as { readonly squares: readonly number[] };
    const enough = fieldOf(setting, 'players') >= threshold(fieldOf(setting, 'dimension'), fieldOf(setting, 'epsilon'));
    return { squares: squares.map(() => (enough ? 0 : 1)) };
  };

testValidation(typed(multivariateConditionValidation), [
  {
    what: 'every third run that fails with enough players',
    // Runs have as many squares as there are dimensions.
    change: (chunk, setting, key) => {
      if (!key.endsWith('-4')) return chunk;
      const { squares } = chunk as { readonly squares: readonly number[] };
      const dimension = fieldOf(setting, 'dimension');
      return { squares: squares.map((square, i) => (Math.floor(i / dimension) % 3 === 0 ? 1 : square)) };
    },
    refutes: /^20·D/,
  },
  { what: 'a tenth that is enough', change: locatedFrom(() => 0), refutes: /^control/ },
  { what: 'players that do not depend on d', change: locatedFrom(() => 330), refutes: /^slope in d/ },
  { what: 'players in proportion to √d', change: locatedFrom((d) => 100 * sqrt(d)), refutes: /^slope in d/ },
  { what: 'players in proportion to 1/ε', change: locatedFrom((_, epsilon) => 180 / epsilon), refutes: /slope in ε/ },
]);

testValidation(typed(multivariatePrivacyValidation), [
  { what: 'certificates beyond the claim', change: times('certified', /./, () => 1.5), refutes: /^every total/ },
  { what: 'attacks beyond the certificate', change: times('found', /^rotated/, () => 1.01), refutes: /^no attack/ },
  {
    what: 'attacks that find nothing',
    change: times('found', /./, () => 0),
    refutes: /^one rotated|^all coordinates|^residual.*certified/,
  },
  { what: 'certificates of nothing', change: times('certified', /^unit/, () => 0.5), refutes: /^residual.*certified/ },
  { what: 'caps for 1.2·ε', change: times('odds', /^unit/, () => 1.2), refutes: /^residual.*in the cap/ },
  { what: 'caps for ε/1.2', change: times('odds', /^unit/, () => 1 / 1.2), refutes: /^residual.*in the cap/ },
]);

testValidation(typed(randomRotationValidation), [
  // The largest coordinate is .8 of the bound on average.
  { what: 'coordinates that are larger', change: times('largest', /./, () => 1.5), refutes: /^no coordinate/ },
  { what: 'coordinates that are smaller', change: times('largest', /./, () => 0.5), refutes: /not idle/ },
  { what: 'a matrix that spreads without signs', change: times('unsigned', /./, () => 0.1), refutes: /^control/ },
]);
