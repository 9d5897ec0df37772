import { ReportError } from '../../../src/check/report-error.ts';
import { momentTally } from '../../../src/core/channel.ts';
import type { Values } from '../../../src/core/frame.ts';
import { type ReportLimits, unitLimits } from '../../../src/core/influence.ts';
import { unitLogRatio } from '../../../src/core/likelihood.ts';
import { addUnitReport, unitRelease } from '../../../src/core/unit-report.ts';
import { completed } from '../../../src/core/vector-channel.ts';
import { expandKClosest } from '../../../src/mechanism/k-closest.ts';
import type { CorrectedMoments } from '../../../src/optimize/corrected-risk.ts';
import { euclideanNorm } from '../../../src/optimize/projection.ts';
import { createLiftedPolynomial, liftedNoiseNorm } from '../../../src/polynomial/lifted-polynomial.ts';
import { pure } from '../../../src/privacy/guarantee.ts';
import { nameOfVector } from './moments.ts';
import { NEIGHBOUR_DISTANCE, type SampledParameters } from './parameters.ts';
import type { MomentChannel } from './query.ts';

const { hypot, max, min, sqrt } = Math;

/**
 * Reports of one power of v each, at full norm: pure ε, and a tally of the sum of the reports of every power, followed by
 * how many there are of each.
 *
 * Law: k does not depend on the record, so given the counts n_k the reports of power k are those of n_k players drawn at
 * random. T_k is the sum of the reports of power k divided by n_k: its mean, given n_k ≥ 1, is that of sym^k(v) over the
 * players. Dividing by n·s_k instead would add (1 − s_k)/(n·s_k)·T_k² to the variance of every coordinate, for nothing. A
 * power that nobody reported stays 0, an error of at most 1.
 */
export function sampledChannel(parameters: SampledParameters): MomentChannel {
  const { epsilon, task, lift, shares, mechanisms, dimension } = parameters;
  const { degree, size, offsets } = lift;
  const coordinateVariances = mechanisms.map(({ coordinateVariance }) => coordinateVariance);
  const loudest = mechanisms[coordinateVariances.indexOf(max(...coordinateVariances))];
  const entries = (block: number): number => offsets[block + 1] - offsets[block];
  const expanded = new Float64Array(max(...mechanisms.map((mechanism) => mechanism.dimension)) + 1);
  return {
    guarantee: pure(epsilon),
    neighbourDistance: NEIGHBOUR_DISTANCE,
    releases: () => [
      unitRelease(`one of the powers 1 to ${degree} of ${nameOfVector(task)}, drawn independently of it`, loudest),
    ],
    limits: () => sampledLimits(parameters),
    moments: size + degree,
    add(values, sums) {
      const block = powerOf(values) - 1;
      addUnitReport(mechanisms[block], values, sums, offsets[block], offsets[block + 1]);
      sums[size + block]++;
    },
    ...(loudest.name === 'k-closest' ? { view: (values) => expand(parameters, values, expanded) } : {}),
    logRatio(first, second) {
      const ratios = mechanisms.map((mechanism, block) => {
        const [one, other] = [first, second].map((vector) =>
          completed(Float64Array.from(vector).subarray(offsets[block], offsets[block + 1]), entries(block)),
        );
        return unitLogRatio(mechanism, one, other);
      });
      // The power has the same probability under both records.
      return (values) => ratios[powerOf(values) - 1](values);
    },
    // On average over the coordinates of a power, the part of the records themselves is at most 1 in its D_j.
    normalNoise: true,
    coordinateNoise: (j) => (coordinateVariances[j - 1] + (1 - shares[j - 1]) / entries(j - 1)) / shares[j - 1],
    decode(tally) {
      const { players, sums } = momentTally(tally);
      const values = new Float64Array(size);
      const noise = new Float64Array(degree);
      for (let block = 0; block < degree; block++) {
        const count = sums[size + block];
        if (count === 0) {
          noise[block] = 1;
          continue;
        }
        for (let entry = offsets[block]; entry < offsets[block + 1]; entry++) values[entry] = sums[entry] / count;
        noise[block] = coordinateVariances[block] / count + (1 / count - 1 / players) / entries(block);
      }
      return { lift, values, noise, players };
    },
    // Exact for the noise; at most that for which players report which power, with E t^(2j) ≤ ‖w‖^(2j − 2)·E t².
    riskDeviation({ moments, coefficients, w, tally }) {
      const { players, sums } = momentTally(tally);
      const norm = euclideanNorm(Float64Array.from(w));
      const second = secondMargin(moments, w, norm, sums[size + 1]);
      let sum = 0;
      for (let j = 1; j <= coefficients.length; j++) {
        const count = sums[size + j - 1];
        const spread = count === players ? 0 : second / norm ** 2;
        const variance = count === 0 ? 1 : (coordinateVariances[j - 1] + spread) / count;
        if (norm > 0) sum += variance * ((coefficients[j - 1] / j) * norm ** j) ** 2;
      }
      return sqrt(sum);
    },
    decoderOf: () => 'sampled',
    // Of one report, whose power k counts 1/s_k times.
    variance(decoder, { coefficients, inner, norm, recordNorm, label, mean }) {
      if (decoder !== 'sampled') return undefined;
      let squares = 0;
      for (let k = 0; k < coefficients.length; k++) {
        const { coordinateVariance, alongVariance } = mechanisms[k];
        const along = ((label * inner) ** k * label * recordNorm) ** 2;
        const noise = coordinateVariance * liftedNoiseNorm(dimension, k, norm);
        squares += (coefficients[k] ** 2 / shares[k]) * (noise + (1 + alongVariance - coordinateVariance) * along);
      }
      return squares - mean * mean;
    },
  };
}

/** The power that a report says it carries: its last number. */
function powerOf(values: ArrayLike<number>): number {
  return values[values.length - 1];
}

/** E t² within [0, ‖w‖²] from the second power; ‖w‖² where nobody reported it. */
function secondMargin(moments: CorrectedMoments, w: ArrayLike<number>, norm: number, count: number): number {
  const { lift, values } = moments;
  if (lift.degree < 2 || count === 0) return norm ** 2;
  const only = Array.from({ length: lift.degree }, (_, block) => (block === 1 ? 1 : 0));
  return max(0, min(norm ** 2, createLiftedPolynomial(lift, only, values).value(w)));
}

/** The vector that a deployed report stands for, then zeros, then its power: as a report of a simulation. */
function expand({ mechanisms }: SampledParameters, values: Values, target: Float64Array): Float64Array {
  const power = powerOf(values);
  const mechanism = mechanisms[power - 1];
  target.fill(0);
  if (mechanism.name === 'k-closest') expandKClosest(mechanism, values, target);
  target[target.length - 1] = power;
  return target;
}

/**
 * What an accepted report may contain: a power, a report of its mechanism, and zeros in between.
 *
 * Law: a report adds its vector to the sums of one power, and 1 to the count of that power. Divided by the count, a report
 * of a rare power moves the moments of that power 1/s_k times as far as one that all players report.
 */
function sampledLimits({ mechanisms, shares, length }: SampledParameters): ReportLimits {
  const limits = mechanisms.map(unitLimits);
  const largest = (of: (limit: ReportLimits) => number): number => max(...limits.map(of));
  const reportNorm = largest(({ influence }) => influence.reportNorm);
  const honest = limits.reduce((sum, { influence }, block) => sum + shares[block] * influence.honestNorm ** 2, 0);
  const [{ influence }] = limits;
  return {
    influence: {
      reportNorm,
      bound: hypot(reportNorm, 1),
      honestNorm: sqrt(honest),
      honestRefusal: largest((limit) => limit.influence.honestRefusal),
      theorem: influence.theorem,
    },
    check(values) {
      const power = powerOf(values);
      if (!(Number.isInteger(power) && power >= 1 && power <= mechanisms.length)) {
        throw new ReportError(`"report" expected a power from 1 to ${mechanisms.length}`);
      }
      const mechanism = mechanisms[power - 1];
      if (mechanism.name === 'k-closest') {
        limits[power - 1].check(Array.from({ length: length - 1 }, (_, i) => values[i]));
        return;
      }
      limits[power - 1].check(values);
      for (let i = mechanism.dimension; i < length - 1; i++) {
        if (values[i] !== 0) throw new ReportError('"report" expected zeros after the vector of its power');
      }
    },
  };
}
