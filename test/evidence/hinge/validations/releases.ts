import { seededRandom } from 'ldpkit';
import { normal } from 'ldpkit/mechanism';
import { composeAdvanced, gdpEpsilon } from 'ldpkit/privacy';

const { exp, log, max, sqrt } = Math;

/** Gaussian releases of one player. */
export type ReleaseSetting = {
  /** k, releases of one player. */
  readonly count: number;
  /** ε₀ of each by the classical theorem. */
  readonly epsilon: number;
  /** Transcripts of a part. */
  readonly transcripts: number;
};

/** Sums of the weighted (1 − exp(ε − loss))₊ at the ε that Gaussian DP certifies at δ, and of its square. */
export type ReleasePart = { readonly sum: number; readonly squares: number };

/** δ of the whole. */
export const DELTA = 1e-6;

/** σ of one release of sensitivity 2 that is (ε₀, δ/2k) by the classical theorem. */
export const noiseOf = ({ count, epsilon }: ReleaseSetting): number =>
  (2 * sqrt(2 * log((1.25 * 2 * count) / DELTA))) / epsilon;

/** What each accounting certifies at δ. */
export function certified(setting: ReleaseSetting): {
  readonly basic: number;
  readonly advanced: number;
  readonly gdp: number;
} {
  const { count, epsilon } = setting;
  const delta = DELTA / (2 * count);
  return {
    basic: count * epsilon,
    advanced: composeAdvanced({ epsilon, delta, count, slack: DELTA / 2 }).epsilon,
    gdp: gdpEpsilon((sqrt(count) * 2) / noiseOf(setting), DELTA),
  };
}

/**
 * Losses of k releases of a number 1 against −1. A δ of 10⁻⁶ is too rare to be seen, so that every release is drawn about
 * 1 + shift and weighted with the ratio of the densities.
 */
export function releasePart(setting: ReleaseSetting, index: number, seed: string): ReleasePart {
  const { count, transcripts } = setting;
  const sigma = noiseOf(setting);
  const { gdp } = certified(setting);
  const mu = (2 * sqrt(count)) / sigma;
  // The mean loss becomes ε: half of the draws count.
  const shift = ((gdp / mu - mu / 2) * sigma) / sqrt(count);
  const random = seededRandom(`${seed}/composition/${count}/${index}`);
  let [sum, squares] = [0, 0];
  for (let i = 0; i < transcripts; i++) {
    let loss = 0;
    let weight = 0;
    for (let k = 0; k < count; k++) {
      const noise = shift + sigma * normal(random);
      loss += (2 * (1 + noise)) / (sigma * sigma);
      weight += (shift * (shift - 2 * noise)) / (2 * sigma * sigma);
    }
    const value = max(0, 1 - exp(gdp - loss)) * exp(weight);
    sum += value;
    squares += value * value;
  }
  return { sum, squares };
}
