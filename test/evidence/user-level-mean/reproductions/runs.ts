import { digestOf, type Json, seededRandom } from 'ldpkit';
import { normal } from 'ldpkit/mechanism';
import { analyticGaussianSigma } from 'ldpkit/privacy';
import {
  type UserLevelMeanPlan,
  type UserLevelMeanRequest,
  userLevelMean,
  userLevelMeanPlan,
} from 'ldpkit/protocols/user-level-mean';
import { conduct } from 'ldpkit/simulate';
import { replicationsOf } from 'ldpkit/testing';
import { drawPlayers, type Source } from './populations.ts';

const { sqrt } = Math;

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
  /** m of the plan that is told s, where players have different numbers of samples: their harmonic mean. */
  readonly harmonic: number;
  /** Replications of a part. */
  readonly runs: number;
}

/** Squared ℓ₂ errors, scheme after scheme and run after run. */
export interface TwoRoundsPart {
  readonly [name: string]: Json;
  readonly squares: readonly (readonly number[])[];
}

/** A way to estimate the mean. */
export interface Scheme {
  readonly name: string;
  readonly guarantee: 'pure ε' | '(ε, δ)';
  /** What it asks of the planner, besides the setting; without it, the scheme is drawn by its law. */
  readonly request?: { readonly maker: string; readonly delta?: number };
  /** Whether it is told s. */
  readonly told?: boolean;
}

/** The schemes of the tables, in their order. */
export const SCHEMES: readonly Scheme[] = [
  { name: 'naive', guarantee: '(ε, δ)' },
  { name: 'printed', guarantee: '(ε, δ)', request: { maker: 'printed', delta: DELTA } },
  { name: 'twoRound', guarantee: 'pure ε', request: { maker: 'twoRound' } },
  { name: 'twoRound, s stated', guarantee: 'pure ε', request: { maker: 'twoRound' }, told: true },
  { name: 'vector', guarantee: 'pure ε', request: { maker: 'vector' } },
  { name: 'coordinates', guarantee: 'pure ε', request: { maker: 'coordinates' } },
];

/** The plan of a scheme in a setting; undefined for the naive one, which has none in several dimensions. */
export function schemePlan({ request, told }: Scheme, setting: TwoRoundsSetting): UserLevelMeanPlan | undefined {
  if (request === undefined) return undefined;
  const { source, dimension, players, samples, epsilon, spread, harmonic } = setting;
  const domain = source === 'departures' ? 'ball' : 'box';
  const known = told === true ? { spread, samples: harmonic } : { samples };
  return userLevelMeanPlan({ ...request, dimension, players, epsilon, domain, ...known } as UserLevelMeanRequest);
}

/** One part: each run draws its players, and every scheme asks them. */
export function twoRoundsPart(setting: TwoRoundsSetting, part: number, seed: string): TwoRoundsPart {
  const { dimension: d, players, epsilon, source } = setting;
  const plans = SCHEMES.map((scheme) => schemePlan(scheme, setting));
  const { from, to } = replicationsOf(part, setting.runs);
  const key = `${seed} ${digestOf(setting)}`;
  const squares: number[][] = SCHEMES.map(() => []);
  for (let run = from; run < to; run++) {
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
          : conduct(userLevelMean, plan, population, { seed: `${key} ${run}` }).estimate.mean;
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
export function twoRoundsProbe(setting: TwoRoundsSetting): TwoRoundsSetting {
  return { ...setting, runs: 1, players: 1000 };
}
