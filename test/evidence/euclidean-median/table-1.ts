import {
  createMedianForecaster,
  type euclideanMedianParameters,
  gaussian,
  lifted,
  printed,
} from 'ldpkit/protocols/euclidean-median';
import { playersUntil } from 'ldpkit/simulate';
import type { Reproduction } from '../experiment/experiment.ts';
import { TABLE_DIMENSIONS, tableRows } from '../shared/players-table.ts';
import { LIPSCHITZ_ORDERS, ORDER_NOTE, orderRows } from '../shared/printed-orders.ts';

const DELTA = 1e-6;

type Variant = (degree: number, dimension: number) => ReturnType<typeof euclideanMedianParameters>;

const oneCopy: Variant = (degree, dimension) => gaussian({ epsilon: 1, delta: DELTA, degree, dimension });

// The best of the degrees counts. A Gaussian copy gains nothing from more than degree 0 at these targets.
const METHODS: readonly (readonly [method: string, degrees: readonly number[], make: Variant])[] = [
  ['copies, exact budget, averaged', [0], oneCopy],
  ['one Gaussian copy', [0], oneCopy],
  ['lifted, pure ε', [0, 1], (degree, dimension) => lifted({ epsilon: 1, degree, dimension })],
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
  const forecasters = TABLE_DIMENSIONS.map((dimension) => createMedianForecaster(dimension));
  const known = new Map<string, number>();
  const neededBy = (degrees: readonly number[], make: Variant) => (column: number, target: number) =>
    Math.min(
      ...degrees.map((degree) => {
        const parameters = make(degree, TABLE_DIMENSIONS[column]);
        // Both targets ask about the same first counts of players, and copies what one copy does.
        const excessRisk = (count: number): number => {
          const key = `${parameters.digest} ${count}`;
          const found = known.get(key) ?? forecasters[column](parameters, count).excessRisk;
          known.set(key, found);
          return found;
        };
        return playersUntil(target, excessRisk);
      }),
    );
  return {
    title:
      'players for an excess risk ½E‖w − x‖ of at most α, ε = 1, δ = 1e-6, ‖w‖ ≤ 1 (Wang, Smith, Xu 2020, table 1)',
    columns: ['method', 'α', ...TABLE_DIMENSIONS.map((dimension) => `p = ${dimension}`)],
    rows: [
      ...tableRows([
        ['this paper, algorithm 3 as printed', () => Infinity],
        ...METHODS.map(([method, ...how]) => [method, neededBy(...how)] as const),
      ]),
      ...orderRows(LIPSCHITZ_ORDERS),
    ],
    notes: [
      ...ORDER_NOTE,
      'As printed: exact, not measured. Its expected gradient is 0, so that it wanders by noise alone about the start, whose excess',
      `risk, whatever the number of players, is ${forecasters.map((forecast, i) => forecast(printedAt(TABLE_DIMENSIONS[i]), 1).excessRisk.toFixed(2)).join(', ')}.`,
      'The others: forecast, the exact moments of the reference population plus noise with the covariance of the mechanism, through',
      'the server; test/theory/forecast-median.long.test.ts holds it against simulated players. Averaged copies have the law of one',
      'Gaussian copy, so that their rows are the same (degree 0); lifted: the better of degrees 0 and 1.',
      'Reference population: four fifths of the points uniform in a ball of radius ¼ around 0.7e₁, a fifth at −e₁. The mean without',
      'noise has an excess risk of .048, .042, .040, .039: Gaussian copies reach it and little more, lifted falls to 0.',
    ],
  };
}
