import {
  createMedianForecaster,
  type euclideanMedianParameters,
  gaussian,
  lifted,
  printed,
} from 'ldpkit/protocols/euclidean-median';
import { playersUntil } from 'ldpkit/simulate';
import type { Reproduction } from '../experiment/experiment.ts';
import { LIPSCHITZ_ORDERS, ORDER_NOTE, orderRows } from '../shared/printed-orders.ts';

const DIMENSIONS = [2, 5, 10, 20];
const TARGETS = [0.1, 0.05];
const DELTA = 1e-6;

type Variant = (degree: number, dimension: number) => ReturnType<typeof euclideanMedianParameters>;

// The best of the degrees counts. A Gaussian copy gains nothing from more than degree 0 at these targets.
const VARIANTS: readonly (readonly [methods: readonly string[], degrees: readonly number[], make: Variant])[] = [
  [
    ['copies, exact budget, averaged', 'one Gaussian copy'],
    [0],
    (degree, dimension) => gaussian({ epsilon: 1, delta: DELTA, degree, dimension }),
  ],
  [['lifted, pure ε'], [0, 1], (degree, dimension) => lifted({ epsilon: 1, degree, dimension })],
];

const printedAt = (dimension: number): ReturnType<typeof euclideanMedianParameters> =>
  printed({ epsilon: 1, delta: DELTA, degree: 1, dimension });

/**
 * The row of table 1 for the Euclidean median, with numbers in the place of orders: players needed for an excess risk of at
 * most α at ε = 1 on the reference population.
 *
 * Source: Wang, Smith, Xu 2020, table 1 and theorem 17.
 * @theorem noninteractive Table 1
 */
export function table1(): Reproduction {
  const forecasters = DIMENSIONS.map((dimension) => createMedianForecaster(dimension));
  const known = new Map<string, number>();
  const needed = (make: Variant, degrees: readonly number[], column: number, target: number): string => {
    const players = Math.min(
      ...degrees.map((degree) => {
        const parameters = make(degree, DIMENSIONS[column]);
        // Both targets ask about the same first counts of players.
        const excessRisk = (count: number): number => {
          const key = `${parameters.digest} ${count}`;
          const found = known.get(key) ?? forecasters[column](parameters, count).excessRisk;
          known.set(key, found);
          return found;
        };
        return playersUntil(target, excessRisk);
      }),
    );
    return Number.isFinite(players) ? players.toExponential(0) : 'none';
  };
  return {
    title:
      'players for an excess risk ½E‖w − x‖ of at most α, ε = 1, δ = 1e-6, ‖w‖ ≤ 1 (Wang, Smith, Xu 2020, table 1)',
    columns: ['method', 'α', ...DIMENSIONS.map((dimension) => `p = ${dimension}`)],
    rows: [
      ...TARGETS.map((target) => [
        'this paper, algorithm 3 as printed',
        String(target),
        ...DIMENSIONS.map(() => 'none'),
      ]),
      ...VARIANTS.flatMap(([methods, degrees, make]) => {
        const cells = TARGETS.map((target) => DIMENSIONS.map((_, column) => needed(make, degrees, column, target)));
        return methods.flatMap((method) => TARGETS.map((target, row) => [method, String(target), ...cells[row]]));
      }),
      ...orderRows(LIPSCHITZ_ORDERS),
    ],
    notes: [
      ...ORDER_NOTE,
      'As printed: exact, not measured. Its expected gradient is 0, so that it wanders by noise alone about the start, whose excess',
      `risk, whatever the number of players, is ${forecasters.map((forecast, i) => forecast(printedAt(DIMENSIONS[i]), 1).excessRisk.toFixed(2)).join(', ')}.`,
      'The others: forecast, the exact moments of the reference population plus noise with the covariance of the mechanism, through',
      'the server; test/theory/forecast-median.long.test.ts holds it against simulated players. Averaged copies have the law of one',
      'Gaussian copy, so that their rows are the same (degree 0); lifted: the better of degrees 0 and 1.',
      'Reference population: four fifths of the points uniform in a ball of radius ¼ around 0.7e₁, a fifth at −e₁. The mean without',
      'noise has an excess risk of .048, .042, .040, .039: Gaussian copies reach it and little more, lifted falls to 0.',
    ],
  };
}
