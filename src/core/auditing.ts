import { fillNormal, fillSphere, type Random } from '../random/random.ts';

/** Two data of one player that an audit tries to tell apart by the report. */
export interface AuditPair<Datum> {
  /** How the pair was made, for example `antipodal`. It contains no value of a datum. */
  readonly name: string;
  /** The first datum. */
  readonly first: Datum;
  /** The second datum. */
  readonly second: Datum;
}

/**
 * The information that a protocol gives to an attacker of its player. All of it is public knowledge: candidate pairs,
 * the report as numbers, and the densities where they are known. A protocol without these can still be audited with a
 * pair and a view from the caller.
 */
export interface Auditing<Parameters, Datum, Report> {
  /**
   * Candidate pairs, sorted: the pair that is most likely the worst comes first. They are antipodal, orthogonal,
   * boundary (zero, edge) and random ones.
   */
  pairs(parameters: Parameters, random: Random): readonly AuditPair<Datum>[];
  /** The whole report as numbers, for a score that is learned. */
  view(parameters: Parameters, report: Report): ArrayLike<number>;
  /**
   * log P(report | first)/P(report | second) for a pair, as a function of the report; infinities are allowed. Absent
   * where no closed form is known, undefined for parameters without one.
   */
  logLikelihoodRatio?(parameters: Parameters, pair: AuditPair<Datum>): ((report: Report) => number) | undefined;
  /**
   * The probabilities of all outputs of a finite channel at a datum, in one order for every datum; undefined for
   * parameters that have infinitely many reports.
   */
  channel?(parameters: Parameters, datum: Datum): ArrayLike<number> | undefined;
}

/** Vectors of the unit ball from which the pairs of an audit are made. */
export interface AuditVectors {
  /** A random unit vector. */
  readonly unit: Float64Array;
  /** Its opposite. */
  readonly opposite: Float64Array;
  /** A unit vector orthogonal to it; absent in dimension 1. */
  readonly orthogonal?: Float64Array;
  /** The first axis, and its opposite. */
  readonly axis: readonly [Float64Array, Float64Array];
  /** The centre. */
  readonly zero: Float64Array;
  /** Two uniform vectors of the ball, each with one more entry in [−1, 1]. */
  readonly inside: readonly [Float64Array, Float64Array];
}

/** Antipodal, orthogonal, edge and random vectors of R^dimension. */
export function auditVectors(dimension: number, random: Random): AuditVectors {
  const unit = new Float64Array(dimension);
  fillSphere(unit, random);
  const zero = new Float64Array(dimension);
  const axis = zero.slice();
  axis[0] = 1;
  const minus = (vector: Float64Array): Float64Array => vector.map((entry) => 0 - entry);
  // The leading coordinates of a point of the sphere with two more dimensions are uniform in the ball.
  const inside = (): Float64Array => {
    const point = new Float64Array(dimension + 2);
    fillSphere(point, random);
    return point.slice(0, dimension + 1);
  };
  return {
    unit,
    opposite: minus(unit),
    ...(dimension > 1 ? { orthogonal: orthogonalTo(unit, random) } : {}),
    axis: [axis, minus(axis)],
    zero,
    inside: [inside(), inside()],
  };
}

function orthogonalTo(unit: Float64Array, random: Random): Float64Array {
  const other = new Float64Array(unit.length);
  fillNormal(other, random);
  // Two passes are enough: in the second pass nothing is left that could cancel.
  for (let round = 0; round < 2; round++) {
    const along = other.reduce((sum, entry, i) => sum + entry * unit[i], 0);
    for (let i = 0; i < unit.length; i++) other[i] -= along * unit[i];
    const norm = Math.sqrt(other.reduce((sum, entry) => sum + entry * entry, 0));
    for (let i = 0; i < unit.length; i++) other[i] /= norm;
  }
  return other;
}
