// The validations of M-estimators and of noisy gradient descent at the quick scale. False alarms at another seed: slopes and means are
// held to 4.5 standard errors, 7e-6 each if they are normal and below 1e-3 for the shares and squares they are made of; attacks to
// bounds that fail with 2e-4; bounds without noise never. This seed is fixed.
import { validations } from '../evidence/noisy-gradient-descent/validations/index.ts';
import { altered, power, testValidations, times } from './controls.ts';
import { COMPUTED, controlsOf, noisier } from './noisy-controls.ts';

const leftOut = (setting: Readonly<Record<string, unknown>>): boolean => setting.outlier === 0;

/** Distances by replication and step, changed. */
const distances = (change: (row: readonly number[]) => readonly number[]) =>
  altered((chunk) => ({ distances: (chunk.distances as number[][]).map((row) => [...change(row)]) }));

testValidations(
  validations,
  'noisy gradient descent',
  controlsOf('noisy-gradient-descent', {
    'noisy-gradient-descent-privacy': [
      ['noise that is 5 % too small', 'noise of the last iterate', noisier('iterate', 0.95)],
    ],
    'm-estimation-influence': [
      ['a first-order error', 'what M⁻¹Ψ/n misses', altered((p) => ({ missed: p.moved ?? [] }), leftOut)],
      [
        'a move like n^−¾',
        'the move itself',
        altered((p, s) => ({ moved: times(p.moved, power(s, 'records', 0.5)) }), leftOut),
      ],
      ['a move beyond the bound', 'bounded, since Ψ is', altered((p) => ({ bounded: times(p.bounded, 2) }))],
      ['least squares that are robust', 'control: with the score', altered((p) => ({ unbounded: p.bounded ?? [] }))],
    ],
    'm-estimation-normality': [
      ['intervals that miss a tenth', 'coverage of 95 %', altered((p) => ({ covered: times(p.covered, 0.9) }))],
      [
        'errors that are a quarter too large',
        'over the trace',
        altered((p) => ({ squared: times(p.squared, 1.25 ** 2) })),
      ],
      ['errors like n^−¼', 'slope of √E', altered((p, s) => ({ squared: times(p.squared, power(s, 'records', 0.5)) }))],
      ['half of the variance that is enough', 'control: half', altered((p) => ({ half: p.covered ?? [] }))],
    ],
    'noisy-gradient-descent-steps': [
      [
        'what is left, ten times as much',
        'after K = C·log n',
        distances(([first, ...rest]) => [first, ...rest.map((d) => 10 * d)]),
      ],
      [
        'a third of the steps that is enough',
        'control: a third',
        distances(([first, ...rest]) => [first, ...rest.map((d) => d / 100)]),
      ],
      [
        'distances that fall a quarter slower',
        'steps that are needed',
        distances((row) => row.map((d) => row[0] * (d / row[0]) ** 0.8)),
      ],
      [
        'distances that fall a quarter faster',
        'steps that are needed',
        distances((row) => row.map((d) => row[0] * (d / row[0]) ** 1.25)),
      ],
      [
        'distances that fall more and more slowly',
        'along a straight line',
        distances((row) => row.map((_, k) => row[0] * Math.exp(-((k / 0.53) ** (1 / 3))))),
      ],
      [
        'distances that fall by three tenths slower',
        'at most what is proved',
        distances((row) => row.map((d) => row[0] * (d / row[0]) ** 0.7)),
      ],
      [
        'noise that is three times as large',
        'with μ = 1',
        distances(([first, ...rest]) => [first, ...rest.map((d) => 3 * d)]),
      ],
    ],
  }),
  COMPUTED,
);
