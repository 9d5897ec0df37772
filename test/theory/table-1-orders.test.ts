// Table 1 of the noninteractive paper, rows of others: the printed orders with constants 1, against values computed by hand.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  LIPSCHITZ_ORDERS,
  type OrderQuery,
  orderRows,
  printedOrder,
  SMOOTH_ORDERS,
} from '../evidence/shared/printed-orders.ts';

const [claim4, theorem10] = LIPSCHITZ_ORDERS;
const [regression, someDerivatives, allDerivatives, zheng] = SMOOTH_ORDERS;
const players = (order: (typeof SMOOTH_ORDERS)[number], query: OrderQuery): number => 10 ** printedOrder(order, query);

describe('the printed orders of other papers', () => {
  // p = 5, α = 0.1, ε = ½: ε⁻² = 4.
  const query = { target: 0.1, epsilon: 0.5, dimension: 5 };

  test.each([
    ['Claim 4: 4⁵·10⁷·4', claim4, 4.096e10],
    ['Theorem 10: 2⁵·10⁶·4', theorem10, 1.28e8],
    ['linear regression: 5·10²·4', regression, 2000],
    // 5^(5/4) = 7.476744, 10^4.5 = 31622.78.
    ['(8, T)-smooth: 5^(5/4)·10^4.5·4', someDerivatives, 945741.6],
    // 4³⁰ = 1152921504606846976.
    ['(∞, T)-smooth: 4³⁰·10⁴·4', allDerivatives, 4.611686018427388e22],
    // ln ln 10 = 0.834032, ln 2 = 0.693147: 5·10^1.527179.
    ['Zheng et al.: 5·10^(ln ln 10 + ln 2)', zheng, 168.3254],
  ])('%s', (_, order, byHand) => {
    expect(players(order, query) / byHand).toBeCloseTo(1, 5);
  });

  test('refuse what they are not for', () => {
    expect(() => printedOrder(claim4, { ...query, target: 1 })).toThrow('"target" expected');
    expect(() => printedOrder(claim4, { ...query, epsilon: 0 })).toThrow('"epsilon" expected');
    expect(() => printedOrder(claim4, { ...query, dimension: 1.5 })).toThrow('"dimension" expected');
  });
});

test('rows of orders are marked as such', () => {
  const rows = orderRows(LIPSCHITZ_ORDERS);
  // At ε = 1: p = 2, 5, 10, 20. Claim 4 at α = 0.1: 16·10⁴, 1024·10⁷, 4¹⁰·10¹², 4²⁰·10²².
  expect(rows[0]).toEqual([
    'order only*: Smith et al. 2017, Claim 4, 1-Lipschitz',
    '0.1',
    '10^5.2',
    '10^10.0',
    '10^18.0',
    '10^34.0',
  ]);
});

// A table takes minutes: its forecasts are tested elsewhere.
test.each([
  ['hinge', 'LIPSCHITZ_ORDERS'],
  ['generalized-linear', 'SMOOTH_ORDERS'],
  ['euclidean-median', 'LIPSCHITZ_ORDERS'],
])('the table of %s has the rows and the note', (protocol, orders) => {
  const source = readFileSync(resolve(__dirname, `../evidence/${protocol}/table-1.ts`), 'utf8');
  expect(source).toContain(`...orderRows(${orders})`);
  expect(source).toContain('...ORDER_NOTE');
});
