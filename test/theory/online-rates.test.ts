// Theorems 3 to 6 of the non-asymptotic paper: exponents, and bounds against each other. Errors are held against them by the
// validations online-last-iterate, online-average, online-last-loss, online-average-loss and online-start.

import { expect, test } from '@jest/globals';
import { gdp } from '../../protocols/online-sgd/parameters.ts';
import {
  lastIterateBound,
  lastIterateRate,
  lastLossBound,
  omega,
  powerIntegral,
  rateExponents,
} from '../evidence/online-sgd/bounds.ts';

const BOUND = 4;
const RATE = 0.5;

test.each([1 / 3, 1 / 2, 2 / 3])('at α = %f the bounds are of the size of their leading terms, and finite', (decay) => {
  const plan = gdp({
    model: { kind: 'response', loss: 'squared', features: 1, clip: BOUND },
    mu: 8,
    rate: RATE,
    decay,
    inference: [],
  });
  for (const steps of [500, 4000]) {
    const fields = { steps, rate: RATE, decay, gradientBound: BOUND, omega: omega(plan), start: 0.04 };
    // The limit of the recursion is half the printed term.
    expect(lastIterateBound(fields, 1 / 3) / lastIterateRate(fields, 1 / 3)).toBeGreaterThan(0.5);
    expect(lastIterateBound(fields, 1 / 3) / lastIterateRate(fields, 1 / 3)).toBeLessThan(1.2);
    // A number at every α, at ½ too, where the printed bound is infinite: between 4.5 and 12.2 here.
    expect(lastLossBound(fields, 1)).toBeGreaterThan(4.4);
    expect(lastLossBound(fields, 1)).toBeLessThan(12.2);
  }
});

test('the exponents are those of table 1, and the integral of powers has no gap at 0', () => {
  const third = rateExponents(1 / 3);
  expect([third.last, third.average, third.lastLoss, third.averageLoss]).toEqual([1 / 3, 2 / 3, 0, 1 / 3]);
  const half = rateExponents(1 / 2);
  expect([half.last, half.average, half.lastLoss, half.averageLoss]).toEqual([1 / 2, 1, 1 / 4, 1 / 2]);
  const twoThirds = rateExponents(2 / 3);
  expect([twoThirds.last, twoThirds.average, twoThirds.lastLoss]).toEqual([2 / 3, 1, 1 / 3]);
  expect(twoThirds.averageLoss).toBeCloseTo(1 / 3, 15);
  expect(rateExponents(0.9).lastLoss).toBeCloseTo(0.1, 15);
  expect(rateExponents(0.2).lastLoss).toBeUndefined();
  expect(powerIntegral(1e-12, 7)).toBeCloseTo(powerIntegral(0, 7), 9);
  expect(powerIntegral(0.5, 9)).toBeCloseTo(4, 12);
  expect(() => rateExponents(1)).toThrow(/^"decay" expected a number strictly/);
});
