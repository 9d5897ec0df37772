// The validations of the non-asymptotic paper at the quick scale. False alarms at another seed: slopes, ratios and shares are held to
// 4.5 standard errors over replications, 7e-6 each for normal numbers and 1e-4 for a t of 30 degrees of freedom, besides what a
// finite n is known to add; bounds hold with room. This seed is fixed; the claims were met on ten others.
import { validations } from '../evidence/online-sgd/validations/index.ts';
import { type Control, testValidations } from './controls.ts';
import { everyNumber, scaled, slower } from './online-controls.ts';

const CONTROLS: Readonly<Record<string, readonly Control[]>> = {
  'online-last-iterate': [
    ['errors times 1.3', 'over the exact law', scaled('last', 1.3)],
    ['errors over 1.3', 'over the exact law', scaled('last', 1 / 1.3)],
    ['errors times n^¼', 'that of the exact law', slower('last', 0.25)],
  ],
  'online-average': [
    ['errors times 1.5', 'over the exact law', scaled('average', 1.5)],
    ['half the errors', 'over the exact law', scaled('average', 0.5)],
    ['a shift times n^¼', 'half of that of the third term', slower('shift', 0.25)],
    ['errors over √n', 'the third term is needed', slower('average', -0.5)],
    ['errors times n', 'of the logistic risk at α = 1/2', slower('average', 1)],
  ],
  'online-last-loss': [
    ['losses times n^½', 'steeper than the claimed', slower('lastLoss', 0.5)],
    ['losses times 1.5', 'over the exact law', scaled('lastLoss', 1.5)],
    ['half the losses', 'the law of the quartic risk', scaled('lastLoss', 0.5)],
    ['losses half as large', 'is too small', scaled('lastLoss', 0.5)],
    ['losses 10⁵ times as large', 'not contradicted', scaled('lastLoss', 1e5)],
  ],
  'online-average-loss': [
    ['losses times n^0.7', 'steeper than the claimed', slower('averageLoss', 0.7)],
    ['losses three times as large', 'by a factor of 3 at most', scaled('averageLoss', 3)],
    ['half the losses', 'by a factor of 3 at most', scaled('averageLoss', 0.5)],
    ['no loss at the first step', 'is too small', scaled('averageLoss', 0)],
    ['losses 10⁵ times as large', 'not contradicted', scaled('averageLoss', 1e5)],
  ],
  'online-start': [
    ['a start times n^¼ in the last iterate', 'exactly, at α', slower('last', 0.25)],
    ['a start times 1.25 in the last iterate', 'exactly, at α', scaled('last', 1.25)],
    ['a start times n^¼ in the average', 'the start in the average', slower('average', 0.25)],
    ['a start times n^¼ in the last iterate', 'the start in the last iterate at α = 1,', slower('last', 0.25)],
  ],
  'online-covariance': [
    ['variances 1.25 times as large', 'over the exact one', everyNumber((value) => Math.sqrt(1.25) * value)],
    ['variances 1.25 times as large', 'the part of privacy', everyNumber((value) => Math.sqrt(1.25) * value)],
    ['variances over 1.25', 'over the exact one', everyNumber((value) => value / Math.sqrt(1.25))],
    [
      'coordinates that go together',
      'correlation',
      (chunk) => (chunk as number[][][]).map((looks) => looks.map(([a]) => [a, a])),
    ],
  ],
  'online-dimension': [
    ['errors times 1.3', 'over the exact law', everyNumber((value) => 1.3 * value)],
    [
      'errors times d^¼',
      'log-log slope',
      everyNumber((value, _, setting) => value * (setting.dimension as number) ** 0.25),
    ],
    ['errors times d³', 'as printed', everyNumber((value, _, setting) => value * (setting.dimension as number) ** 3)],
    [
      'Gaussian errors times d',
      'depends on d more',
      everyNumber(
        (value, _, setting) => value * (setting.dimension as number),
        (key) => key.startsWith('gaussian'),
      ),
    ],
  ],
  'online-noise-laws': [
    ['noise that is 5 % too small', 'E|report − gradient| over', scaled('absolute', 0.95)],
    ['a tail that is 10 % too thin', 'P(|report − gradient|', scaled('beyond', 0.9)],
    ['a variance that is 5 % too small', 'E(report − gradient)²', scaled('square', 0.95)],
    ['log ratios a fifth larger', 'no report is more than', scaled('largest', 1.2)],
    ['δ half as large again', 'within 4.5 standard errors at', scaled('sums', 1.5)],
    ['eight times the variance', 'the claimed δ = 0.001', scaled('square', 8)],
    ['a variance that is 10 % too small', 'is not exceeded', scaled('square', 0.9)],
    ['four times the variance', 'the claimed curve of μ = 0.25 is refuted', scaled('square', 4.2)],
  ],
  'online-clipping': [
    ['slopes 1.3 times as large', 'with Mallows weights', everyNumber((value) => 1.3 * value)],
    ['slopes half as large', 'they are above the truth', everyNumber((value) => value / 2)],
    ['slopes 1.3 times as large', 'they settle where', everyNumber((value) => 1.3 * value)],
  ],
};

testValidations(
  validations.filter(({ paper }) => paper === 'online-rates'),
  'online rates',
  CONTROLS,
  /computed$|^the (recursion|printed leading term|two terms)|exactly, far along: at most|^δ₀|^Ω =/,
);
