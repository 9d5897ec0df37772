import { type PlainRequest, seededRandom } from 'ldpkit';
import { averageIterate } from 'ldpkit/inference';
import { normal } from 'ldpkit/mechanism';
import { binaryLogisticLoss, mallowsWeight, sigmoid } from 'ldpkit/optimize';
import {
  type OnlinePlan,
  type OnlineSgdRequest,
  type OnlineState,
  onlineSgd,
  onlineSgdPlan,
  type StreamPopulation,
  streamReplication,
} from 'ldpkit/protocols/online-sgd';
import { replicationsOf } from '../../experiment/experiment.ts';
import { column } from '../../experiment/statistics.ts';
import { linearPopulation, logisticPopulation, type StreamRecord } from './population.ts';

/** The plan of a request that a setting carries as plain data. */
export function planOf(request: PlainRequest): OnlinePlan {
  return onlineSgdPlan(request as unknown as OnlineSgdRequest);
}

/** A stream that is looked at along the way. */
export interface LookedStream {
  readonly plan: OnlinePlan;
  readonly population: StreamPopulation<StreamRecord>;
  /** After how many players it is looked at. */
  readonly checkpoints: readonly number[];
  /** n, where it is not the last of these. */
  readonly players?: number;
  readonly seed: string;
}

/** What is seen of a stream at every checkpoint. */
export function looksAt<Look>(
  stream: LookedStream,
  look: (state: OnlineState, players: number) => Look,
  protocol: Pick<typeof onlineSgd, 'player' | 'server'> = onlineSgd,
): readonly Look[] {
  const looks: Look[] = [];
  const { checkpoints, players = checkpoints[checkpoints.length - 1] } = stream;
  streamReplication(protocol, { ...stream, players, look: (n, state) => void looks.push(look(state, n)) });
  return looks;
}

/** One field of what was seen, by replication and checkpoint. */
export function seen<Look, Field extends keyof Look>(
  replications: readonly (readonly Look[])[],
  field: Field,
): readonly (readonly Look[Field][])[] {
  return replications.map((looks) => column(looks, field));
}

/** Streams of one plan whose error is looked at along the way. */
export type TrajectorySetting = {
  /** What the plan is made from. */
  readonly request: PlainRequest;
  readonly model: 'linear' | 'logistic';
  /** d, features without the intercept. */
  readonly features: number;
  /** Standard deviation of the noise of a linear model; 0 for a logistic one. */
  readonly deviation: number;
  /** n, players of a stream. */
  readonly players: number;
  /** After how many players errors are measured. */
  readonly checkpoints: readonly number[];
  /** Records that the loss is measured on; 0 for none, and for linear models. */
  readonly lossRecords: number;
  /** Replications of a chunk. */
  readonly size: number;
};

/** Squared errors by replication and checkpoint. */
export type TrajectoryChunk = {
  /** ‖θ_n − θ*‖² of the last iterate (LDP-SGD). */
  readonly last: readonly (readonly number[])[];
  /** ‖θ̄_n − θ*‖² of the average (LDP-ASGD). */
  readonly average: readonly (readonly number[])[];
  /** F(θ_n) − F(θ*) and F(θ̄_n) − F(θ*); empty where no loss is measured. */
  readonly lastLoss: readonly (readonly number[])[];
  readonly averageLoss: readonly (readonly number[])[];
};

/** The same streams for a moment: see `PaperExperiment.smallRun`. */
export function trajectorySmallRun(setting: TrajectorySetting): TrajectorySetting {
  return { ...setting, players: 2000, checkpoints: [2000], lossRecords: Math.min(10, setting.lossRecords), size: 1 };
}

/**
 * One chunk of the replications of a setting. The people and coins of a replication follow from the seed, the population and
 * the number of the replication, so that plans are compared on the same ones.
 */
export function trajectoryChunk(setting: TrajectorySetting, chunk: number, seed: string): TrajectoryChunk {
  const { model, features, players, checkpoints, lossRecords } = setting;
  const plan = planOf(setting.request);
  const truth = truthOf(setting, plan.model.dimension);
  const population = populationOf(setting);
  const lossDistance = lossRecords > 0 ? createLossDistance(features, lossRecords, seed) : () => 0;
  const looks = replicationsOf(chunk, setting.size).map((replication) =>
    looksAt(
      { plan, population, players, checkpoints, seed: `${seed}/${model}/${features}/${replication}` },
      ({ iterate, scaling }) => {
        const mean = averageIterate(scaling);
        return {
          last: squaredDistance(iterate, truth),
          average: squaredDistance(mean, truth),
          lastLoss: lossDistance(iterate),
          averageLoss: lossDistance(mean),
        };
      },
    ),
  );
  return {
    last: seen(looks, 'last'),
    average: seen(looks, 'average'),
    lastLoss: lossRecords > 0 ? seen(looks, 'lastLoss') : [],
    averageLoss: lossRecords > 0 ? seen(looks, 'averageLoss') : [],
  };
}

function populationOf({ model, features, deviation }: TrajectorySetting): StreamPopulation<StreamRecord> {
  return model === 'linear' ? linearPopulation(features, deviation) : logisticPopulation(features);
}

/** All coefficients are 1; a joint model has the scale after them. */
function truthOf({ features, deviation }: TrajectorySetting, dimension: number): Float64Array {
  const truth = new Float64Array(dimension).fill(1);
  if (dimension > features + 1) truth[dimension - 1] = deviation;
  return truth;
}

/** ‖a − b‖². */
export function squaredDistance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) ** 2;
  return sum;
}

/** `count` whole numbers from `first` to `last`, evenly on a logarithmic scale. */
export function logarithmicGrid(first: number, last: number, count: number): readonly number[] {
  const ratio = last / first;
  return Array.from({ length: count }, (_, i) => Math.round(first * ratio ** (i / (count - 1))));
}

/**
 * F(θ) − F(θ*) of weighted logistic regression on records x that are drawn once, with the exact probability of y at each: the
 * truth minimises this F exactly, whatever the records, so that the distance is never negative and has no noise of responses.
 */
export function createLossDistance(features: number, records: number, seed: string): (theta: Float64Array) => number {
  const random = seededRandom(`${seed}/loss/${features}`);
  const width = features + 1;
  const points = new Float64Array(records * width);
  const shares = new Float64Array(records);
  const weights = new Float64Array(records);
  for (let r = 0; r < records; r++) {
    let inner = 1;
    let squared = 1;
    points[r * width] = 1;
    for (let j = 1; j < width; j++) {
      const z = normal(random);
      points[r * width + j] = z;
      inner += z;
      squared += z * z;
    }
    shares[r] = sigmoid(inner);
    weights[r] = mallowsWeight(squared);
  }
  const { value } = binaryLogisticLoss();
  const risk = (theta: Float64Array): number => {
    let sum = 0;
    for (let r = 0, k = 0; r < records; r++) {
      let inner = 0;
      for (let j = 0; j < width; j++) inner += theta[j] * points[k++];
      sum += weights[r] * value(inner, shares[r]);
    }
    return sum / records;
  };
  const least = risk(new Float64Array(width).fill(1));
  return (theta) => risk(theta) - least;
}
