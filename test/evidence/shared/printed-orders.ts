import { checkInteger, checkOpenUnit, checkPositive } from 'ldpkit';
import { TABLE_DIMENSIONS, TABLE_TARGETS } from './players-table.ts';

const { log, log10 } = Math;

/** For which accuracy, under which budget, in how many dimensions. */
export interface OrderQuery {
  /** α in (0, 1). */
  readonly target: number;
  /** ε > 0. The paper's table is for ε < ½. */
  readonly epsilon: number;
  /** p. */
  readonly dimension: number;
}

/** A row of table 1 by others: who, for which losses, and log₁₀ of the printed order of players. */
export interface PrintedOrder {
  readonly method: string;
  /** What the row assumes of the loss, in the paper's words. */
  readonly losses: string;
  /** log₁₀ of what stands between the brackets of Õ, Θ or O, every constant that is not printed being 1. */
  readonly players: (query: OrderQuery) => number;
}

const square = (query: OrderQuery): number => -2 * log10(query.epsilon);

/** Smith, Thakurta, Upadhyay 2017: exponential in p, for any 1-Lipschitz loss. */
export const LIPSCHITZ_ORDERS: readonly PrintedOrder[] = [
  {
    method: 'Smith et al. 2017, Claim 4',
    losses: '1-Lipschitz',
    players: (query) => query.dimension * log10(4) - (query.dimension + 2) * log10(query.target) + square(query),
  },
  {
    method: 'Smith et al. 2017, Theorem 10',
    losses: '1-Lipschitz and convex',
    players: (query) => query.dimension * log10(2) - (query.dimension + 1) * log10(query.target) + square(query),
  },
];

/** Linear regression by Smith et al., both rows of Wang, Gaboardi, Xu 2018 (Bernstein polynomials), and Zheng, Mou, Wang 2017. */
export const SMOOTH_ORDERS: readonly PrintedOrder[] = [
  {
    method: 'Smith et al. 2017',
    losses: 'linear regression',
    players: (query) => log10(query.dimension) - 2 * log10(query.target) + square(query),
  },
  {
    method: 'Wang et al. 2018',
    losses: '(8, T)-smooth; c = 1',
    // (c·p^¼)^p·α^−(2 + p/2)·ε⁻².
    players: ({ dimension: p, ...query }) =>
      (p / 4) * log10(p) - (2 + p / 2) * log10(query.target) + square({ ...query, dimension: p }),
  },
  {
    method: 'Wang et al. 2018',
    losses: '(∞, T)-smooth; D_p = 1',
    // 4^{p(p + 1)}·D_p²·ε⁻²·α⁻⁴.
    players: ({ dimension: p, ...query }) =>
      p * (p + 1) * log10(4) - 4 * log10(query.target) + square({ ...query, dimension: p }),
  },
  {
    method: 'Zheng et al. 2017',
    losses: 'smooth generalized linear',
    // p·(1/α)^(ln ln(1/α) + ln(1/ε)): the O of the exponent is left out too.
    players: ({ target, epsilon, dimension }) =>
      log10(dimension) - (log(log(1 / target)) + log(1 / epsilon)) * log10(target),
  },
];

/**
 * log₁₀ of the players of a printed order, with 1 in the place of all constants that it leaves open: an order, not a number of
 * players. Logarithmic factors, which Õ hides, are 1 too.
 *
 * Source: Wang, Smith, Xu 2020, table 1.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem noninteractive Table 1
 * @theorem noninteractive Theorem 1
 */
export function printedOrder({ players }: PrintedOrder, query: OrderQuery): number {
  const target = checkOpenUnit('target', query.target);
  const epsilon = checkPositive('epsilon', query.epsilon);
  const dimension = checkInteger('dimension', query.dimension, 1, 1_000_000);
  return players({ target, epsilon, dimension });
}

/** Rows of a table of players, at ε = 1: one for each order and target, marked as an order. */
export function orderRows(orders: readonly PrintedOrder[]): readonly (readonly string[])[] {
  return orders.flatMap((order) =>
    TABLE_TARGETS.map((target) => [
      `order only*: ${order.method}, ${order.losses}`,
      String(target),
      ...TABLE_DIMENSIONS.map((dimension) => `10^${printedOrder(order, { target, epsilon: 1, dimension }).toFixed(1)}`),
    ]),
  );
}

/** What the mark of {@link orderRows} means. */
export const ORDER_NOTE: readonly string[] = [
  '* The printed order with 1 in the place of every constant and logarithm that Õ, O, c or D_p leaves open, at ε = 1 (the paper’s',
  'table is for ε < ½): not a number of players, and not comparable with one of the rows that have constants.',
];
