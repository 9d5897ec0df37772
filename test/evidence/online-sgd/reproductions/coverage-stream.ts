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
import { fillGradient, fillHessianFactor, type OnlineDatum } from 'ldpkit/optimize';
import {
  type OnlinePlan,
  type OnlineQuery,
  type OnlineState,
  type OnlineStep,
  onlineSgd,
  streamReplication,
} from 'ldpkit/protocols/online-sgd';
import { printedPlugIn } from '../printed-plug-in.ts';
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

/** Sums over what no server of a private stream sees. */
interface ClearSums {
  readonly hessian: Float64Array;
  readonly gradient: Float64Array;
}

/** One replication: a row for every checkpoint. */
export function coverageRows(stream: CoverageStream): readonly CoverageRow[] {
  const { plan, checkpoints, batches, seed } = stream;
  const players = checkpoints[checkpoints.length - 1];
  const ends = checkpoints.map((n) => batchEnds(n, plan.decay, batches));
  const times = [...new Set([...ends.flat(), ...checkpoints])].sort((a, b) => a - b);
  const sums = new Map<number, Float64Array>();
  const size = packedLength(plan.model.dimension);
  const clear: ClearSums = { hessian: new Float64Array(size), gradient: new Float64Array(size) };
  const coins = seededRandom(`${seed}/printed`);
  const rows: CoverageRow[] = [];
  streamReplication(observed(clear), {
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
  const asked = (query: OnlineQuery): number[] =>
    onlineSgd.server.estimate(plan, state, { level: LEVEL, ...query }).intervals.map(([low, high]) => (high - low) / 2);
  const theta = averageIterate(state.scaling);
  const { steps } = state.scaling;
  const normal = (covariance: Float64Array): number[] =>
    normalIntervals(theta, covariance, steps, { level: LEVEL }).map(({ low, high }) => (high - low) / 2);
  const plugIns =
    plan.noise.law === 'none'
      ? [normal(clearSandwich(plan, state, clear))]
      : [
          asked({ method: 'plug-in', hessian: 'regression', hessianFloor: FLOOR }),
          asked({ method: 'plug-in', hessian: 'released', hessianFloor: FLOOR }),
          normal(printedCovariance(plan, steps, clear, coins)),
        ];
  // Not asked of the estimate, which refuses the few batches of short streams.
  const online = batchMeansCovariance(state.batchMeans!);
  return [asked({ method: 'random scaling' }), ...plugIns, normal(batches), normal(online)];
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

/** The plug-in as printed, which needs a trusted curator: for comparison only. */
function printedCovariance({ model, noise }: OnlinePlan, steps: number, clear: ClearSums, coins: Random): Float64Array {
  const { dimension, gradientBound, sensitivity } = model;
  if (noise.law !== 'gaussian' || model.form !== 'index') throw new RangeError('"plan" expected Gaussian noise');
  return printedPlugIn(
    {
      dimension,
      steps,
      mu: sensitivity / noise.sigma,
      hessian: unpackSymmetric(clear.hessian, dimension, 1 / steps),
      gradient: unpackSymmetric(clear.gradient, dimension, 1 / steps),
      gradientBound,
      hessianBound: model.hessianBound ?? 1,
      hessianFloor: FLOOR,
      gradientFloor: FLOOR,
    },
    coins,
  ).covariance;
}

// Scratch of the observer.
let scratch = new Float64Array(0);

/** The protocol, with somebody who looks over every player's shoulder: for plug-ins that no local protocol can have. */
function observed({ hessian, gradient }: ClearSums): typeof onlineSgd {
  // Player by player: the simulation in blocks has no shoulders to look over.
  const { simulate: _, player, ...sides } = onlineSgd;
  const watch = ({ plan: { model }, iterate }: OnlineStep, datum: OnlineDatum): void => {
    if (model.form !== 'index') return;
    if (scratch.length !== model.dimension) scratch = new Float64Array(model.dimension);
    fillHessianFactor(model, iterate, datum, scratch);
    addProducts(hessian, scratch);
    fillGradient(model, iterate, datum, scratch);
    addProducts(gradient, scratch);
  };
  return {
    ...sides,
    player: {
      ...player,
      randomize(step, datum, random) {
        watch(step, datum);
        return player.randomize(step, datum, random);
      },
      randomizeInto(step, datum, random, report) {
        watch(step, datum);
        player.randomizeInto(step, datum, random, report);
      },
    },
  };
}

function addProducts(packed: Float64Array, vector: Float64Array): void {
  for (let i = 0, k = 0; i < vector.length; i++) for (let j = 0; j <= i; j++) packed[k++] += vector[i] * vector[j];
}
