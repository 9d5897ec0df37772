import { seededRandom } from 'ldpkit';
import { fillNormal } from 'ldpkit/mechanism';
import type { Figure, FigurePoint } from 'ldpkit/testing';

const { abs, max, min, sqrt } = Math;

/** A sample, ascending. */
export type Empirical = Float64Array;

/** A sample from numbers in any order. */
export function empiricalOf(values: readonly number[]): Empirical {
  return Float64Array.from(values).sort();
}

/** Laws of functionals of a Brownian motion W on [0, 1], as large samples. */
export interface BrownianLaws {
  /** max |W(r)| over so many equidistant times. */
  readonly supremum: Empirical;
  /** ∫(W(r) − rW(1))² dr. */
  readonly bridge: Empirical;
}

const PATHS = 20_000;

/** Terms of Σ Z_k²/(πk)², the law of the square integral of a bridge; the mean of the others is added. */
const TERMS = 60;

/** The same laws on every call: their seed is their own. Kolmogorov distance to the exact ones: about .006. */
export function brownianLaws(looks: number): BrownianLaws {
  const random = seededRandom(`Brownian laws ${looks}`);
  const supremum = new Float64Array(PATHS);
  const bridge = new Float64Array(PATHS);
  const steps = new Float64Array(looks);
  const terms = new Float64Array(TERMS);
  const weights = Float64Array.from({ length: TERMS }, (_, k) => 1 / (Math.PI * (k + 1)) ** 2);
  const rest = 1 / 6 - weights.reduce((sum, weight) => sum + weight, 0);
  for (let path = 0; path < PATHS; path++) {
    fillNormal(steps, random);
    let place = 0;
    let largest = 0;
    for (let k = 0; k < looks; k++) {
      place += steps[k];
      largest = max(largest, abs(place));
    }
    supremum[path] = largest / sqrt(looks);
    fillNormal(terms, random);
    let sum = rest;
    for (let k = 0; k < TERMS; k++) sum += weights[k] * terms[k] ** 2;
    bridge[path] = sum;
  }
  return { supremum: supremum.sort(), bridge: bridge.sort() };
}

/** The share of a sample at or below x. */
function shareBelow(sample: Empirical, x: number): number {
  let [low, high] = [0, sample.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sample[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low / sample.length;
}

/** The largest distance of two distribution functions. */
export function largestGap(sample: Empirical, law: Empirical): number {
  let gap = 0;
  for (let k = 0; k < sample.length; k++) {
    const below = shareBelow(law, sample[k]);
    gap = max(gap, abs((k + 1) / sample.length - below), abs(k / sample.length - below));
  }
  return gap;
}

/** Both distribution functions, drawn. */
export function lawFigure(name: string, what: string, sample: Empirical, law: Empirical): Figure {
  const points = (of: Empirical): readonly FigurePoint[] =>
    Array.from({ length: 25 }, (_, k) => {
      const x = law[min(law.length - 1, Math.floor(((k + 0.5) / 25) * law.length))];
      return { x, y: shareBelow(of, x) };
    });
  const bars = points(sample).map(({ x, y }) => {
    const error = 2 * sqrt((y * (1 - y)) / sample.length);
    return { x, y, low: max(0, y - error), high: min(1, y + error) };
  });
  return {
    kind: 'curves',
    name,
    title: `${what}: distribution`,
    x: { label: what, logarithmic: false },
    y: { label: 'probability of no more', logarithmic: false },
    curves: [
      { name: 'measured', style: 0, dashed: false, points: bars },
      { name: 'of Brownian motion', style: 1, dashed: true, points: points(law) },
    ],
    levels: [],
  };
}
