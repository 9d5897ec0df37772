import { checkInteger } from '../../../src/check/number.ts';
import { RefusedValue } from '../../../src/check/refusal.ts';
import { type ChannelTally, reportTally } from '../../../src/core/channel.ts';
import { modelIntervals } from '../../../src/inference/model-interval.ts';
import { normalCdf, normalQuantile } from '../../../src/numeric/normal.ts';
import type { CorrectedMoments } from '../../../src/optimize/corrected-risk.ts';
import { createLift } from '../../../src/polynomial/lift.ts';
import { bernoulli, fillSphere } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import type { MarginLoss } from '../../../src/risk/margin-loss.ts';
import type { MarginLaw, StudyForecastQuery } from '../../../src/simulation/study.ts';
import { type Uncertainty, uncertaintyOf } from '../../../src/simulation/uncertainty.ts';
import { channelOf } from './channels.ts';
import type { ChannelParameters, MarginParameters, SphericalParameters } from './parameters.ts';
import type { MarginEstimate, MarginQuery } from './query.ts';
import { type ForecastQuery, MEMBERS, publicPopulation, type ReferencePopulation } from './reference-population.ts';

/** Least probability of [−1, 1] under a normal law that is held to it. */
const LEAST_INSIDE = 1e-3;

/**
 * The population that a declared law of margins stands for, for forecasts.
 *
 * Law: a signed record v = y·x has length 1; ⟨e₁, v⟩ = ±t with t of the declared law and − with the probability of a wrong label;
 * what is left of v is uniform on the sphere across e₁, so that E v is along e₁. The margins are quantiles at equal steps, not draws. With one
 * coordinate v is t itself.
 *
 * @throws TypeError or RangeError naming the field: a share of wrong labels outside [0, ½), margins outside [−1, 1], or a normal law
 * with less than a thousandth of its probability there.
 */
export function declaredPopulation(dimension: number, { margin, labelNoise }: MarginLaw): ReferencePopulation {
  checkInteger('dimension', dimension, 1);
  if (!(labelNoise >= 0 && labelNoise < 0.5)) {
    throw new RefusedValue(`"label-noise" expected a number from 0 to below 0.5, got ${labelNoise}`);
  }
  const quantile = quantileOf(margin);
  const random = seededRandom(`declared population ${dimension}`);
  const records = new Float64Array(MEMBERS * dimension);
  for (let i = 0; i < MEMBERS; i++) {
    const record = records.subarray(i * dimension, (i + 1) * dimension);
    const along = quantile((i + 0.5) / MEMBERS);
    const across = record.subarray(1);
    if (dimension > 1) fillSphere(across, random);
    const rest = Math.sqrt(1 - along ** 2);
    for (let j = 0; j < across.length; j++) across[j] *= rest;
    record[0] = along;
    if (bernoulli(labelNoise, random)) for (let j = 0; j < dimension; j++) record[j] = -record[j];
  }
  return { dimension, members: MEMBERS, records };
}

/** The population that a study is told: public records, or a declared law; nothing where it is told neither. */
export function forecastPopulation(
  dimension: number,
  { records, declared }: Pick<StudyForecastQuery, 'records' | 'declared'>,
): Pick<ForecastQuery, 'population'> {
  if (records !== undefined) return { population: publicPopulation(records) };
  return declared === undefined ? {} : { population: declaredPopulation(dimension, declared) };
}

/** The quantiles of a margin. */
function quantileOf(margin: MarginLaw['margin']): (share: number) => number {
  if (margin.law === 'uniform') {
    const { low, high } = margin;
    if (!(low >= -1 && low < high && high <= 1)) {
      throw new RefusedValue(`"margins" expected uniform:LOW,HIGH with -1 <= LOW < HIGH <= 1, got ${low},${high}`);
    }
    return (share) => low + share * (high - low);
  }
  const { mean, deviation } = margin;
  const [below, within] = [normalCdf((-1 - mean) / deviation), normalCdf((1 - mean) / deviation)];
  if (!(deviation > 0 && within - below >= LEAST_INSIDE)) {
    throw new RefusedValue(
      `"margins" expected normal:MEAN,SD with SD > 0 and margins between -1 and 1, got ${mean},${deviation}`,
    );
  }
  return (share) => Math.max(-1, Math.min(1, mean + deviation * normalQuantile(below + share * (within - below))));
}

/** What an estimate was asked with. */
export interface UncertaintyQuery extends Pick<MarginQuery, 'decoder' | 'intercept'> {
  /** The loss f of the margin. */
  readonly loss: MarginLoss;
}

/**
 * What the noise of the reports leaves open about a model that was found from them: see `modelIntervals`. Noisy copies that the
 * server walked through one by one are averaged for it.
 *
 * Shape: coins come from the digest and the number of reports, both public: everybody finds the same intervals.
 *
 * @throws RangeError for a tally without reports.
 */
export function marginUncertainty(
  parameters: ChannelParameters,
  tally: ChannelTally,
  { w }: Pick<MarginEstimate, 'w'>,
  { loss, intercept, decoder }: UncertaintyQuery,
): Uncertainty {
  const moments = hasPowers(parameters)
    ? channelOf(parameters).decode(tally, decoder === undefined || decoder === 'product' ? {} : { decoder })
    : meanOf(parameters, tally);
  const random = seededRandom(`${parameters.digest} uncertainty of ${tally.players} reports`);
  const { risk, effect, of } = modelIntervals(moments, { w, loss, intercept }, random);
  return uncertaintyOf(tally.players, { risk, effect, what: EFFECTS[of] });
}

const EFFECTS = {
  sides: 'the mean score of the positive records minus that of the negative ones is',
  margin: 'the mean margin y⟨w, x⟩ is',
} as const;

const hasPowers = (parameters: ChannelParameters): parameters is MarginParameters => 'degree' in parameters;

/** The mean of reports whose noise is symmetric, with the variance that they show themselves. */
function meanOf({ dimension }: SphericalParameters, tally: ChannelTally): CorrectedMoments {
  const { players, values: reports } = reportTally(tally);
  const values = new Float64Array(dimension);
  let squares = 0;
  for (let i = 0; i < players * dimension; i++) {
    values[i % dimension] += reports[i] / players;
    squares += reports[i] ** 2;
  }
  const noise = squares / dimension / players ** 2;
  return { lift: createLift(dimension, 1), values, noise: Float64Array.of(noise), players };
}
