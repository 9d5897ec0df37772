// The validations of the inference paper at the quick scale. False alarms at another seed: slopes, ratios and coverages are held to
// 4.5 standard errors over replications, 7e-6 each for normal numbers and 1e-4 for a t of 30 degrees of freedom, and distances of
// distribution functions to 2.1/√count, 3e-4, besides what a finite n is known to add. This seed is fixed; the claims were met on
// ten others.
import { validations } from '../evidence/online-sgd/validations/index.ts';
import { type Control, testValidations } from './controls.ts';
import { scaled, slower, under } from './online-controls.ts';

const logistic = (key: string): boolean => key === 'logistic';

const CONTROLS: Readonly<Record<string, readonly Control[]>> = {
  'online-moments': [
    ['squared errors times n^½', 'that of the normal law', slower('last', 0.5)],
    ['squared errors times 1.5', 'over the exact law', scaled('last', 1.5)],
    ['half the squared errors', 'over the exact law', scaled('last', 0.5)],
  ],
  'online-functional-clt': [
    ['paths 1.3 times as large', 'covariances of the path', scaled('values', 1.3)],
    [
      'a path that ends where it was at half the time',
      'covariances of the path',
      under('values', (value, path) => ((path[path.length - 1] as number) > 5 ? 0.2 * value : value)),
    ],
    ['suprema 1.3 times as large', 'sup |φ(r)|', scaled('suprema', 1.3)],
    ['bridges 1.5 times as large', '∫(φ(r)', scaled('bridges', 1.5)],
    ['variances 1.25 times as large', 'variance of √n', scaled('values', Math.sqrt(1.25))],
    ['variances 1.5 times as large', '95 % ellipse', scaled('values', Math.sqrt(1.5))],
  ],
  'online-plug-in-error': [
    [
      'errors times n^0.7',
      'E‖Σ̂ − Σ̃‖',
      (chunk, setting, key) =>
        ['printed', 'released', 'regressed'].reduce((changed, name) => slower(name, 0.7)(changed, setting, key), chunk),
    ],
  ],
  'online-plug-in': [
    ['standard errors over 1.5', 'E t², 1 in the limit and 1.045', scaled('released', 1.5)],
    ['standard errors times 1.5', 'E t², 1 in the limit and 1.045', scaled('released', 1 / 1.5)],
    ['standard errors over 1.5', 'E t², 1 in the limit and 1.28', scaled('regressed', 1.5)],
    [
      'standard errors over 1.5',
      'intervals of level',
      (chunk) => scaled('released', 1.5)(scaled('regressed', 1.5)(chunk, {}, ''), {}, ''),
    ],
  ],
  'online-random-scaling': [
    ['intervals over 1.5', 'intervals of level 0.7', scaled('scaled', 1.5)],
    ['intervals times 1.8', 'intervals of level 0.7', scaled('scaled', 1 / 1.8)],
    ['statistics 1.2 times as large', 'the pivotal law gives', scaled('scaled', 1.2)],
    ['statistics twice as large', /intervals of level|has the pivotal law/, scaled('scaled', 2)],
    ['a joint statistic four times as large', 'the joint statistic', scaled('joint', 4)],
  ],
  'online-single-stream': [
    ['intervals a third as long', 'final 0.95 intervals', scaled('halves', 1 / 3)],
    [
      'random scaling that is the shortest',
      'the longest of the three',
      under('halves', (value, path) => (path[3] === 0 ? value / 2 : value)),
    ],
    [
      'batch means as long as the plug-in',
      'about the same length',
      under('halves', (value, path) => (path[3] === 2 ? 1.5 * value : value)),
    ],
    [
      'lengths that fall like n^(−¼)',
      'lengths fall',
      under('halves', (value, path) => value * 1.2 ** (path[2] as number)),
    ],
  ],
  'online-examples': [
    ['pairs that are farther apart', 'as printed; no pair exceeds it', scaled('distance', 1.5)],
    ['pairs that are close', 'as printed; no pair exceeds it', scaled('distance', 0.5)],
    ['gradients of the other labels', 'at the truth is 0', under('sums', (value) => value + 4000, logistic)],
    ['no gradients at all', 'at the truth is not 0', scaled('sums', 0, logistic)],
  ],
};

testValidations(
  validations.filter(({ paper }) => paper === 'online-inference'),
  'online inference',
  CONTROLS,
  /computed$|^the recursion|√3·μ-GDP$/,
);
