// The validations of M-estimators and of noisy gradient descent at the quick scale. False alarms at another seed: slopes and means are
// held to four standard errors, 6e-5 each if they are normal and below 1e-3 for the shares and squares they are made of; attacks to
// bounds that fail with 2e-4; bounds without noise never. This seed is fixed.
import { validations } from '../../protocols/noisy-gradient-descent/validations/index.ts';
import { altered, controlsOf, power, testValidations, times } from './noisy-controls.ts';

const leftOut = (setting: Readonly<Record<string, unknown>>): boolean => setting.outlier === 0;

/** Distances by replication and step, changed. */
const distances = (change: (row: readonly number[]) => readonly number[]) =>
  altered((part) => ({ distances: (part.distances as number[][]).map((row) => [...change(row)]) }));

testValidations(
  validations,
  'noisy gradient descent',
  controlsOf('noisy-gradient-descent', {
    'm-estimation-influence': [
      ['a first-order error', 'what M⁻¹Ψ/n misses', altered((p) => ({ missed: p.moved ?? [] }), leftOut)],
      [
        'a move that does not fall',
        'the move itself',
        altered((p, s) => ({ moved: times(p.moved, power(s, 'records', 2)) }), leftOut),
      ],
      ['a move beyond the bound', 'bounded, since Ψ is', altered((p) => ({ bounded: times(p.bounded, 2) }))],
      ['least squares that are robust', 'control: with the score', altered((p) => ({ unbounded: p.bounded ?? [] }))],
    ],
    'm-estimation-normality': [
      ['intervals that miss a tenth', 'coverage of 95 %', altered((p) => ({ covered: times(p.covered, 0.9) }))],
      ['errors that are √2 too large', 'over the trace', altered((p) => ({ squared: times(p.squared, 2) }))],
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
        'distances that fall half as fast',
        'steps that are needed',
        distances((row) => row.map((d) => Math.sqrt(d * row[0]))),
      ],
      [
        'noise that is three times as large',
        'with μ = 1',
        distances(([first, ...rest]) => [first, ...rest.map((d) => 3 * d)]),
      ],
    ],
  }),
);
