import { type PlainRequest, type Random, seededRandom } from 'ldpkit';
import {
  averageIterate,
  batchMeansCovariance,
  gradientSecondMoment,
  normalIntervals,
  packedLength,
  sandwich,
  unpackSymmetric,
} from 'ldpkit/inference';
import {
  type OnlinePlan,
  type OnlineQuery,
  type OnlineState,
  onlineSgd,
  streamReplication,
} from 'ldpkit/protocols/online-sgd';
import { type ClearSums, printedCovariance, watched } from '../curator.ts';
import { batchEnds, batchMeansOf } from './known-horizon-batches.ts';
import { linearPopulation } from './population.ts';

/** Level of all intervals. */
const LEVEL = 0.95;

/** κ₁ of every plug-in, and κ₂ of the printed one: the paper names neither. */
const FLOOR = 0.01;

/** Methods of the rows, in the order of the numbers. The third of private streams needs a release of its own. */
export const PRIVATE_METHODS = [
  'random scaling',
  'plug-in',
  'plug-in, Hessian released',
  'plug-in as printed (central)',
  'batch means',
  'batch means, online',
] as const;

/** Without privacy the Hessian is known. */
export const CLEAR_METHODS = ['random scaling', 'plug-in', 'batch means', 'batch means, online'] as const;

/** Average, and half the length of the interval of every method, by coordinate, at every checkpoint. */
export type CoverageRow = { readonly theta: readonly number[]; readonly halves: readonly (readonly number[])[] };

/** Streams of one budget. */
export type CoverageSetting = {
  readonly request: PlainRequest;
  readonly deviation: number;
  readonly checkpoints: readonly number[];
  readonly batches: number;
  readonly size: number;
};

/** Rows by replication and checkpoint. */
export type CoverageChunk = readonly (readonly CoverageRow[])[];

/** What a replication is made of. */
export interface CoverageStream {
  readonly plan: OnlinePlan;
  readonly deviation: number;
  readonly checkpoints: readonly number[];
  /** M of batch means with a known horizon. */
  readonly batches: number;
  readonly seed: string;
}

/** One replication: a row for every checkpoint. */
export function coverageRows(stream: CoverageStream): readonly CoverageRow[] {
  const { plan, checkpoints, batches, seed } = stream;
  const players = checkpoints[checkpoints.length - 1];
  const ends = checkpoints.map((n) => batchEnds(n, plan.decay, batches));
  const times = [...new Set([...ends.flat(), ...checkpoints])].sort((a, b) => a - b);
  const sums = new Map<number, Float64Array>();
  const size = packedLength(plan.model.dimension);
  const clear = { hessian: new Float64Array(size), gradient: new Float64Array(size) };
  const coins = seededRandom(`${seed}/printed`);
  const rows: CoverageRow[] = [];
  streamReplication(watched(clear), {
    plan,
    population: linearPopulation(plan.model.features, stream.deviation),
    players,
    seed,
    checkpoints: times,
    look(n, state) {
      const theta = averageIterate(state.scaling);
      sums.set(
        n,
        theta.map((entry) => entry * n),
      );
      const at = checkpoints.indexOf(n);
      if (at < 0) return;
      const covariance = batchMeansOf(ends[at], sums);
      const halves = halvesOf(plan, state, clear, covariance, coins);
      rows.push({ theta: [...theta], halves });
    },
  });
  return rows;
}

function halvesOf(
  plan: OnlinePlan,
  state: OnlineState,
  clear: ClearSums,
  batches: Float64Array,
  coins: Random,
): readonly (readonly number[])[] {
  const { asked, normal } = halfLengths(plan, state);
  const { steps } = state.scaling;
  const plugIns =
    plan.noise.law === 'none'
      ? [normal(clearSandwich(plan, state, clear))]
      : [
          asked({ method: 'plug-in', hessian: 'regression', hessianFloor: FLOOR }),
          asked({ method: 'plug-in', hessian: 'released', hessianFloor: FLOOR }),
          normal(printedCovariance(plan, steps, clear, FLOOR, coins)),
        ];
  // Not asked of the estimate, which refuses the few batches of short streams.
  const online = batchMeansCovariance(state.batchMeans!);
  return [asked({ method: 'random scaling' }), ...plugIns, normal(batches), normal(online)];
}

/** Half the lengths of the intervals of a state: of those that are asked for, and of normal ones by a covariance. */
export function halfLengths(plan: OnlinePlan, state: OnlineState) {
  const { scaling } = state;
  const theta = averageIterate(scaling);
  return {
    asked: (query: OnlineQuery): number[] =>
      onlineSgd.server
        .estimate(plan, state, { level: LEVEL, ...query })
        .intervals.map(([low, high]) => (high - low) / 2),
    normal: (covariance: Float64Array): number[] =>
      normalIntervals(theta, covariance, scaling.steps, { level: LEVEL }).map(({ low, high }) => (high - low) / 2),
  };
}

/** The plug-in of a stream without privacy: the Hessian of every player at the iterate it met. */
function clearSandwich({ model }: OnlinePlan, { released, steps }: OnlineState, { hessian }: ClearSums): Float64Array {
  const { dimension } = model;
  return sandwich({
    dimension,
    hessian: unpackSymmetric(hessian, dimension, 1 / steps),
    gradient: gradientSecondMoment(released!),
    hessianFloor: FLOOR,
  }).covariance;
}
