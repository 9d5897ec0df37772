// The validations of the non-asymptotic paper at the quick scale. False alarms at another seed: slopes, ratios and shares are held to
// four standard errors over replications, 6e-5 each for normal numbers and 4e-4 for a t of 30 degrees of freedom, besides what a
// finite n is known to add; bounds hold with room. This seed is fixed; the claims were met on ten others.
import { validations } from '../../protocols/online-sgd/validations/index.ts';
import { type Control, testValidations } from './noisy-controls.ts';
import { everyNumber, scaled, slower } from './online-controls.ts';

const CONTROLS: Readonly<Record<string, readonly Control[]>> = {
  'online-last-iterate': [
    ['errors times n^¼', 'log-log slope', slower('last', 0.25)],
    ['errors ten times as large', 'the recursion', scaled('last', 10)],
    ['errors thirty times as large', 'the printed leading term', scaled('last', 30)],
  ],
  'online-average': [
    ['errors times n^1.5', 'log-log slope', slower('average', 1.5)],
    ['errors ten times as large', 'the two terms with printed constants', scaled('average', 10)],
    ['three times the variance', 'over the trace term', scaled('average', 3)],
    ['errors over √n', 'the third term is needed', slower('average', -0.5)],
  ],
  'online-last-loss': [
    ['losses times n', 'log-log slope', slower('lastLoss', 1)],
    ['losses 10⁵ times as large', 'the bound that holds', scaled('lastLoss', 1e5)],
    ['losses 10⁵ times as large', 'the printed bound on E F(θ_n) − F(θ*), α', scaled('lastLoss', 1e5)],
    ['losses half as large', 'is too small', scaled('lastLoss', 0.5)],
  ],
  'online-average-loss': [
    ['losses times n^1.5', 'log-log slope', slower('averageLoss', 1.5)],
    ['losses 10⁵ times as large', 'the bound that holds', scaled('averageLoss', 1e5)],
    ['losses 10⁵ times as large', 'the printed bound on E F(θ̄_n) − F(θ*), α', scaled('averageLoss', 1e5)],
    ['no loss at the first step', 'is too small', scaled('averageLoss', 0)],
  ],
  'online-start': [
    ['a start that is forgotten too slowly', 'exp(−mΣη_i)', scaled('last', 100)],
    ['a start times √n in the average', 'the start in the average', slower('average', 0.5)],
    ['a start times √n in the last iterate', 'the start in the last iterate at α = 1,', slower('last', 0.5)],
  ],
  'online-covariance': [
    ['errors 1.6 times as large', 'variance of √n', everyNumber((value) => 1.6 * value)],
    [
      'coordinates that go together',
      'correlation',
      (part) => (part as number[][][]).map((looks) => looks.map(([a]) => [a, a])),
    ],
    ['errors a fifth as large', 'S needs the noise', everyNumber((value) => value / 5)],
  ],
  'online-dimension': [
    ['errors times d', 'log-log slope', everyNumber((value, _, setting) => value * (setting.dimension as number))],
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
    ['log ratios a fifth larger', 'no report is more than', scaled('largest', 1.2)],
    ['δ half as large again', 'within 4 standard errors at', scaled('sums', 1.5)],
    ['the claimed δ', 'the claimed δ = 0.001', scaled('sums', 0.1)],
    ['three times the claimed δ', 'is not exceeded', scaled('sums', 3)],
    ['a fiftieth of δ', 'the claimed curve of μ = 0.25 is refuted', scaled('sums', 0.02)],
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
);
