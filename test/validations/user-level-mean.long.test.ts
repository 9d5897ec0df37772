import { describe } from '@jest/globals';
import type { Json } from '../../src/core/request.ts';
import type { TheoremValidation } from '../evidence/experiment/experiment.ts';
import { improvedEstimatorValidation } from '../evidence/user-level-mean/validations/improved-estimator.ts';
import { naiveErrorValidation } from '../evidence/user-level-mean/validations/naive-error.ts';
import { naivePrivacyValidation } from '../evidence/user-level-mean/validations/naive-privacy.ts';
import { oneBitErrorValidation } from '../evidence/user-level-mean/validations/one-bit-error.ts';
import { twoRoundConditionValidation } from '../evidence/user-level-mean/validations/two-round-condition.ts';
import { twoRoundErrorValidation } from '../evidence/user-level-mean/validations/two-round-error.ts';
import { twoRoundPrivacyValidation } from '../evidence/user-level-mean/validations/two-round-privacy.ts';
import { type Control, fieldOf, testValidation, times } from './user-level-controls.ts';

const { exp, log, round } = Math;

/** Errors with another power of a field than they have: the slope moves by ½, more than twice the largest tolerance. */
const half =
  (field: string) =>
  (setting: Json): number =>
    fieldOf(setting, field) ** 0.5;
const slopes: readonly Control[] = [
  {
    what: 'errors that do not fall with n',
    change: times('errors', /^n-/, half('players')),
    refutes: /^slope of the error in n$|slope of the error in n:/,
  },
  {
    what: 'errors with another power of m',
    change: times('errors', /^m-/, half('samples')),
    refutes: /slope of the error in m/,
  },
  {
    what: 'errors with another power of ε',
    change: times('errors', /^epsilon-/, half('epsilon')),
    refutes: /slope of the error in ε/,
  },
];
/** The slope moves by a quarter. */
const quarters: readonly Control[] = (
  [
    ['n', 'players', /error in n/],
    ['m', 'samples', /error in m/],
    ['epsilon', 'epsilon', /√n in ε/],
  ] as const
).map(([key, field, refutes]) => ({
  what: `${field} to the power ¼ more`,
  change: times('errors', new RegExp(`^${key}-`), (setting) => fieldOf(setting, field) ** 0.25),
  refutes,
}));
const larger = (by: number): Control => ({
  what: `errors ${by} times as large`,
  change: times('errors', /^(n|m|epsilon)-/, () => by),
  refutes: /^error over/,
});

const typed = (validation: unknown): TheoremValidation => validation as TheoremValidation;

describe('error', () => {
  // A standard error of .015: 1.2 is 13 of them away.
  testValidation(typed(naiveErrorValidation), [...slopes, larger(1.2)]);
  testValidation(typed(twoRoundErrorValidation), [
    ...slopes.map((control, i) => (i > 0 ? control : { ...control, refutes: /^slope of the error in n:/ })),
    larger(1.3),
    {
      what: 'printed rounds whose error falls with 1/√n',
      change: times('errors', /^printed-edge/, (setting) => fieldOf(setting, 'players') ** -0.5),
      refutes: /printed rounds|their bias/,
    },
    {
      what: 'a pair of bins that has a bias as well',
      change: times('errors', /^corrected-edge/, half('players')),
      refutes: /a pair of bins/,
    },
  ]);
  // From 1.1, with a standard error of .02.
  testValidation(typed(oneBitErrorValidation), [
    ...quarters,
    larger(1.25),
    { what: 'errors two thirds as large', change: times('errors', /./, () => 0.67), refutes: /^error over/ },
  ]);
  testValidation(typed(improvedEstimatorValidation), [
    // The farthest is .7 of the bound away: 1.6 times that is beyond it in most runs, half of it below .6.
    { what: 'local means farther apart', change: times('largest', /^spread/, () => 1.6), refutes: /^local means/ },
    { what: 'local means nearer', change: times('largest', /^spread/, () => 0.5), refutes: /width is not idle/ },
    {
      what: 'a width with another power of m',
      change: times('largest', /^spread/, half('samples')),
      refutes: /farthest local mean/,
    },
    {
      what: 'a projection that is of no use',
      change: times('errors', /^two-round/, half('samples')),
      refutes: /error of two rounds|^control/,
    },
    {
      what: 'naive errors that grow with m',
      change: times('errors', /^naive/, half('samples')),
      refutes: /error of the naive/,
    },
  ]);
});

describe('condition', () => {
  // Success rates that are a function of nε, as printed, and counts that have nothing to do with n.
  const printed = (chunk: Json, setting: Json): Json => {
    const { trials } = chunk as { readonly trials: number };
    const odds = exp(4 * log((fieldOf(setting, 'players') * fieldOf(setting, 'epsilon')) / 60));
    return { trials, found: round((trials * odds) / (1 + odds)) };
  };
  testValidation(typed(twoRoundConditionValidation), [
    { what: 'players in proportion to 1/ε', change: printed, refutes: /^slope in ε|^as printed/ },
    {
      what: 'pilots of which half fail',
      change: times('found', /^epsilon/, () => 0.5),
      refutes: /fail at most|are enough/,
    },
  ]);
});

describe('privacy', () => {
  // Attacks prove .8 of the truth at ε ≥ 2 with deviations below .05: .3 and 1.5 times that are far off.
  testValidation(
    typed(naivePrivacyValidation),
    [
      {
        what: 'attacks that find less',
        change: times('found', /^printed/, () => 0.3),
        refutes: /attacks prove|an attack proves/,
      },
      {
        what: 'attacks that find more than there is',
        change: times('found', /^printed/, () => 3),
        refutes: /what an attack proves/,
      },
      {
        what: 'corrected noise that is broken',
        change: times('found', /^corrected/, () => 3),
        refutes: /^noise for the sensitivity/,
      },
    ],
    /, exactly,/,
  );
  testValidation(typed(twoRoundPrivacyValidation), [
    { what: 'certificates beyond the claim', change: times('certified', /./, () => 1.5), refutes: /^every total/ },
    { what: 'attacks beyond the certificate', change: times('found', /one-bit/, () => 1.01), refutes: /^no attack/ },
    { what: 'attacks that find nothing', change: times('found', /./, () => 0), refutes: /^pair of bins|^one bit/ },
    {
      what: 'printed rounds that spend 1.05 times as much',
      change: times('certified', /^printed/, () => 1.05),
      refutes: /^as printed: both rounds/,
    },
    {
      what: 'printed noise 1.05 times as large',
      change: times('deviation', /^printed/, () => 1.05),
      refutes: /^as printed: reports/,
    },
    {
      what: 'printed noise of which an attack finds nothing',
      change: times('found', /^printed/, () => 0.1),
      refutes: /^as printed: at ε = 4/,
    },
  ]);
});
