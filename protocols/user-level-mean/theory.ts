import { checkInteger } from '../../src/check/refusal.ts';
import type { Expectation, Theory } from '../../src/core/contract.ts';
import { normalCdf, normalDensity } from '../../src/numeric/normal.ts';
import { certificate as certificateOf } from '../../src/privacy/certificate.ts';
import { normal, type Random, uniform, uniformInteger } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { type UserLevelMeanPlan, VARIANT_TABLE, type VariantTable, variantOf } from './parameters.ts';
import type { BinQuestion } from './scalar/question.ts';
import { checkSpread, isVector } from './shape.ts';
import { locateEach } from './vector/coordinate-location.ts';
import { type LocationModel, longestOf, type SignCounts } from './vector/location.ts';
import { clippedMean, clipRadius, residualNoise } from './vector/residual-round.ts';
import { binDoubt, shrunkVariance, type TwoRoundVectorPlan, type UnitPilot } from './vector/two-round.ts';
import type { VectorPlan } from './vector/vector.ts';

const { max, min, round, sqrt } = Math;

/** The claims about the plans of a table of variants, and what to expect of them. */
export function meanTheory(variants: VariantTable): Theory<UserLevelMeanPlan> {
  return {
    guarantee(plan) {
      const chosen = variantOf(variants, plan);
      return chosen.holds?.(plan) ?? chosen.claimed(plan);
    },
    certificate(plan) {
      const { protocol, variant } = plan;
      const chosen = variantOf(variants, plan);
      const releases = chosen.releases(plan);
      const alternatives = releases.length > 1 && chosen.answers(plan) === 1;
      return certificateOf({ protocol, variant, releases, claimed: chosen.claimed(plan), alternatives });
    },
    neighbourDistance: (plan) => variantOf(variants, plan).neighbourDistance(plan),
    forecast(plan, setting): Expectation {
      const players = checkInteger('players', setting.players, 1);
      const spread = setting.spread === undefined ? publicSpread(plan) : checkSpread(setting.spread, plan.bound);
      const what = 'root mean squared ℓ₂ error of the mean, in the unit of the samples';
      const shape = plan.variant === 'oneBit' && plan.skew === undefined ? ' and of no skewness' : '';
      const pair = isVector(plan) && plan.variant === 'twoRound' ? plan : undefined;
      const apart = pair === undefined ? '' : ', uncorrelated';
      const alike = `samples with coordinates of standard deviation ${spread}${shape}${apart}, all players alike, and`;
      if (plan.variant === 'vector' || plan.variant === 'coordinates') {
        const error = sqrt(forecastSquaredError({ ...plan, players }, spread));
        const assumption = `${alike} a mean anywhere in the middle half of the range, whose coordinates are uncorrelated`;
        return { what, assumption, error, floor: 0 };
      }
      const { playersNeeded, error, floor } = variantOf(variants, plan).expected({ ...plan, players }, spread);
      const clipped = pair === undefined ? error : errorByClip({ ...pair, players }, spread, error);
      const within = isVector(plan) ? clipped : max(floor, withinBound(error, plan.bound));
      const enough =
        pair?.pilot.kind === 'unit'
          ? 'a mean anywhere in the middle half of the range'
          : 'enough of them to find the mean roughly';
      const few = `too few of them to search for it: below ${playersNeeded} players the error counts on searches that fail`;
      return { what, assumption: `${alike} ${playersNeeded === undefined ? enough : few}`, error: within, floor };
    },
  };
}

/** Places of the mean that a forecast averages over, for an estimate that lies in the range. */
const PLACES = 64;

/**
 * The error of a normal estimate after the nearest point of [−B, B] was taken, for a mean μ anywhere in the middle half of the
 * range: few players and much noise lead outside, and nobody's data lie there.
 *
 * Law: the mean of 2·E[min(σZ, B − μ)²; Z > 0] over μ, both sides being alike;
 * E[min(Z, a)²; Z > 0] = Φ(a) − ½ − a·φ(a) + a²·(1 − Φ(a)).
 */
export function withinBound(error: number, bound: number): number {
  let sum = 0;
  for (let place = 0; place < PLACES; place++) {
    const far = (bound * (0.5 + (place + 0.5) / PLACES)) / error;
    const beyond = normalCdf(-far);
    // Close to 0 the first three are nothing but rounding: their sum is an eighth of far³.
    sum += (far < 1e-4 ? 0 : 0.5 - beyond - far * normalDensity(far)) + far * far * beyond;
  }
  return error * sqrt((2 * sum) / PLACES);
}

/** s, if the plan has it; otherwise a quarter of its largest possible value: rounds are planned for that or, in several dimensions, for a half. */
function publicSpread(plan: UserLevelMeanPlan): number {
  const { samples, bound, dimension } = plan;
  if (isVector(plan)) {
    const stated = 'model' in plan && plan.model.deviation === plan.model.largestDeviation;
    if (stated) return plan.model.deviation * sqrt((samples * plan.size) / dimension);
    return bound / 4 / (plan.domain === 'ball' ? sqrt(dimension) : 1);
  }
  return 'deviation' in plan && plan.deviation !== undefined ? plan.deviation * sqrt(samples) : bound / 4;
}

/**
 * The claims about one player's transcript over all rounds: guarantee, certificate with every release, forecast.
 * @theorem slides User-level privacy, user-level LDP
 * @theorem slides Algorithm, round 2, noise
 * @theorem slides Theorem, two-round estimator, privacy
 * @theorem slides Theorem, multivariate case, privacy
 */
export const theory: Theory<UserLevelMeanPlan> = /* @__PURE__ */ meanTheory(VARIANT_TABLE);

/** Coordinates that are played: so many at a time, until their mean squared error is known to this share of it. */
const PLAYED = 320;
const MOST_PLAYED = 1920;
const KNOWN = 0.15;

/** With fewer bits n·κ²/D for a coordinate finding τ costs as much as finding it: groups are played, so many in all. */
const FEW_BITS = 200;
const GROUPED = 96;
const LARGEST_GROUP = 32;

/** Centres that are put together from them, for a round of residuals. */
const CENTRES = 100;

/** Counts of a larger variance are drawn as a normal number. */
const NORMAL_VARIANCE = 20;

/**
 * The error to expect of two rounds, with what the clip of the second one leaves of the error δ of the
 * centre; every coordinate is found.
 *
 * All players have the same δ. Where it is longer than on average, more of it is clipped than the estimate counts on, and
 * no number of players makes up for that. It matters where a bin is wide beside the deviation of local means. The coordinates
 * of δ are drawn: normal where frequencies tell the place in a bin, uniform where the bin alone is known.
 */
function errorByClip(plan: TwoRoundVectorPlan, spread: number, expected: number): number {
  const { dimension, size, players, samples, shares, pilot, residual, model } = plan;
  const deviation = spread / sqrt(samples);
  // Bins tell how much local means vary; after unit vectors round 2 goes by what the plan says of it.
  const taken = pilot.kind === 'bin' ? deviation : model.deviation * sqrt(size / dimension);
  const reports = shares[1] * players;
  const random = seededRandom('forecast of two rounds');
  const draw =
    pilot.kind === 'bin' ? binCentre(plan, pilot.question, deviation, random) : unitCentre(plan, pilot, taken, random);
  const count = pilot.kind === 'bin' ? size : dimension;
  let squared = 0;
  for (let i = 0; i < CENTRES; i++) {
    let [stated, square] = [0, 0];
    for (let j = 0; j < count; j++) {
      const [error, off] = draw();
      stated += error / count;
      square += off ** 2 / count;
    }
    const found = { dimension, centreError: sqrt(stated), deviation: taken };
    const radius = clipRadius(plan, found);
    const { contraction, error, weight } = residualNoise(residual, { ...found, radius }, reports);
    const variance = error ** 2 + (deviation ** 2 - taken ** 2) / reports;
    const distance = sqrt(dimension * square);
    const through = clippedMean(dimension, distance, deviation, radius);
    squared += dimension * weight ** 2 * variance + (distance - (weight / contraction) * through) ** 2;
  }
  // Bins may lose a coordinate.
  return max(pilot.kind === 'bin' ? expected : 0, sqrt(squared / CENTRES));
}

/** The variance that is stated of a coordinate of a centre, and how far it is off. */
type Drawn = () => readonly [variance: number, off: number];

function binCentre(plan: TwoRoundVectorPlan, question: BinQuestion, deviation: number, random: Random): Drawn {
  const { dimension, size, shares, players } = plan;
  const reports = (shares[0] * players) / size;
  const { width, variance, slopes } = binDoubt(question, reports, deviation * sqrt(dimension / size));
  return () => {
    const told = variance / slopes[uniformInteger(slopes.length, random)];
    const error = 1 / (12 / (width * width) + 1 / told);
    return [error, sqrt(error) * (told < 2 * error ? normal(random) : sqrt(12) * (uniform(random) - 0.5))];
  };
}

/** A mean of unit vectors, shrunk: as for coordinates anywhere in the middle half of their range, of which it knows a third at least. */
function unitCentre(plan: TwoRoundVectorPlan, { residual }: UnitPilot, deviation: number, random: Random): Drawn {
  const { dimension, shares, players, domain } = plan;
  const radius = longestOf(domain, plan);
  const noise = (radius * radius * residual.coordinateVariance + deviation * deviation) / (shares[0] * players);
  const among = (radius * radius) / dimension;
  const kept = among / (among + 12 * noise);
  const stated = shrunkVariance(noise, among, kept);
  return () => [stated, sqrt(noise * kept) * normal(random)];
}

/** A coordinate: its distance from the posterior mean, the posterior variance and the fourth central moment. */
type Played = { readonly off: number; readonly variance: number; readonly fourth: number };

/**
 * The mean squared ℓ₂ error to expect of a plan whose samples have uncorrelated coordinates of standard deviation s around
 * means anywhere in the middle half of the range.
 *
 * Rounds of signs are played, with counts in the place of players: a closed form knows the error of a coordinate that
 * was found, but not how often one is lost, which decides where s is small against the bound. The posterior variances
 * are averaged, whose mean is that of the squared errors and varies much less. The same plan has always the same
 * forecast: the coins are fixed and public.
 */
function forecastSquaredError(plan: VectorPlan, spread: number): number {
  const { dimension, size, samples, players, shares, residual, coin } = plan;
  const local = spread / sqrt(samples);
  const tau = local * sqrt(dimension / size);
  const random = seededRandom('forecast of a plan of signs');
  const rounds = residual === undefined ? shares : shares.slice(0, -1);
  const few = answersOf(plan) * players * coin.contrast ** 2 < FEW_BITS;
  const group = few ? min(size, LARGEST_GROUP) : 1;
  const [least, most] = few ? [GROUPED, GROUPED] : [PLAYED, MOST_PLAYED];
  const played: Played[] = [];
  let variance = 0;
  do {
    for (let i = 0; i < least; i += group) played.push(...playGroup(plan, rounds, { group, tau, known: !few }, random));
    variance = played.reduce((sum, one) => sum + one.variance, 0) / played.length;
  } while (played.length < most && uncertainty(played, variance) > KNOWN * variance);
  if (residual === undefined) return dimension * variance;
  const reports = players * shares[shares.length - 1];
  let error = 0;
  for (let i = 0; i < CENTRES; i++) {
    const coordinates = Array.from({ length: size }, () => played[uniformInteger(played.length, random)]);
    error += residualSquaredError(plan, coordinates, local, reports) / CENTRES;
  }
  return error;
}

/** The standard error of a mean of posterior variances. */
function uncertainty(played: readonly Played[], mean: number): number {
  return sqrt(played.reduce((sum, one) => sum + (one.variance - mean) ** 2, 0)) / played.length;
}

function answersOf({ answers, size }: Pick<VectorPlan, 'answers' | 'size'>): number {
  return answers === 'all' ? 1 : 1 / size;
}

/** Coordinates of deviation τ, somewhere in the middle half of their range, through rounds with these shares. */
function playGroup(
  plan: VectorPlan,
  shares: readonly number[],
  { group, tau, known }: { readonly group: number; readonly tau: number; readonly known: boolean },
  random: Random,
): readonly Played[] {
  const { size, answers, players, coin } = plan;
  const { largestSpread } = plan.model;
  const alone = answers === 'all' || size === 1;
  // The rotated coordinates of a mean with uniform coordinates are nearly normal; their deviation is found from all.
  const theta = Array.from({ length: group }, () =>
    alone ? largestSpread * (uniform(random) - 0.5) : (largestSpread / sqrt(12)) * normal(random),
  );
  const found = alone ? largestSpread : largestSpread * sqrt((4 + size / 12) / (4 + size));
  const model: LocationModel = known
    ? { ...plan.model, largestSpread: found, deviation: tau, largestDeviation: tau }
    : plan.model;
  const finished: SignCounts[] = [];
  for (const [index, share] of shares.entries()) {
    const { quartiles } = locateEach(model, finished, group, shares.length - index);
    const counts = theta.flatMap((at, j) => {
      const reports = count(round(players * share), answersOf(plan), random);
      const first = count(reports, 0.5, random);
      return [first, reports - first].flatMap((signs, q) => {
        const above = 0.5 + coin.contrast * (normalCdf((at - quartiles[2 * j + q]) / tau) - 0.5);
        const said = count(signs, above, random);
        return [signs - said, said];
      });
    });
    finished.push({ thresholds: quartiles, counts });
  }
  const { mean, error, fourth } = locateEach(model, finished, group, 0);
  return theta.map((at, j) => ({ off: at - mean[j], variance: error[j] ** 2, fourth: fourth![j] }));
}

/** The number of heads of `coins` coins, each with this probability. */
function count(coins: number, probability: number, random: Random): number {
  const variance = coins * probability * (1 - probability);
  if (variance > NORMAL_VARIANCE) {
    return min(coins, max(0, round(coins * probability + sqrt(variance) * normal(random))));
  }
  const rare = max(min(probability, 1 - probability), Number.MIN_VALUE);
  let heads = 0;
  // A few coins one after the other; rare heads among many by their distances.
  const distance = (): number => -Math.log(1 - uniform(random)) / rare;
  if (coins <= 1000) for (let i = 0; i < coins; i++) heads += uniform(random) < rare ? 1 : 0;
  else for (let at = distance(); at < coins; at += distance()) heads++;
  return probability < 0.5 ? heads : coins - heads;
}

/** The mean squared error of a round of residuals around a centre that is off by these coordinates. */
function residualSquaredError(
  plan: VectorPlan,
  coordinates: readonly Played[],
  local: number,
  reports: number,
): number {
  const { dimension, size, residual } = plan;
  const part = dimension / size;
  let [off, variance, excess] = [0, 0, 0];
  for (const one of coordinates) {
    off += one.off ** 2;
    variance += one.variance;
    excess += one.fourth - one.variance ** 2;
  }
  const stated = variance / size;
  const reach = sqrt(dimension * (stated + excess / (size * size * stated)));
  const found = { dimension, centreError: sqrt(stated), deviation: local, reach };
  const radius = clipRadius(plan, found);
  const { contraction, error, weight } = residualNoise(residual!, { ...found, radius }, reports);
  const distance = sqrt(part * off);
  const through = clippedMean(dimension, distance, local, radius);
  const left = distance - (weight / contraction) * through;
  return left * left + dimension * (weight * error) ** 2;
}
