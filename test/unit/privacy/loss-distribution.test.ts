import { describe, expect, test } from '@jest/globals';
import { gdpDelta } from '../../../src/privacy/gaussian.ts';
import {
  coarsened,
  composeLosses,
  gaussianLosses,
  type LossDistribution,
  lossDelta,
  responseLosses,
} from '../../../src/privacy/numeric-composition.ts';
import { answersDelta } from './randomized-response.ts';

/** The finite mass under P, and under Q = P·e^(−loss). */
function masses({ step, lowest, masses: given }: LossDistribution): [number, number] {
  let [here, there] = [0, 0];
  for (let i = 0; i < given.length; i++) {
    here += given[i];
    there += given[i] * Math.exp(-(lowest + i) * step);
  }
  return [here, there];
}

const off = 0.0137;
const cases: [string, LossDistribution, number][] = [
  ['randomized response on the grid', responseLosses({ epsilon: 1, delta: 0 }, 1 / 64), 0],
  ['randomized response off the grid', responseLosses({ epsilon: 1, delta: 0 }, off), 0],
  ['the worst (ε, δ) mechanism', responseLosses({ epsilon: 0.4, delta: 0.01 }, off), 0.01],
  ['a Gaussian release', gaussianLosses(0.7, off), 0],
  ['two of them', composeLosses(gaussianLosses(0.7, off), gaussianLosses(0.7, off / 4)), 0],
  ['a coarser grid', coarsened(coarsened(gaussianLosses(0.7, off))), 0],
];

describe('A distribution of privacy losses', () => {
  test.each(cases)('keeps the mass of both laws: %s', (_name, given, infinite) => {
    const [here, there] = masses(given);
    expect(here + given.infinite).toBeCloseTo(1, 13);
    // Losses far below 0 are rounded up, which takes at most their own mass from Q.
    expect(there).toBeCloseTo(1 - infinite, 12);
  });

  test('lies above the exact curve and touches it on the grid: randomized response', () => {
    const gaps: number[] = [];
    const given = responseLosses({ epsilon: 1, delta: 0 }, off);
    for (const at of [0, 10 * off, 72 * off]) gaps.push(lossDelta(given, at) / answersDelta(1, 1, at) - 1);
    expect(Math.max(...gaps)).toBeLessThan(1e-11);
    for (const at of [0.5 * off, 0.9999, 1]) gaps.push(lossDelta(given, at) - answersDelta(1, 1, at));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
    expect(lossDelta(given, 1)).toBeGreaterThan(0);
  });

  test('lies above the exact curve, more on a coarser grid: a Gaussian release', () => {
    const fine = gaussianLosses(1, 1 / 128);
    const coarse = coarsened(fine);
    for (const at of [0, 0.501, 2, 5, 8]) {
      const exact = gdpDelta(1, at);
      expect(lossDelta(fine, at)).toBeGreaterThanOrEqual(exact);
      expect(lossDelta(coarse, at)).toBeGreaterThanOrEqual(lossDelta(fine, at) * (1 - 1e-12));
      expect(lossDelta(coarse, at) / exact - 1).toBeLessThan(2e-3);
    }
  });

  test('control: losses rounded down fall below the exact curve', () => {
    const given = responseLosses({ epsilon: 1, delta: 0 }, off);
    const lowered = { ...given, lowest: given.lowest - 1 };
    expect(lossDelta(lowered, 0.5)).toBeLessThan(answersDelta(1, 1, 0.5));
  });

  test('adds up infinite losses as events', () => {
    const one = responseLosses({ epsilon: 1, delta: 0.1 }, 0.25);
    expect(composeLosses(one, one).infinite).toBeCloseTo(0.19, 15);
  });
});
