import type { Player } from '../../../src/core/contract.ts';
import { createValues, type Values } from '../../../src/core/frame.ts';
import { randomizeUnit } from '../../../src/core/unit-report.ts';
import { randomizeDiscreteGaussian } from '../../../src/mechanism/discrete-gaussian.ts';
import { exactCoin } from '../../../src/mechanism/exact-coin.ts';
import { createScratch, reserve } from '../../../src/numeric/scratch.ts';
import { fillNormal } from '../../../src/random/normal.ts';
import type { Random } from '../../../src/random/random.ts';
import { uniformInteger } from '../../../src/random/uniform.ts';
import { clipSamples } from '../scalar/local-mean.ts';
import type { UserDatum, UserLevelReport } from '../scalar/types.ts';
import { answerCoordinates } from './coordinate-round.ts';
import { fillLocalMean, localProduct } from './local-vector.ts';
import { fillRotationRow } from './rotation.ts';
import type { ResidualRound, SignRound, VectorRound } from './round.ts';

const { max, min, sqrt } = Math;

/** A zeroed report to write into. */
export function createVectorReport({ precision, length }: VectorRound): UserLevelReport {
  return { values: createValues(precision, length) };
}

/**
 * One player's randomized report.
 *
 * Shape, by round: signs, for each coordinate that is answered, 2·(number of the threshold) + (1 for above), the number counted over
 * all coordinates where one is answered, else within the coordinate; residuals, the report of the mechanism; coordinates, see `CoordinateRound`.
 *
 * @throws TypeError or RangeError for samples outside the domain; the message never contains their values.
 */
function randomize(round: VectorRound, datum: UserDatum, random: Random): UserLevelReport {
  const report = createVectorReport(round);
  randomizeInto(round, datum, random, report);
  return report;
}

/**
 * {@link randomize} over a report made before; the same coins, the same report.
 *
 * @throws RangeError besides for a report of another length.
 */
function randomizeInto(round: VectorRound, datum: UserDatum, random: Random, report: UserLevelReport): void {
  const { values } = report;
  if (values.length !== round.length) {
    throw new RangeError(`"report" expected ${round.length} values, got ${values.length}`);
  }
  if (round.kind === 'residual') answerResidual(round, datum, random, values);
  else if (round.kind === 'coordinate') answerCoordinates(round, datum, random, values);
  else if (round.answers === 'all') answerAll(round, datum, random, values);
  else answerOne(round, datum, random, values);
}

// Scratch of the kernels, kept between calls and overwritten by each.
const rows = /* @__PURE__ */ createScratch(64);
const means = /* @__PURE__ */ createScratch(64);
const normals = /* @__PURE__ */ createScratch(64);

/** One row of the rotation is enough: the local mean itself is never formed. */
function answerOne(round: SignRound, datum: UserDatum, random: Random, values: Values): void {
  const row = reserve(rows, round.dimension);
  const threshold = uniformInteger(2 * round.size, random);
  fillRotationRow(round.rotation!, threshold >> 1, row);
  const above = localProduct(round, datum, row) >= round.thresholds[threshold];
  values[0] = 2 * threshold + (exactCoin(round.coin.keep, random) === above ? 1 : 0);
}

function answerAll(round: SignRound, datum: UserDatum, random: Random, values: Values): void {
  const mean = reserve(means, round.dimension);
  fillLocalMean(round, datum, mean);
  for (let j = 0; j < round.size; j++) {
    const which = uniformInteger(2, random);
    const above = mean[j] >= round.thresholds[2 * j + which];
    values[j] = 2 * which + (exactCoin(round.coin.keep, random) === above ? 1 : 0);
  }
}

function answerResidual(round: ResidualRound, datum: UserDatum, random: Random, values: Values): void {
  const { dimension, centre, radius, mechanism } = round;
  const mean = reserve(means, dimension + 1);
  fillLocalMean(round, datum, mean);
  let squared = 0;
  for (let i = 0; i < dimension; i++) {
    mean[i] -= centre[i];
    squared += mean[i] * mean[i];
  }
  // A hair inside the ball, by more than the rounding of so many squares, so that no sum of them leaves it.
  const factor = min(1 / radius, 1 / sqrt(squared)) * (1 - max(2 ** -40, (dimension + 4) * 2 ** -52));
  let length = 0;
  for (let i = 0; i < dimension; i++) {
    mean[i] *= factor;
    length += mean[i] * mean[i];
  }
  if (mechanism !== undefined) {
    // The length is private too: one more coordinate completes it to exactly 1.
    mean[dimension] = sqrt(1 - length);
    randomizeUnit(mechanism, mean, values, random);
  } else if (round.noise !== undefined) {
    randomizeDiscreteGaussian(
      round.noise,
      dimension === mean.length ? mean : mean.subarray(0, dimension),
      values as Int32Array,
      random,
    );
  } else {
    const noise = reserve(normals, dimension);
    fillNormal(noise, random, 0, dimension);
    for (let i = 0; i < dimension; i++) values[i] = mean[i] + round.sigma! * noise[i];
  }
}

/** The player of vector plans. */
export const vectorPlayer: Player<VectorRound, UserDatum, UserLevelReport> = {
  randomize,
  randomizeInto,
  clip: (round, datum) => clipSamples(round, datum, round.domain),
};
