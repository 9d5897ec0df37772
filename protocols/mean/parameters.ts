import {
  checkEpsilonRange,
  checkFinite,
  checkInteger,
  checkPositive,
  checkRange,
  checkWord,
  RefusedKind,
  RefusedValue,
} from '../../src/check/refusal.ts';
import type { PlainRequest } from '../../src/core/contract.ts';
import { type OneBitMean, oneBitMean } from '../../src/mechanism/categories.ts';
import { automaticKClosest, K_CLOSEST_WORDS, type KClosest } from '../../src/mechanism/k-closest.ts';

const { max, sqrt } = Math;

/** Names of the variants; which of them is the better one depends on the domain and on ε. */
export const VARIANTS: readonly string[] = ['oneBit', 'kClosest'];

/** Most coordinates, so that no server makes a device work for long. */
const MOST_COORDINATES = 4096;

/** What everybody knows before a collection. Plain data. */
export interface MeanSetting {
  /** `box`: every coordinate has public bounds; `ball`: the vector has a public largest ℓ₂ norm. */
  readonly domain: 'box' | 'ball';
  /** The bounds of each coordinate; −R and R in a ball. */
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  /** The randomizer: one coordinate through one bit, or the whole vector as a point of the sphere. */
  readonly mechanism: OneBitMean | KClosest;
}

/**
 * The setting of a request: `epsilon`, and `bounds` (a list of [lower, upper], one pair for each coordinate) or
 * `dimension` and `radius`; `variant` names a mechanism. Default: the one whose largest variance is the smaller one for
 * this domain and ε, which is known before anybody is asked.
 */
export function meanSetting({ epsilon: asked, bounds, dimension, radius, variant }: PlainRequest): MeanSetting {
  const epsilon = checkEpsilonRange(asked, 500);
  const ball = (dimension ?? radius) !== undefined;
  const place = ball && bounds === undefined ? ballOf(dimension, radius) : boxOf(bounds, ball);
  const settings = [oneBitMean({ epsilon }), automaticKClosest({ epsilon, dimension: place.lower.length + 1 })].map(
    (mechanism) => ({ ...place, mechanism }),
  );
  if (variant !== undefined) return settings[VARIANTS.indexOf(checkWord('variant', variant as string, VARIANTS))];
  const [oneBit, vector] = settings;
  return noiseOf(vector) < noiseOf(oneBit) ? vector : oneBit;
}

/** The variant of a setting. */
export function variantOf({ mechanism }: MeanSetting): string {
  return VARIANTS[mechanism.name === 'k-closest' ? 1 : 0];
}

/** How many numbers a report has. */
export function reportLength({ mechanism }: MeanSetting): number {
  return mechanism.name === 'k-closest' ? K_CLOSEST_WORDS : 1;
}

/** What 1 in the mechanism is, in halves of the bounds: the corners of a box are √d from its middle. */
export function reachOf({ domain, lower, mechanism }: MeanSetting): number {
  return mechanism.name === 'k-closest' && domain === 'box' ? sqrt(lower.length) : 1;
}

/** The largest variance of one report's estimate of a coordinate, over all data, where half of the bounds is 1. */
export function noiseOf(setting: MeanSetting): number {
  const { mechanism, lower } = setting;
  if (mechanism.name === 'k-closest') {
    return reachOf(setting) ** 2 * max(mechanism.alongVariance, mechanism.coordinateVariance);
  }
  return lower.length * mechanism.largestVariance;
}

type Place = Omit<MeanSetting, 'mechanism'>;

function ballOf(dimension: unknown, radius: unknown): Place {
  const count = checkInteger('dimension', dimension, 2, MOST_COORDINATES);
  // Its square has to be a double with all its digits: with few of them some vectors at the edge would be refused.
  const size = checkRange('radius', checkPositive('radius', radius), 1e-100, 1e100);
  const upper = new Array<number>(count).fill(size);
  return { domain: 'ball', lower: upper.map((bound) => -bound), upper };
}

function boxOf(bounds: unknown, ball: boolean): Place {
  if (ball || !Array.isArray(bounds) || !(bounds.length > 0 && bounds.length <= MOST_COORDINATES)) {
    const expected = `a list of 1 to ${MOST_COORDINATES} pairs, no dimension or radius`;
    throw new RefusedKind('bounds', expected, bounds);
  }
  const pairs = Array.from(bounds, (pair, j) => {
    const name = `bounds[${j}]`;
    if (!Array.isArray(pair) || pair.length !== 2) throw new RefusedKind(name, 'a pair [lower, upper]', pair);
    // −0 is no plain number in a digest.
    const [lower, upper] = pair.map((bound) => checkFinite(name, bound) + 0);
    const range = upper - lower;
    if (range > 0 && range < Infinity) return [lower, upper];
    throw new RefusedValue(`${name}[0]`, `a number below ${upper}`, lower);
  });
  return { domain: 'box', lower: pairs.map(([lower]) => lower), upper: pairs.map(([, upper]) => upper) };
}
