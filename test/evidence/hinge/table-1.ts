import { hingeLoss, smoothedHinge } from 'ldpkit/optimize';
import { chebyshevSeries, chebyshevToMonomial, evaluateChebyshev } from 'ldpkit/polynomial';
import { copies, gaussian, lifted } from 'ldpkit/protocols/hinge';
import type { Reproduction } from '../experiment/experiment.ts';
import { type Method, playersRows, TABLE_DIMENSIONS, TABLE_TARGETS } from '../shared/players-table.ts';
import { LIPSCHITZ_ORDERS, ORDER_NOTE, orderRows } from '../shared/printed-orders.ts';

const DELTA = 1e-6;

const METHODS: readonly Method[] = [
  ['copies, exact budget, averaged', (dimension) => copies({ epsilon: 1, delta: DELTA, degree: 1, dimension })],
  ['one Gaussian copy', (dimension) => gaussian({ epsilon: 1, delta: DELTA, degree: 1, dimension })],
  ['lifted, pure ε', (dimension) => lifted({ epsilon: 1, degree: 1, dimension })],
];

/**
 * log₁₀ of the players that theorem 11 asks for with its constants worked out: β = α/2 and the least degree whose Chebyshev
 * error costs at most α/4, so that α/2 is left for the noise, σR/√n at the closed-form variance of the product estimator with
 * the printed noise levels. In logarithms, because the variance overflows at these degrees.
 *
 * @theorem noninteractive Table 1
 * @theorem noninteractive Theorem 11
 */
export function printedPlayers(target: number, dimension: number): number {
  const beta = target / 2;
  const { derivative } = smoothedHinge({ beta });
  const full = chebyshevSeries(derivative, 400);
  let degree = 1;
  while (2 * largestError(full.subarray(0, degree + 1), derivative) > target / 4) degree++;
  const coefficients = chebyshevToMonomial(full.subarray(0, degree + 1));
  const scale = Math.log(1.25 / DELTA);
  const other = 8 * scale * (degree * (degree + 1)) ** 2;
  const factor = Math.log10((1 + other) * (0.25 + other));
  const terms = Array.from(coefficients, (c, j) => 2 * Math.log10(Math.abs(c) + 1e-300) + j * factor);
  const gradient = Math.log10((1 + 32 * scale) * (1 + dimension * 32 * scale));
  return Math.max(...terms) + gradient + 2 * Math.log10(2 / target);
}

function largestError(series: Float64Array, derivative: (t: number) => number): number {
  let largest = 0;
  for (let i = 0; i <= 1000; i++) {
    const t = i / 500 - 1;
    largest = Math.max(largest, Math.abs(evaluateChebyshev(series, t) - derivative(t)));
  }
  return largest;
}

/**
 * The rows of table 1 for the hinge loss, with numbers in the place of orders: players needed for an excess risk of at most
 * α at ε = 1 on the reference population without wrong labels.
 *
 * Source: Wang, Smith, Xu 2020, table 1.
 * @theorem noninteractive Table 1
 */
export function table1(): Reproduction {
  return {
    title:
      'players for an excess hinge risk of at most α, ε = 1, δ = 1e-6, ‖w‖ ≤ 1, degree 1 (Wang, Smith, Xu 2020, table 1)',
    columns: ['method', 'α', ...TABLE_DIMENSIONS.map((dimension) => `p = ${dimension}`)],
    rows: [
      ...TABLE_TARGETS.map((target) => [
        'this paper, algorithm 1 as printed',
        String(target),
        ...TABLE_DIMENSIONS.map((dimension) => `10^${printedPlayers(target, dimension).toFixed(0)}`),
      ]),
      ...playersRows(METHODS, hingeLoss()),
      ...orderRows(LIPSCHITZ_ORDERS),
    ],
    notes: [
      ...ORDER_NOTE,
      'As printed: extrapolated. Theorem 11 with its constants: β = α/2, the least degree that costs at most α/4 (49 and 119),',
      'and n such that the noise of the product estimator, in closed form, costs at most α/2. Nobody could run it.',
      'The others: forecast, the exact moments of the reference population plus noise drawn with the variances of the',
      'mechanism, through the server; test/theory/forecast.long.test.ts holds it against simulated players.',
      'Reference population: records uniform on the sphere, labels without error. "none": no number of players suffices.',
    ],
  };
}
