// The validations of user-level means in several dimensions at the quick scale; for false alarms see user-level-mean.
import type { Json } from '../../src/core/request.ts';
import { validations } from '../evidence/user-level-mean/validations/index.ts';
import { type Control, testValidations } from './controls.ts';
import { fieldOf, LOST, power, QUARTERS, times } from './user-level-controls.ts';

const { sqrt } = Math;

/** Runs that succeed from so many players on: a square of 0, or of 1. */
const locatedFrom =
  (threshold: (dimension: number, epsilon: number) => number) =>
  (chunk: Json, setting: Json): Json => {
    const { squares } = chunk as { readonly squares: readonly number[] };
    const enough = fieldOf(setting, 'players') >= threshold(fieldOf(setting, 'dimension'), fieldOf(setting, 'epsilon'));
    return { squares: squares.map(() => (enough ? 0 : 1)) };
  };

const CONTROLS: Readonly<Record<string, readonly Control[]>> = {
  'user-level-multivariate-rates': [
    LOST,
    ['a rotation that is worth d^¼ less', /rotated coordinate/, times('squares', /^rotated/, power('dimension', 0.5))],
    ['a rotation that is of no use', /^control/, times('squares', /^rotated/, power('dimension', 1))],
    ['a split budget that costs √d less', /split budget, by/, times('squares', /^split/, power('dimension', -1))],
  ],
  'user-level-multivariate-error': [
    LOST,
    ...QUARTERS,
    ['errors 1.25 times as large', /^error over/, times('squares', /./, () => 1.25 ** 2)],
    ['errors four fifths as large', /^error over/, times('squares', /./, () => 0.8 ** 2)],
  ],
  'user-level-multivariate-condition': [
    [
      'every third run that fails with enough players',
      /^20·D/,
      // Runs have as many squares as there are dimensions.
      (chunk, setting, key) => {
        if (!key.endsWith('-4')) return chunk;
        const { squares } = chunk as { readonly squares: readonly number[] };
        const dimension = fieldOf(setting, 'dimension');
        return { squares: squares.map((square, i) => (Math.floor(i / dimension) % 3 === 0 ? 1 : square)) };
      },
    ],
    ['a tenth that is enough', /^control/, locatedFrom(() => 0)],
    ['players that do not depend on d', /^slope in d/, locatedFrom(() => 330)],
    ['players in proportion to √d', /^slope in d/, locatedFrom((d) => 100 * sqrt(d))],
    ['players in proportion to 1/ε', /slope in ε/, locatedFrom((_, epsilon) => 180 / epsilon)],
  ],
  'user-level-multivariate-privacy': [
    ['certificates beyond the claim', /^every total/, times('certified', /./, () => 1.5)],
    ['attacks beyond the certificate', /^no attack/, times('found', /^rotated/, () => 1.01)],
    ['attacks that find nothing', /^one rotated|^all coordinates|^residual.*certified/, times('found', /./, () => 0)],
    ['certificates of nothing', /^residual.*certified/, times('certified', /^unit/, () => 0.5)],
    ['caps for 1.2·ε', /^residual.*in the cap/, times('odds', /^unit/, () => 1.2)],
    ['caps for ε/1.2', /^residual.*in the cap/, times('odds', /^unit/, () => 1 / 1.2)],
  ],
  'user-level-random-rotation': [
    // The largest coordinate is .8 of the bound on average.
    ['coordinates that are larger', /^no coordinate/, times('largest', /./, () => 1.5)],
    ['coordinates that are smaller', /not idle/, times('largest', /./, () => 0.5)],
    ['a matrix that spreads without signs', /^control/, times('unsigned', /./, () => 0.1)],
  ],
};

testValidations(
  validations.filter(({ name }) => /multivariate|rotation/.test(name)),
  'tests',
  CONTROLS,
);
