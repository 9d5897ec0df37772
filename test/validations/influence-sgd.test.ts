// The validations of the paper on PIDP-SGD at the quick scale. False alarms: exponents have 4.5 standard errors (of at least 24
// parts together, 1e-4) and the finite-size deviation besides; bounds of audits hold with probability .999 each, and those of the
// controls are far from their claims; what is exact has none.
import { describe, expect, test } from '@jest/globals';
import { validations } from '../../protocols/influence-sgd/validations/index.ts';
import type { Json } from '../../src/protocol/digest.ts';
import type { CurveFigure } from '../../src/simulation/figure.ts';
import { type Change, runQuick, tampered } from './run.ts';

const SEED = 'influence';

type Numbers = Readonly<Record<string, Json>>;

/** Changes named numbers of the parts of the cells whose settings fit. */
function altered(
  change: (part: Numbers, setting: Numbers) => Numbers,
  fits: (setting: Numbers) => boolean = () => true,
): Change {
  return (part, setting) =>
    fits(setting as Numbers) ? { ...(part as Numbers), ...change(part as Numbers, setting as Numbers) } : part;
}

const times = (value: Json, factor: number): number => (value as number) * factor;
const each = (values: Json, factor: (place: number) => number): Json =>
  (values as number[]).map((value, place) => value * factor(place));
const power = (setting: Numbers, exponent: number): number => (setting.records as number) ** exponent;

/** What is changed, by how it would be if the claim failed, and the words by which the claim is known. */
type Control = readonly [change: string, claim: string, tamper: Change];

const even = (setting: Numbers): boolean => setting.data === 'even';
const mean = (setting: Numbers): boolean => setting.along === 'mean';
const single = (setting: Numbers): boolean => setting.along === 'single';
const short = (setting: Numbers): boolean => setting.regime === 'log';

const CONTROLS: Readonly<Record<string, readonly Control[]>> = {
  'influence-remark-1': [
    ['a gradient above G', 'Definitions 1 to 3', altered((p) => ({ constants: each(p.constants, () => 1.02) }))],
    [
      'constants that are never met',
      'Definitions 1 to 3',
      altered((p) => ({ constants: each(p.constants, () => 0.5) })),
    ],
    [
      'a slope of the perceptron above C',
      'those of the perceptron',
      altered((p) => ({ constants: each(p.constants, (k) => (k === 2 ? 10 : 1)) })),
    ],
    ['twice the μ', 'Definition 5', altered((p) => ({ inequalities: each(p.inequalities, () => 2) }))],
  ],
  'influence-equation-2': [
    ['the claimed δ', 'ten times the claimed', altered(() => ({ delta: 1e-6 }), short)],
    ['a c that serves all n', 'no constant c', altered(() => ({ needed: 30 }), short)],
    ['a moments accountant that is too low', 'the moments accountant', altered(() => ({ corrected: 1.1e-6 }), short)],
    ['a c that grows', 'T = n²', altered((p, s) => ({ needed: times(p.needed, power(s, 1)) }))],
  ],
  'influence-theorem-1': [
    ['errors times √n', 'slope −2', altered((p, s) => ({ excess: times(p.excess, power(s, 0.5)) }), mean)],
    ['errors four times as large', 'at most (1 − μ/L)^T', altered((p) => ({ excess: times(p.excess, 4) }), mean)],
    ['errors divided by n', 'not −2 but 0', altered((p, s) => ({ excess: times(p.excess, power(s, -1)) }), single)],
    ['errors divided by 100', 'above the bound', altered((p) => ({ excess: times(p.excess, 0.01) }), single)],
  ],
  'influence-equation-4': [
    ['a step three times as bad', 'along the mean gradient', altered((p) => ({ along: times(p.along, 3) }))],
    ['steps on drawn records without variance', '(4) is exceeded', altered((p) => ({ single: p.along }))],
    ['a step 2.5 times as bad', 'with the variance', altered((p) => ({ single: times(p.single, 2.5) }))],
  ],
  'influence-theorems-2-3': [
    [
      '700 times the generalisation error',
      'Theorem 2',
      altered((p) => ({ generalization: times(p.generalization, 700) })),
    ],
    ['140 times the population risk', 'Theorem 3', altered((p) => ({ population: times(p.population, 140) }))],
    [
      'errors times √n',
      'generalisation error of a minimiser',
      altered((p, s) => ({ generalization: times(p.generalization, power(s, 0.5)) })),
    ],
  ],
  'influence-equation-11': [
    ['a residual of 1e-6', 'conjugate gradients', altered(() => ({ gradients: 1e-6 }))],
    ['a series cut off at 1 %', 'LiSSA is unbiased', altered((p) => ({ bias: times(p.bias, 1) - 0.01 }))],
    ['errors times √n', 'by explicit', altered((p, s) => ({ errors: each(p.errors, () => power(s, 0.5)) }))],
    ['errors 100 times as large', 'by conjugate-gradient', altered((p) => ({ errors: each(p.errors, () => 100) }))],
    ['errors divided by √n', 'by LiSSA', altered((p, s) => ({ errors: each(p.errors, () => power(s, -0.5)) }))],
  ],
  'influence-theorem-4': [
    ['errors times n^.25', 'slope −2', altered((p, s) => ({ error: times(p.error, power(s, 0.25)) }), even)],
    ['changes times √n', 'slope −1', altered((p, s) => ({ change: times(p.change, power(s, 0.5)) }), even)],
    ['errors 50 times as large', 'smallest eigenvalue', altered((p) => ({ largest: times(p.largest, 50) }), even)],
    ['a fiftieth of the errors', 'ζ = ‖H‖₂', altered((p) => ({ largest: times(p.largest, 0.02) }))],
  ],
  'influence-theorem-5': [
    ...(['Theorem 5, events', 'recalibrated noise', 'four rounds', 'Theorem 5, one run', 'noise (2)'] as const).map(
      (claim): Control => [
        'a bound of a fifth of the claim',
        claim,
        altered((_, s) => ({ bound: times(s.epsilon, 0.2) })),
      ],
    ),
    ['a bound of 1.1 claims', 'control: noise', altered((_, s) => ({ bound: times(s.epsilon, 1.1) }))],
    ['a bound of 1.1 claims', 'control, one run', altered((_, s) => ({ bound: times(s.epsilon, 1.1) }))],
    ['half of the runs', 'the probability of showing', altered((p) => ({ moved: times(p.moved, 0.5) }))],
    ['an exact δ of the claim', 'the probability of showing', altered(() => ({ exact: 2e-6 }))],
  ],
  'influence-lemma-3': [
    [
      'much more than δ',
      'for ε ≤ 1',
      altered(
        () => ({ printed: 0.0015 }),
        (s) => (s.epsilon as number) <= 1,
      ),
    ],
    ['no more than δ', 'refuted as printed', altered((p) => ({ printed: times(p.analytic, 1) }))],
    ['twice the δ', 'the analytic noise', altered((p) => ({ analytic: times(p.analytic, 2) }))],
    ['half of the δ', 'Gaussian curve', altered((p) => ({ printed: times(p.printed, 0.5) }))],
  ],
  'influence-theorem-6': [
    ['errors times √n', 'slope −3', altered((p, s) => ({ excess: times(p.excess, power(s, 0.5)) }))],
    ['errors times √n', 'slope −2', altered((p, s) => ({ excess: times(p.excess, power(s, 0.5)) }))],
    ['errors four times as large', 'at most (1 − μ/L)^T', altered((p) => ({ excess: times(p.excess, 4) }))],
    ['errors divided by n', 'not −3 but 0', altered((p, s) => ({ excess: times(p.excess, power(s, -1)) }))],
    ['errors divided by 10⁵', 'above the bound', altered((p) => ({ excess: times(p.excess, 1e-5) }))],
  ],
};

describe.each(validations.map((one) => [one.name, one] as const))('%s', (name, validation) => {
  const report = runQuick(validation, SEED);

  test('meets every claim', () => {
    expect(report.claims.filter(({ met }) => !met)).toEqual([]);
    expect(report.claims.length).toBeGreaterThan(2);
  });

  test('draws what was measured beside what is claimed', () => {
    const figures = report.figures as readonly CurveFigure[];
    const lacking = figures.filter(
      ({ curves }) => !curves.some(({ dashed }) => dashed) || !curves.some(({ dashed }) => !dashed),
    );
    const wrong = figures.filter(({ x, y, curves }) =>
      curves.some(
        ({ points }) =>
          points.length === 0 ||
          points.some((p) => !(Number.isFinite(p.x) && Number.isFinite(p.y))) ||
          (x.logarithmic && points.some((p) => !(p.x > 0))) ||
          (y.logarithmic && points.some((p) => !(p.y > 0 && (p.low ?? 1) > 0))),
      ),
    );
    expect(figures.length).toBeGreaterThan(0);
    expect([...lacking, ...wrong].map((figure) => figure.name)).toEqual([]);
  });

  test.each(CONTROLS[name])('with %s the claim on “%s” is not met', (_, words, change) => {
    const unmet = tampered(validation, SEED, change).claims.filter(({ met }) => !met);
    expect(report.claims.filter(({ asked }) => asked.includes(words))).toHaveLength(1);
    expect(unmet.filter(({ asked }) => asked.includes(words))).toHaveLength(1);
  });
});
