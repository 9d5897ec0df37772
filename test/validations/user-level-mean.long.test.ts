// The validations of user-level means in one dimension at the quick scale. False alarms at another seed: each of some 70 claims, those of
// user-level-vectors and -erm among them, is held to 4.5 standard errors or to a bound that fails with 1e-5 to 1e-4: one of them fails with
// probability .005 or so. This seed is fixed.
import type { Json } from '../../src/core/request.ts';
import { validations } from '../evidence/user-level-mean/validations/index.ts';
import { type Control, testValidations } from './controls.ts';
import { fieldOf, power, times } from './user-level-controls.ts';

const { exp, log, round } = Math;

/** Errors with another power of a field than they have: the slope moves by ½, more than twice the largest tolerance. */
const slopesOf = (inPlayers: RegExp): readonly Control[] => [
  ['errors that do not fall with n', inPlayers, times('errors', /^n-/, power('players', 0.5))],
  ['errors with another power of m', /slope of the error in m/, times('errors', /^m-/, power('samples', 0.5))],
  ['errors with another power of ε', /slope of the error in ε/, times('errors', /^epsilon-/, power('epsilon', 0.5))],
];

const larger = (by: number): Control => [
  `errors ${by} times as large`,
  /^error over/,
  times('errors', /^(n|m|epsilon)-/, () => by),
];

/** Success rates that are a function of nε, as printed, and counts that have nothing to do with n. */
const printedRates = (chunk: Json, setting: Json): Json => {
  const { trials } = chunk as { readonly trials: number };
  const odds = exp(4 * log((fieldOf(setting, 'players') * fieldOf(setting, 'epsilon')) / 60));
  return { trials, found: round((trials * odds) / (1 + odds)) };
};

const CONTROLS: Readonly<Record<string, readonly Control[]>> = {
  // A standard error of .015: 1.2 is 13 of them away.
  'user-level-naive-error': [...slopesOf(/slope of the error in n/), larger(1.2)],
  'user-level-two-round-error': [
    ...slopesOf(/^slope of the error in n:/),
    larger(1.2),
    [
      'printed rounds whose error falls with 1/√n',
      /printed rounds|their bias/,
      times('errors', /^printed-edge/, power('players', -0.5)),
    ],
    [
      'a pair of bins that has a bias as well',
      /a pair of bins/,
      times('errors', /^corrected-edge/, power('players', 0.5)),
    ],
  ],
  // From 1.1, with a standard error of .02.
  'user-level-one-bit-error': [
    ['n^¼ more', /error in n/, times('errors', /^n-/, power('players', 0.25))],
    ['m^¼ more', /error in m/, times('errors', /^m-/, power('samples', 0.25))],
    ['ε^¼ more', /√n in ε/, times('errors', /^epsilon-/, power('epsilon', 0.25))],
    larger(1.2),
    ['errors four fifths as large', /^error over/, times('errors', /./, () => 0.8)],
  ],
  'user-level-improved-estimator': [
    // The farthest is .7 of the bound away: 1.6 times that is beyond it in most runs, half of it below .6.
    ['local means farther apart', /^local means/, times('largest', /^spread/, () => 1.6)],
    ['local means nearer', /width is not idle/, times('largest', /^spread/, () => 0.5)],
    ['a width with another power of m', /farthest local mean/, times('largest', /^spread/, power('samples', 0.5))],
    [
      'a projection that is of no use',
      /error of two rounds|^control/,
      times('errors', /^two-round/, power('samples', 0.5)),
    ],
    ['naive errors that grow with m', /error of the naive/, times('errors', /^naive/, power('samples', 0.5))],
  ],
  'user-level-two-round-condition': [
    ['players in proportion to 1/ε', /^slope in ε|^as printed/, printedRates],
    ['pilots of which half fail', /fail at most|are enough/, times('found', /^epsilon/, () => 0.5)],
  ],
  // Attacks prove .8 of the truth at ε ≥ 2 with deviations below .05: .3 and 3 times that are far off.
  'user-level-naive-privacy': [
    ['attacks that find less', /attacks prove|an attack proves/, times('found', /^printed/, () => 0.3)],
    ['attacks that find more than there is', /what an attack proves/, times('found', /^printed/, () => 3)],
    ['corrected noise that is broken', /^noise for the sensitivity/, times('found', /^corrected/, () => 3)],
  ],
  'user-level-two-round-privacy': [
    ['certificates beyond the claim', /^every total/, times('certified', /./, () => 1.5)],
    ['attacks beyond the certificate', /^no attack/, times('found', /one-bit/, () => 1.01)],
    ['attacks that find nothing', /^pair of bins|^one bit/, times('found', /./, () => 0)],
    [
      'printed rounds that spend 1.05 times as much',
      /^as printed: both rounds/,
      times('certified', /^printed/, () => 1.05),
    ],
    ['printed noise 1.05 times as large', /^as printed: reports/, times('deviation', /^printed/, () => 1.05)],
    ['printed noise of which an attack finds nothing', /^as printed: at ε = 4/, times('found', /^printed/, () => 0.1)],
  ],
};

testValidations(
  validations.filter(({ name }) => !/multivariate|rotation/.test(name)),
  'tests',
  CONTROLS,
  /, exactly,/,
);
