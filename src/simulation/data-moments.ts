import { checkInteger, refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';
import { createLift } from '../polynomial/lift.ts';
import {
  addPowers,
  createPowerBlock,
  flushPowers,
  type PowerSumLayout,
  powerSumLayout,
} from '../polynomial/power-sums.ts';
import type { SeededRandom } from '../random/seeded.ts';
import { bernoulli } from '../random/uniform.ts';

/** Which moments of which vectors v of R^p a law of sums needs. Plain data. */
export interface MomentNeed {
  /** What v is, in words. */
  readonly what: string;
  /** p. */
  readonly dimension: number;
  /** J ≥ 1: moments up to degree 2J. */
  readonly degree: number;
  /** Whether they have to be those of all players' vectors, and not of a part chosen at random. */
  readonly all: boolean;
}

/**
 * Sums over the records of a simulation, computed once and used for every ε, variant, share and repetition. They are those
 * of the data in the clear: what a simulation may know, and no server does. Plain data; merged by `mergeMoments`.
 */
export interface DataMoments extends Omit<MomentNeed, 'all'> {
  /** How many records there are. */
  records: number;
  /** How many of them, chosen at random, the sums of monomials are of. */
  chosen: number;
  /**
   * Sums of the distinct monomials of degree 1 to 2J of the chosen v, in the order of a `PowerSumLayout`; where a part was
   * chosen, 0 for odd degrees.
   */
  readonly sums: Float64Array;
  /** Σ v·vᵀ over all records: the lower triangle of a p × p matrix, row by row. */
  readonly squares: Float64Array;
  /** Σ ‖v‖^{4k} over all records, k = 1 … J. */
  readonly norms: Float64Array;
}

/**
 * No moments yet.
 *
 * @throws TypeError or RangeError for a dimension or a degree that no lift has.
 */
export function emptyMoments({ what, dimension, degree }: MomentNeed): DataMoments {
  const { size } = layoutOf({ dimension, degree });
  return {
    ...{ what, dimension, degree, records: 0, chosen: 0 },
    sums: new Float64Array(size),
    squares: new Float64Array((dimension * (dimension + 1)) / 2),
    norms: new Float64Array(degree),
  };
}

/** What is added to moments: the vectors of some players, one after the other. */
export interface MomentRange {
  /** v of one player; valid until the next call. */
  vector(index: number): ArrayLike<number>;
  /** First player. */
  readonly from: number;
  /** One past the last player. */
  readonly to: number;
  /** The probability with which the monomials of a player are summed; 1 for all of them. */
  readonly share: number;
}

/** Adds the vectors of a range of players. The coins only choose whose monomials are summed; none for a share of 1. */
export function addMoments(moments: DataMoments, range: MomentRange, random: SeededRandom): void {
  const { dimension, degree, sums, squares, norms } = moments;
  const layout = layoutOf(moments);
  // Of a part, only single powers are asked for: their products have even degrees.
  const even = Array.from({ length: degree }, (_, k) => 2 * k + 2);
  const block = createPowerBlock(layout, range.share < 1 ? even : undefined);
  for (let index = range.from; index < range.to; index++) {
    const v = range.vector(index);
    let squared = 0;
    for (let i = 0, k = 0; i < dimension; i++) {
      squared += v[i] * v[i];
      for (let j = 0; j <= i; j++) squares[k++] += v[i] * v[j];
    }
    for (let k = 0, power = 1; k < degree; k++) norms[k] += power *= squared * squared;
    if (!bernoulli(range.share, random)) continue;
    moments.chosen++;
    addPowers(layout, v, 1, block, sums);
  }
  flushPowers(layout, block, sums);
  moments.records += range.to - range.from;
}

/** Adds other moments of the same vectors. */
export function mergeMoments(total: DataMoments, other: DataMoments): void {
  for (const name of ['sums', 'squares', 'norms'] as const) {
    for (let i = 0; i < total[name].length; i++) total[name][i] += other[name][i];
  }
  total.records += other.records;
  total.chosen += other.chosen;
}

// Tables by dimension and degree: every block of players needs the same ones.
const layouts = new Map<string, PowerSumLayout>();

/** Where the sums of these moments are. */
export function layoutOf({ dimension, degree }: Pick<DataMoments, 'dimension' | 'degree'>): PowerSumLayout {
  const key = `${dimension} ${degree}`;
  const known = layouts.get(key) ?? powerSumLayout(createLift(dimension, degree));
  layouts.set(key, known);
  return known;
}

/**
 * Refuses moments of other vectors, or of none.
 *
 * @throws TypeError or RangeError.
 */
export function checkMoments(moments: DataMoments, { what, dimension }: MomentNeed): void {
  if (moments.what !== what) throw new RefusedValue(refusal('moments.what', `those of ${what}`, moments.what));
  checkInteger('moments.dimension', moments.dimension, dimension, dimension);
  checkInteger('moments.chosen', moments.chosen, 1);
}
