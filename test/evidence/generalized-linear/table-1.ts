import { logisticLoss, lossByName } from 'ldpkit/optimize';
import { copies, fitOf, gaussian, lifted } from 'ldpkit/protocols/generalized-linear';
import type { Reproduction } from '../experiment/experiment.ts';
import { type Method, playersRows, TABLE_DIMENSIONS } from '../shared/players-table.ts';
import { ORDER_NOTE, orderRows, SMOOTH_ORDERS } from '../shared/printed-orders.ts';

const DELTA = 1e-6;

const METHODS: readonly Method[] = [
  ['copies, averaged', (dimension) => copies({ epsilon: 1, delta: DELTA, degree: 1, dimension })],
  ['one Gaussian copy', (dimension) => gaussian({ epsilon: 1, delta: DELTA, degree: 1, dimension })],
  ['lifted, pure ε', (dimension) => lifted({ epsilon: 1, degree: 1, dimension })],
];

const named = (loss: string): readonly Method[] => METHODS.map(([method, make]) => [`${loss} loss: ${method}`, make]);

/**
 * The rows of table 1 for a smooth generalized linear loss and for linear regression, with numbers in the place of orders.
 *
 * Source: Wang, Smith, Xu 2020, table 1 (rows of linear regression and of 1-Lipschitz convex generalized linear losses).
 * @theorem noninteractive Table 1
 */
export function table1(): Reproduction {
  const [logistic, squared] = [logisticLoss(), lossByName('squared')];
  const rowsOf = (name: string, loss: typeof logistic) =>
    playersRows(named(name), loss, (parameters) => fitOf(parameters, {}, loss, 1));
  return {
    title:
      'players for an excess risk of at most α, ε = 1, δ = 1e-6, ‖w‖ ≤ 1, degree 1 (Wang, Smith, Xu 2020, table 1)',
    columns: ['method', 'α', ...TABLE_DIMENSIONS.map((dimension) => `p = ${dimension}`)],
    rows: [...rowsOf('logistic', logistic), ...rowsOf('squared', squared), ...orderRows(SMOOTH_ORDERS)],
    notes: [
      ...ORDER_NOTE,
      'Linear regression is the squared loss ½(1 − t)², which is ½(y − ⟨w, x⟩)² for labels y = ±1: its polynomial has degree 1.',
      'All rows forecast as those of the hinge protocol; the logistic loss is flat, so that w = 0 is soon good enough.',
    ],
  };
}
