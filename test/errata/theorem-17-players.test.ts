// docs/errata.md, theorem 17. Printed: n = O(d^{2d+2}·8^d·p³/(ε^{2d}α⁴)) players. What follows from the β² = Θ(C·d^{d+2}√8^d/(ε^d√n))
// that is printed beside it, and from the last lines of its proof: d^{2d+4}. (What reports need at all is another matter, see
// test/theory/forecast-median.long.test.ts: as printed the algorithm stays at its start.)
import { expect, test } from '@jest/globals';
import { sphereConstant } from '../../src/risk/convex-mixture.ts';

const { exp, log } = Math;
const [P, EPSILON, ALPHA] = [3, 1, 0.1];
const C = sphereConstant(P);

/** log of d^{2d+e}·8^d·C⁶/(ε^{2d}α⁴), C⁶ being of the order p³. */
const logPlayers = (degree: number, exponent: number): number =>
  (2 * degree + exponent) * log(degree) + degree * log(8) + 6 * log(C) - 2 * degree * log(EPSILON) - 4 * log(ALPHA);

/** What the proof says of n players, over α: C·σ/(β√n) + Cβ at its best β, which is the printed one; σ = C·d^{d+2}√8^d/ε^d. */
function errorOver(logN: number, degree: number): number {
  const logSigma = log(C) + (degree + 2) * log(degree) + 0.5 * degree * log(8) - degree * log(EPSILON);
  const logBeta = 0.5 * (logSigma - 0.5 * logN);
  return (C * exp(logSigma - logBeta - 0.5 * logN) + C * exp(logBeta)) / ALPHA;
}

const DEGREES = [2, 8, 20, 49];

test('with the printed n the error of the proof grows like √d over α: 2.8, 5.7, 8.9 and 14 times', () => {
  const ratios = DEGREES.map((degree) => errorOver(logPlayers(degree, 2), degree));
  DEGREES.forEach((degree, i) => {
    expect(ratios[i] / (2 * degree ** 0.5)).toBeCloseTo(1, 9);
  });
});

test('with d^{2d+4} it is a constant times α, whatever d', () => {
  for (const degree of DEGREES) expect(errorOver(logPlayers(degree, 4), degree)).toBeCloseTo(2, 9);
});
