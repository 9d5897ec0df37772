import { digestOf, type Json, type Random, seededRandom } from 'ldpkit';
import { normalCdf, normalDensity } from 'ldpkit/inference';
import { fillNormal, normal, uniform } from 'ldpkit/mechanism';
import { analyticGaussianSigma } from 'ldpkit/privacy';
import { type UserLevelMeanRequest, userLevelMean, userLevelMeanPlan } from 'ldpkit/protocols/user-level-mean';
import { conduct } from 'ldpkit/simulate';
import { replicationsOf } from '../../experiment/experiment.ts';

const { max, min, sqrt } = Math;

/** Where samples come from. */
type Source = 'uniform' | 'clipped' | 'departures';

/** How many players, and how they are drawn. */
interface PopulationRequest {
  readonly source: Source;
  readonly dimension: number;
  readonly players: number;
  readonly samples: number;
  /** s of a coordinate of a sample; of `departures` it follows from the profile. */
  readonly spread: number;
}

/** Local means, player after player, and what is to be estimated. */
interface DrawnPlayers {
  readonly local: Float64Array;
  readonly truth: Float64Array;
}

/** The players of one run. */
export function drawPlayers(request: PopulationRequest, random: Random): DrawnPlayers {
  if (request.source === 'departures') return drawDepartures(request, random);
  return request.source === 'uniform' ? drawUniform(request, random) : drawClipped(request, random);
}

/** Means anywhere in [−½, ½]^d; the mean of m samples that are uniform around is drawn as a normal one, which at m = 5 it nearly is. */
function drawUniform({ dimension: d, players, samples, spread }: PopulationRequest, random: Random): DrawnPlayers {
  const truth = Float64Array.from({ length: d }, () => uniform(random) - 0.5);
  const local = new Float64Array(players * d);
  fillNormal(local, random);
  const deviation = spread / sqrt(samples);
  for (let i = 0; i < local.length; i++) local[i] = max(-1, min(1, truth[i % d] + deviation * local[i]));
  return { local, truth };
}

/** Normal samples clipped to [−1, 1] around centres anywhere in it: the mean of what is clipped is estimated. */
function drawClipped({ dimension: d, players, samples, spread }: PopulationRequest, random: Random): DrawnPlayers {
  const centre = Float64Array.from({ length: d }, () => 2 * uniform(random) - 1);
  const local = new Float64Array(players * d);
  for (let i = 0; i < local.length; i++) {
    for (let k = 0; k < samples; k++) {
      local[i] += max(-1, min(1, centre[i % d] + spread * normal(random))) / samples;
    }
  }
  return { local, truth: centre.map((c) => clippedMean(c, spread)) };
}

/** E of a normal variable clipped to [−1, 1]. */
export function clippedMean(centre: number, spread: number): number {
  const [low, high] = [(-1 - centre) / spread, (1 - centre) / spread];
  const inside = centre * (normalCdf(high) - normalCdf(low)) + spread * (normalDensity(low) - normalDensity(high));
  return inside + 1 - normalCdf(high) - normalCdf(low);
}

/**
 * Shares of the departures in the hours of a day, in 1/10,000, over 39,952 airport-days of the flights of vega-datasets, each counted
 * once; and twenty quantiles of how many departures an airport-day has.
 */
const DEPARTURES: readonly number[] = [
  18, 9, 2, 0, 5, 348, 1191, 689, 554, 476, 628, 554, 620, 788, 541, 637, 618, 623, 644, 503, 276, 165, 83, 30,
];

const FLIGHTS: readonly number[] = [1, 2, 3, 4, 4, 5, 6, 7, 9, 12, 16, 20, 30, 46, 61, 98, 142, 183, 304, 457];

/** Profiles of departures: each player has one of the numbers of flights, whose hours are drawn independently. */
function drawDepartures({ dimension: d, players }: PopulationRequest, random: Random): DrawnPlayers {
  const total = DEPARTURES.reduce((sum, share) => sum + share, 0);
  // One entry for each ten-thousandth of the flights, so that an hour is one look-up.
  const hours = Uint8Array.from(DEPARTURES.flatMap((share, hour) => new Array<number>(share).fill(hour)));
  const local = new Float64Array(players * d);
  for (let i = 0; i < players; i++) {
    const flights = FLIGHTS[i % FLIGHTS.length];
    for (let k = 0; k < flights; k++) local[i * d + hours[Math.floor(uniform(random) * total)]] += 1 / flights;
    // Rounding of the sum must not lead out of the ball.
    for (let j = i * d; j < (i + 1) * d; j++) local[j] = min(1, local[j]);
  }
  return { local, truth: Float64Array.from(DEPARTURES, (share) => share / total) };
}

/** δ of the schemes that need one. */
export const DELTA = 1e-6;

/** One setting, which all schemes meet on the same players. */
export interface TwoRoundsSetting {
  readonly [name: string]: Json;
  readonly source: Source;
  readonly dimension: number;
  readonly players: number;
  readonly samples: number;
  readonly epsilon: number;
  /** s of a coordinate of a sample. */
  readonly spread: number;
  /** m of the plan for which s is stated, where players have different numbers of samples: their harmonic mean. */
  readonly harmonic: number;
  /** Replications of a chunk. */
  readonly runs: number;
}

/** Squared ℓ₂ errors, scheme after scheme and run after run. */
export interface TwoRoundsChunk {
  readonly [name: string]: Json;
  readonly squares: readonly (readonly number[])[];
}

/** A way to estimate the mean. */
export interface Scheme {
  readonly name: string;
  readonly guarantee: 'pure ε' | '(ε, δ)';
  /** What it asks of the planner, besides the setting; without it, the scheme is drawn by its law. */
  readonly request?: { readonly variant: string; readonly delta?: number };
  /** Whether s is stated. */
  readonly stated?: boolean;
}

/** The schemes of the tables, in their order. */
export const SCHEMES: readonly Scheme[] = [
  { name: 'naive', guarantee: '(ε, δ)' },
  { name: 'printed', guarantee: '(ε, δ)', request: { variant: 'printed', delta: DELTA } },
  { name: 'twoRound', guarantee: 'pure ε', request: { variant: 'twoRound' } },
  { name: 'twoRound, s stated', guarantee: 'pure ε', request: { variant: 'twoRound' }, stated: true },
  { name: 'vector', guarantee: 'pure ε', request: { variant: 'vector' } },
  { name: 'coordinates', guarantee: 'pure ε', request: { variant: 'coordinates' } },
];

/** The plan of a scheme in a setting; undefined for the naive one, which has none in several dimensions. */
export function schemePlan(
  { request, stated }: Scheme,
  setting: TwoRoundsSetting,
): ReturnType<typeof userLevelMeanPlan> | undefined {
  if (request === undefined) return undefined;
  const { source, dimension, players, samples, epsilon, spread, harmonic } = setting;
  const domain = source === 'departures' ? 'ball' : 'box';
  const known = stated === true ? { spread, samples: harmonic } : { samples };
  return userLevelMeanPlan({ ...request, dimension, players, epsilon, domain, ...known } as UserLevelMeanRequest);
}

/** One chunk: each run draws its players, and every scheme asks them. */
export function twoRoundsChunk(
  setting: TwoRoundsSetting,
  chunk: number,
  seed: string,
  schemes: readonly Scheme[] = SCHEMES,
): TwoRoundsChunk {
  const { dimension: d, players, epsilon, source } = setting;
  const plans = schemes.map((scheme) => schemePlan(scheme, setting));
  const key = `${seed} ${digestOf(setting)}`;
  const squares: number[][] = schemes.map(() => []);
  for (const run of replicationsOf(chunk, setting.runs)) {
    const random = seededRandom(`${key} data ${run}`);
    const { local, truth } = drawPlayers(setting, random);
    const datum = { samples: local };
    const population = {
      players,
      datum(index: number) {
        datum.samples = local.subarray(index * d, (index + 1) * d);
        return datum;
      },
    };
    plans.forEach((plan, k) => {
      const mean =
        plan === undefined
          ? noisyMean(
              local,
              d,
              analyticGaussianSigma({ epsilon, delta: DELTA, sensitivity: naiveSensitivity(source, d) }),
              random,
            )
          : conduct(userLevelMean, plan, population, { seed: `${key} ${run}` }).estimate.unprojected;
      squares[k].push(truth.reduce((sum, value, j) => sum + (mean[j] - value) ** 2, 0));
    });
  }
  return { squares };
}

/** Two local means are at most so far apart in ℓ₂: opposite corners of the box, or ends of the ball. */
function naiveSensitivity(source: Source, dimension: number): number {
  return source === 'departures' ? 2 : 2 * sqrt(dimension);
}

/** The mean of local means with Gaussian noise each: the noise of the mean is drawn at once. */
function noisyMean(
  local: Float64Array,
  d: number,
  sigma: number,
  random: ReturnType<typeof seededRandom>,
): Float64Array {
  const players = local.length / d;
  const mean = Float64Array.from({ length: d }, () => (sigma / sqrt(players)) * normal(random));
  for (let i = 0; i < local.length; i++) mean[i % d] += local[i] / players;
  return mean;
}

/** The same, over in milliseconds. */
export function twoRoundsSmallRun(setting: TwoRoundsSetting): TwoRoundsSetting {
  return { ...setting, runs: 1, players: 1000 };
}
