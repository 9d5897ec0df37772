// The validations of the paper on PIDP-SGD at the quick scale. False alarms: exponents have 4.5 standard errors (of at least 24
// chunks together, 1e-4) and the finite-size deviation besides; bounds of audits hold with probability .999 each, and those of the
// controls are far from their claims; what is exact has none.

import type { Json } from '../../src/core/request.ts';
import { validations } from '../evidence/influence-sgd/validations/index.ts';
import { altered, type Control, type Numbers, testValidations } from './controls.ts';

const times = (value: Json, factor: number): number => (value as number) * factor;
const each = (values: Json, factor: (place: number) => number): Json =>
  (values as number[]).map((value, place) => value * factor(place));
const power = (setting: Numbers, exponent: number): number => (setting.records as number) ** exponent;

const even = (setting: Numbers): boolean => setting.data === 'even';
const mean = (setting: Numbers): boolean => setting.along === 'mean';
const single = (setting: Numbers): boolean => setting.along === 'single';
const batch = (setting: Numbers): boolean => setting.regime === 'batch';
const lone = (setting: Numbers): boolean => setting.data === 'lone';
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
    ['1.5 times the μ', 'Definition 5', altered((p) => ({ inequalities: each(p.inequalities, () => 1.5) }))],
  ],
  'influence-equation-2': [
    [
      'half of the probability of drawing the record',
      'that of drawing the record',
      altered((p) => ({ delta: times(p.drawn, 0.5) }), short),
    ],
    [
      'a c that grows like n^¼ less',
      'no constant c',
      altered((p, s) => ({ needed: times(p.needed, power(s, -0.25)) }), short),
    ],
    // What is not contradicted is seen only beyond what the bound gives away.
    ['a tenth of the noise', 'not contradicted', altered((p) => ({ enough: times(p.enough, 0.1) }), short)],
    ['five times the δ', 'every step has all n records', altered((p) => ({ corrected: times(p.corrected, 5) }), batch)],
    ['half of the δ', 'every step has all n records', altered((p) => ({ corrected: times(p.corrected, 0.5) }), batch)],
    ['a c that grows like n^¼', 'T = n²', altered((p, s) => ({ needed: times(p.needed, power(s, 0.25)) }))],
  ],
  'influence-theorem-1': [
    ['errors times n^¼', 'slope in n', altered((p, s) => ({ excess: times(p.excess, power(s, 0.25)) }), mean)],
    ['errors 1.5 times as large', 'at most (1 − μ/L)^T', altered((p) => ({ excess: times(p.excess, 1.5) }), mean)],
    ['half of the errors', 'at most (1 − μ/L)^T', altered((p) => ({ excess: times(p.excess, 0.5) }), mean)],
    [
      'errors divided by n^¼',
      'the slope is not −2',
      altered((p, s) => ({ excess: times(p.excess, power(s, -0.25)) }), single),
    ],
    // The bound is exceeded 50 times.
    ['errors divided by 100', 'above the bound', altered((p) => ({ excess: times(p.excess, 0.01) }), single)],
  ],
  'influence-theorem-1-equality': [
    ['noise that is 5 % too large', 'over mσ²/(2L)', altered((p) => ({ excess: times(p.excess, 1.05 ** 2) }))],
    ['noise that is 5 % too small', 'over the bound', altered((p) => ({ excess: times(p.excess, 0.95 ** 2) }))],
    ['half of the sensitivity', 'gives the δ', altered((p) => ({ sensitivity: times(p.sensitivity, 0.5) }))],
    ['half of the sensitivity', 'over mσ²/(2L)', altered((p) => ({ sensitivity: times(p.sensitivity, 0.5) }))],
    ['errors times n^¼', 'slope in n', altered((p, s) => ({ excess: times(p.excess, power(s, 0.25)) }))],
  ],
  'influence-equation-4': [
    ['a step three times as bad', 'along the mean gradient', altered((p) => ({ along: times(p.along, 3) }))],
    ['steps on drawn records without variance', '(4) is exceeded', altered((p) => ({ single: p.along }))],
    ['a step 2.5 times as bad', 'with the variance', altered((p) => ({ single: times(p.single, 2.5) }))],
  ],
  'influence-theorems-2-3': [
    // What is not contradicted is seen only beyond what the bound gives away.
    ['700 times the error', 'Theorem 2: the', altered((p) => ({ generalization: times(p.generalization, 700) }))],
    ['140 times the population risk', 'Theorem 3: the', altered((p) => ({ population: times(p.population, 140) }))],
    [
      'errors times n^¼',
      'generalisation error of a minimiser',
      altered((p, s) => ({ generalization: times(p.generalization, power(s, 0.25)) })),
    ],
  ],
  'influence-equation-11': [
    ['a residual of 1e-6', 'conjugate gradients', altered(() => ({ gradients: 1e-6 }))],
    ['a series cut off at 1 %', 'LiSSA is unbiased', altered((p) => ({ bias: times(p.bias, 1) - 0.01 }))],
    ['errors times n^¼', 'by explicit', altered((p, s) => ({ errors: each(p.errors, () => power(s, 0.25)) }))],
    ['errors 100 times as large', 'by conjugate-gradient', altered((p) => ({ errors: each(p.errors, () => 100) }))],
    ['errors divided by √n', 'by LiSSA', altered((p, s) => ({ errors: each(p.errors, () => power(s, -0.5)) }))],
  ],
  'influence-theorem-4': [
    [
      'errors times n^.25',
      'error of c_z against refits',
      altered((p, s) => ({ error: times(p.error, power(s, 0.25)) }), even),
    ],
    [
      'changes times n^¼',
      'what it approximates',
      altered((p, s) => ({ change: times(p.change, power(s, 0.25)) }), even),
    ],
    ['errors 10 % larger', 'constant of the error', altered((p) => ({ error: times(p.error, 1.1) }), even)],
    [
      'errors times ζ^¼',
      'slope in ζ',
      altered((p, s) => ({ error: times(p.error, (s.ridge as number) ** 0.25) }), lone),
    ],
    ['errors 1.5 times as large', 'smallest eigenvalue', altered((p) => ({ largest: times(p.largest, 1.5) }), lone)],
    ['half of the errors', 'smallest eigenvalue', altered((p) => ({ largest: times(p.largest, 0.5) }), lone)],
    ['errors 50 times as large', 'not contradicted', altered((p) => ({ largest: times(p.largest, 50) }), even)],
    // E as printed is exceeded nine times.
    ['a twentieth of the errors', 'ζ = ‖H‖₂', altered((p) => ({ largest: times(p.largest, 0.05) }))],
  ],
  'influence-theorem-5': [
    ...(['Theorem 5, events', 'recalibrated noise', 'four rounds', 'Theorem 5, one run', 'noise (2)'] as const).map(
      (claim): Control => [
        'a bound of half of the claim',
        claim,
        altered((_, s) => ({ bound: times(s.epsilon, 0.5) })),
      ],
    ),
    ['a bound of 1.1 claims', 'control: noise', altered((_, s) => ({ bound: times(s.epsilon, 1.1) }))],
    ['a bound of 1.1 claims', 'control, one run', altered((_, s) => ({ bound: times(s.epsilon, 1.1) }))],
    ['a tenth of the runs less', 'the probability of showing', altered((p) => ({ moved: times(p.moved, 0.9) }))],
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
    ['1.5 times the δ', 'the analytic noise', altered((p) => ({ analytic: times(p.analytic, 1.5) }))],
    ['half of the δ', 'Gaussian curve', altered((p) => ({ printed: times(p.printed, 0.5) }))],
  ],
  'influence-theorem-6': [
    ['errors times n^¼', 'slope in n', altered((p, s) => ({ excess: times(p.excess, power(s, 0.25)) }))],
    ['errors times n^¼', 'and with noise in every', altered((p, s) => ({ excess: times(p.excess, power(s, 0.25)) }))],
    ['errors 10 % larger', 'what the recursion comes to', altered((p) => ({ excess: times(p.excess, 1.1) }))],
    ['errors 10 % smaller', 'the same with noise', altered((p) => ({ excess: times(p.excess, 0.9) }))],
    ['errors divided by n^¼', 'the slope is not −3', altered((p, s) => ({ excess: times(p.excess, power(s, -0.25)) }))],
    // The bound is exceeded 150 to 9,000 times.
    ['errors divided by 400', 'above the bound', altered((p) => ({ excess: times(p.excess, 1 / 400) }))],
  ],
};

testValidations(validations, 'influence', CONTROLS, /^Remark 1:|\(algebra/);
