import { checkInteger } from '../../../src/check/number.ts';
import { RefusedValue } from '../../../src/check/refusal.ts';
import { normalCdf, normalQuantile } from '../../../src/numeric/normal.ts';
import { fillSphere } from '../../../src/random/normal.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { bernoulli } from '../../../src/random/uniform.ts';
import type { MarginLaw } from '../../../src/simulation/margin-law.ts';
import type { StudyForecastQuery } from '../../../src/simulation/study.ts';
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
