import { describe, expect, test } from '@jest/globals';
import { momentsSigma } from '../../protocols/influence-sgd/index.ts';
import { momentsEpsilon, sampledRenyi } from '../../protocols/influence-sgd/parameters.ts';
import { normalCdf } from '../../src/numeric/normal.ts';
import { gdpDelta } from '../../src/privacy/gaussian.ts';
import { uniform } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';

const { abs, exp, expm1, log, log1p, max, min, sqrt, PI, SQRT2 } = Math;

/**
 * D_α of one step on two data sets, by a sum over the real line: with probability q the record that differs is drawn, at 0 or 1, and
 * otherwise one of the others, all between 0 and 1. The noise has deviation s.
 */
function divergence(order: number, rate: number, s: number, others: readonly number[], swapped: boolean): number {
  const density = (x: number, centre: number): number => exp(-(((x - centre) / s) ** 2) / 2) / (s * sqrt(2 * PI));
  const spacing = s / 64;
  const end = 14 * s + order + 1;
  let sum = 0;
  for (let x = -end; x < end; x += spacing) {
    let rest = 0;
    for (const other of others) rest += density(x, other) / others.length;
    const first = (1 - rate) * rest + rate * density(x, swapped ? 1 : 0);
    const second = (1 - rate) * rest + rate * density(x, swapped ? 0 : 1);
    if (first > 1e-300 && second > 1e-300) sum += exp(order * log(first) + (1 - order) * log(second));
  }
  return log(sum * spacing) / (order - 1);
}

describe('the bound on a step whose records are drawn', () => {
  const settings = [0.5, 0.1, 0.01].flatMap((rate) =>
    [0.7, 1, 3].flatMap((s) => [1.5, 2, 4, 8].map((order) => ({ rate, s, order }))),
  );

  test('is not below any divergence of two data sets, and is reached where all other records are the same', () => {
    const random = seededRandom('others');
    let [largest, same, control] = [0, 0, 0];
    for (const [k, { rate, s, order }] of settings.entries()) {
      const bound = sampledRenyi(order, rate, s);
      const lower = sampledRenyi(order, 0.9 * rate, s);
      for (const others of [[0], [1], Array.from({ length: 1 + (k % 4) }, () => uniform(random))]) {
        for (const swapped of [false, true]) {
          const ratio = divergence(order, rate, s, others, swapped) / bound;
          largest = max(largest, ratio);
          if (others.length === 1 && others[0] < 1) same = max(same, ratio);
          control = max(control, (ratio * bound) / lower);
        }
      }
    }
    // Sums over the line are right to 1e-9 at least.
    expect(largest).toBeLessThan(1 + 1e-8);
    expect(same).toBeGreaterThan(0.999);
    // The control: a bound for fewer draws is broken.
    expect(control).toBeGreaterThan(1.05);
  });

  test('is that of a Gaussian release without drawing, and never above it', () => {
    for (const order of [1.05, 2, 8, 70]) {
      expect(sampledRenyi(order, 1, 2)).toBeCloseTo(order / 8, 14);
      // By the integral, with so little left out that it does not show.
      expect(sampledRenyi(order, 1 - 1e-13, 2) / (order / 8)).toBeCloseTo(1, 7);
      for (const { rate, s } of settings) expect(sampledRenyi(order, rate, s)).toBeLessThanOrEqual(order / (2 * s * s));
    }
    // The powers overflow, which says that drawing is of no use at this order.
    expect(sampledRenyi(1000, 1e-6, 2)).toBe(125);
  });

  test('is nowhere above the general bound for drawn subsets, and far below it for batches', () => {
    // Wang, Balle, Kasiviswanathan (2019), Theorem 9, for whole orders; its terms are far from overflow here.
    const general = (order: number, rate: number, s: number): number => {
      const base = (j: number): number => j / (2 * s * s);
      let choose = (order * (order - 1)) / 2;
      let sum = rate ** 2 * choose * min(4 * expm1(base(2)), 2 * exp(base(2)));
      for (let j = 3; j <= order; j++) {
        choose *= (order - j + 1) / j;
        sum += 2 * rate ** j * choose * exp((j - 1) * base(j));
      }
      return log1p(sum) / (order - 1);
    };
    let [largest, least] = [0, 1];
    for (const rate of [1e-4, 0.01, 0.1, 0.5]) {
      for (const s of [0.7, 1, 3, 20]) {
        for (const order of [2, 3, 5, 10, 20]) {
          const ratio = sampledRenyi(order, rate, s) / general(order, rate, s);
          largest = max(largest, ratio);
          least = min(least, ratio);
        }
      }
    }
    expect(largest).toBeLessThanOrEqual(1);
    expect(least).toBeLessThan(0.01);
  });

  test('for few draws is α·q²·∫_{x > 0} (dP/dQ − 1)² dQ', () => {
    for (const s of [0.5, 2, 50]) {
      const half = exp(1 / s / s) * normalCdf(1.5 / s) + 3 * normalCdf(-0.5 / s) - 2;
      for (const order of [1.5, 2, 3]) {
        expect(sampledRenyi(order, 1e-7, s) / (order * 1e-14 * half)).toBeCloseTo(1, 3);
      }
    }
    // The whole square would be e^(1/s²) − 1, which both halves share evenly only where steps are small.
    const ratio = (2 * (exp(1 / 2500) * normalCdf(0.03) + 3 * normalCdf(-0.01) - 2)) / expm1(1 / 2500);
    expect(abs(ratio - 1)).toBeLessThan(0.05);
  });

  test.each([
    [0, 0.1, 1],
    [1, 0.1, 1],
    [NaN, 0.1, 1],
    [2, 0, 1],
    [2, 0.1, 0],
    [2, 0.1, NaN],
  ])('refuses order %p, rate %p, multiplier %p', (order, rate, multiplier) => {
    expect(() => sampledRenyi(order, rate, multiplier)).toThrow(/^"(order|rate|multiplier)" expected/);
  });
});

test('the noise of many drawn steps is within 12 % above that of their normal limit', () => {
  const [records, delta] = [10_000, 1e-6];
  for (const batch of [100, 1000]) {
    for (const epsilon of [0.1, 1, 8]) {
      const steps = (records * 10) / batch;
      const sigma = momentsSigma({ records, batch, steps, lipschitz: batch / 2, epsilon, delta });
      const limit = (s: number): number =>
        SQRT2 * (batch / records) * sqrt(steps * (exp(1 / s / s) * normalCdf(1.5 / s) + 3 * normalCdf(-0.5 / s) - 2));
      // With that noise the limit is within the budget, and with 12 % less it is not.
      expect(gdpDelta(limit(sigma), epsilon)).toBeLessThan(delta);
      expect(gdpDelta(limit(sigma / 1.12), epsilon)).toBeGreaterThan(delta);
    }
  }
});

test('the least budgets have a noise too, which is enough', () => {
  const steps = { records: 20, batch: 1, steps: 8, lipschitz: 0.5 };
  for (const [epsilon, delta] of [
    [1e-10, 1e-6],
    [1e-10, 1e-300],
    [1e-4, 1e-9],
  ]) {
    const sigma = momentsSigma({ ...steps, epsilon, delta });
    expect(momentsEpsilon({ ...steps, sigma, delta })).toBeLessThanOrEqual(epsilon);
    // A necessary condition: to draw one of 20 hides less than to average 20, whose mean moves by a twentieth.
    expect(gdpDelta(1 / (20 * sigma), epsilon)).toBeLessThan(delta);
  }
});
