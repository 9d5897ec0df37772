import { checkInteger, refusal } from '../../src/check/number.ts';
import { fillSphere } from '../../src/random/normal.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { uniform } from '../../src/random/uniform.ts';

const { round, sqrt } = Math;

/** Members of a reference population: enough for risks to three digits. */
const MEMBERS = 20_000;

/** Where the near points of the reference population are, and how far around. */
const CENTRE = 0.7;
const SPREAD = 0.25;

/**
 * Points made up for forecasts, before any data: a share `far` at −e₁, the others uniform in the ball of radius ¼ around 0.7e₁.
 * All of it is public; no player is in it.
 */
export interface PointPopulation {
  /** p. */
  readonly dimension: number;
  /** Number of members. */
  readonly members: number;
  /** The points, one after the other, the near ones first. */
  readonly points: Float64Array;
}

/**
 * The reference population of a dimension.
 *
 * Law: the mean of the points is (0.7 − 1.7·far)e₁; at w = 0 the excess risk is about .15, at the mean about .04 (far = .2).
 *
 * @throws TypeError or RangeError naming the field.
 */
export function pointPopulation(dimension: number, far: number = 0.2): PointPopulation {
  checkInteger('dimension', dimension, 1);
  if (!(far >= 0 && far < 0.5)) throw new RangeError(refusal('far', 'a share from 0 to below 0.5', far));
  const random = seededRandom(`reference points ${dimension}`);
  const points = new Float64Array(MEMBERS * dimension);
  const near = MEMBERS - round(far * MEMBERS);
  for (let i = 0; i < MEMBERS; i++) {
    const point = points.subarray(i * dimension, (i + 1) * dimension);
    if (i >= near) {
      point[0] = -1;
      continue;
    }
    fillSphere(point, random);
    const length = SPREAD * uniform(random) ** (1 / dimension);
    for (let j = 0; j < dimension; j++) point[j] *= length;
    point[0] += CENTRE;
  }
  return { dimension, members: MEMBERS, points };
}

/** The risk ½E‖w − x‖ of a place over the population. */
export function pointRisk({ dimension, members, points }: PointPopulation, w: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0, at = 0; i < members; i++) {
    let squared = 0;
    for (let j = 0; j < dimension; j++, at++) squared += (w[j] - points[at]) ** 2;
    sum += sqrt(squared);
  }
  return sum / (2 * members);
}
