import { checkInteger, refusal } from '../../src/check/number.ts';
import { RefusedValue } from '../../src/check/refusal.ts';
import type { PlainRequest, PublicParameters } from '../../src/core/contract.ts';
import type { Grade } from '../../src/core/digest.ts';
import {
  type SequentialProtocol,
  type SequentialServer,
  type SequentialStep,
  type StreamSides,
  stepByStep,
} from '../../src/core/sequential.ts';
import type { Random } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import type { OnlineDatum } from '../../src/risk/regression/gradient.ts';
import type { Population } from '../../src/simulation/population.ts';
import type { OnlineEstimate, OnlineQuery } from './estimate.ts';
import type { AverageRequest, Inference, OnlinePlan, OnlineStep } from './plan.ts';
import type { FitChoice, RegressionFit } from './regression-fit.ts';

/** The models that a study of a stream knows, the default first. */
export const STREAM_MODELS = ['huber', 'linear', 'logistic', 'expectile', 'quantile', 'multinomial'] as const;

/** The model that is fitted to a stream. */
export interface StreamModel {
  /** `linear` is the squared loss; its gradients are clipped, which moves its minimiser. */
  readonly kind: (typeof STREAM_MODELS)[number];
  /** The norm to which gradients of `linear` are clipped. */
  readonly clip?: number;
  /** τ of `expectile` and `quantile`. */
  readonly tau?: number;
  /** h of `quantile`. */
  readonly bandwidth?: number;
  /** K of `multinomial`. */
  readonly classes?: number;
}

/** What a study of a stream requests from a variant: plain data. */
export interface StreamStudyRequest {
  /** Name of the variant. */
  readonly variant: string;
  /** The number of features of a record, without the intercept. */
  readonly features: number;
  /** Huber regression by default. */
  readonly model?: StreamModel;
  /** μ > 0 of one player, for variants of Gaussian differential privacy; other variants do not use it. */
  readonly mu?: number;
  /** ε > 0 of one player, for all other variants. */
  readonly epsilon?: number;
  /** δ of one player, for variants with an (ε, δ) guarantee. */
  readonly delta?: number;
  /**
   * μ_A > 0 of a second release of every player, its Hessian, for plug-in intervals; only for variants of Gaussian
   * privacy.
   */
  readonly hessianMu?: number;
  /** γ > 0 of the step size γ·i^(−α). */
  readonly rate?: number;
  /** α in (0, 1]. */
  readonly decay?: number;
  /** The number of first steps that the average and the intervals leave out. */
  readonly burnIn?: number;
  /** The average that estimates; all iterates alike by default. */
  readonly average?: AverageRequest;
  /** What the server keeps for intervals besides random scaling; the variant chooses by default. */
  readonly inference?: readonly Inference[];
  /** The kind of noise; a simulation by default. */
  readonly grade?: Grade;
}

/** Which number a variant takes as its budget. */
export type StreamBudget = 'mu' | 'epsilon';

/** What a designer assumes before collecting. */
export interface StreamSetting {
  /** n, the number of players. */
  readonly players: number;
  /** Standard deviation of a response around the model, in the unit of the model; 1 by default, absent for labels. */
  readonly spread?: number;
  /** The probability with which an interval should contain its value. */
  readonly level: number;
}

/** What to expect of a coordinate of the average, in the unit of the model. */
export interface StreamForecast {
  /** Standard error, the root mean square over coordinates. */
  readonly error: number;
  /** The part of the error that remains without privacy. */
  readonly floor: number;
  /** Half the length of a normal interval at the requested level. */
  readonly half: number;
  /** The assumption on the records, in words. */
  readonly assumption: string;
}

/** What a sequential protocol offers to users who try it on regression records. See `Study` for labelled records. */
export interface StreamStudy<Report = unknown, State = unknown> {
  /** Distinguishes this kind of study from others. */
  readonly kind: 'stream';
  /** The protocol. */
  readonly protocol: SequentialProtocol<
    OnlinePlan,
    OnlineStep,
    OnlineDatum,
    Report,
    State,
    OnlineEstimate,
    OnlineQuery
  >;
  /** One line on what it does. */
  readonly summary: string;
  /** Its variants with a guarantee, best first. */
  readonly variants: readonly string[];
  /** Variants whose guarantee is pure, so that they do not use δ. */
  readonly pureVariants: readonly string[];
  /** The variant without a guarantee that the others are compared with. */
  readonly reference: string;
  /** The number that a variant takes as its privacy budget. */
  budget(variant: string): StreamBudget;
  /**
   * The request of a variant of the protocol: what a device is sent, without anything that it does not use.
   *
   * @throws TypeError or RangeError for an unknown variant.
   */
  request(asked: StreamStudyRequest): PlainRequest;
  /**
   * The requested plan.
   *
   * @throws TypeError or RangeError naming the field.
   */
  plan(asked: StreamStudyRequest): OnlinePlan;
  /**
   * The model fitted to all records in the clear; the stream converges to it.
   *
   * @throws RangeError for records without such a model.
   */
  fit(plan: OnlinePlan, records: Population<OnlineDatum>, choice?: FitChoice): RegressionFit;
  /** The mean loss of a model on records in the clear. */
  risk(plan: OnlinePlan, records: Population<OnlineDatum>, theta: Float64Array): number;
  /**
   * What to expect before any data are collected, by the limit law of the average.
   *
   * @throws TypeError or RangeError naming the field; RangeError for a model to which the limit law does not apply.
   */
  forecast(asked: StreamStudyRequest, setting: StreamSetting): StreamForecast;
}

/** The source of the data of a simulated stream. */
export interface StreamPopulation<Datum> {
  /** One datum, made once and overwritten for every player. */
  create(): Datum;
  /** Draws the next player's datum into `datum`. */
  draw(datum: Datum, random: Random): void;
}

/** The parts of a sequential protocol that a simulation needs. */
export type Streamable<
  Plan extends PublicParameters,
  Step extends SequentialStep<Plan>,
  Datum,
  Report,
  State,
> = StreamSides<Plan, Step, Datum, Report, State> &
  Pick<SequentialProtocol<Plan, Step, Datum, Report, State, unknown, never>, 'simulate'> & {
    readonly server: Pick<SequentialServer<Plan, Step, Report, State, unknown, never>, 'start'>;
  };

/** One replication of a stream. */
export interface StreamRun<Plan, Datum, State> {
  readonly plan: Plan;
  readonly population: StreamPopulation<Datum>;
  /** n, the number of players who answer. */
  readonly players: number;
  /** Seed of data and coins, two independent sources. */
  readonly seed: string | number;
  /** The numbers of players after which to look, ascending; by default only after the last player. */
  readonly checkpoints?: readonly number[];
  /** Looks at the state, and must neither change nor keep it. */
  readonly look?: (players: number, state: State) => void;
}

/**
 * Runs a stream from its start: by the protocol's own simulation if it has one, otherwise player after player as in a
 * deployment. Both give the same states, bit for bit. Returns the state after the last player.
 *
 * The data of player i do not depend on the plan: streams with one seed and different plans see the same people.
 *
 * @throws TypeError or RangeError for a number of players below 1, or checkpoints that do not ascend up to it.
 */
export function streamReplication<
  Plan extends PublicParameters,
  Step extends SequentialStep<Plan>,
  Datum,
  Report,
  State,
>(protocol: Streamable<Plan, Step, Datum, Report, State>, run: StreamRun<Plan, Datum, State>): State {
  const { plan, population, look } = run;
  const players = checkInteger('players', run.players, 1);
  const checkpoints = checkCheckpoints(run.checkpoints ?? [players], players);
  const source = seededRandom(run.seed);
  const data = source.stream(0);
  const coins = source.stream(1);
  const simulate = protocol.simulate ?? stepByStep(protocol);
  const state = protocol.server.start(plan);
  const datum = population.create();
  const next = (): Datum => {
    population.draw(datum, data);
    return datum;
  };
  let done = 0;
  for (const checkpoint of checkpoints) {
    simulate(plan, state, checkpoint - done, next, coins);
    done = checkpoint;
    look?.(done, state);
  }
  simulate(plan, state, players - done, next, coins);
  return state;
}

function checkCheckpoints(checkpoints: readonly number[], players: number): readonly number[] {
  let last = 0;
  checkpoints.forEach((checkpoint, i) => {
    checkInteger(`checkpoints[${i}]`, checkpoint, 1, players);
    if (checkpoint <= last) throw new RefusedValue(refusal(`checkpoints[${i}]`, `a number > ${last}`, checkpoint));
    last = checkpoint;
  });
  return checkpoints;
}

/** A segment of a stream whose players are given. */
export interface StreamSegment<Plan, Datum, State> {
  readonly plan: Plan;
  /** Its players, in the order in which they come. */
  readonly population: Population<Datum>;
  /**
   * Seed of the players' coins; player i draws from stream i, regardless of where a segment begins. Seeded coins
   * protect nobody.
   */
  readonly seed: string | number;
  /** The state before player `from`, which this call changes; the state of an empty stream by default. */
  readonly state?: State | undefined;
  /** The first player, default 0. */
  readonly from?: number;
  /**
   * The numbers of players of the whole stream after which to look, ascending; numbers beyond the segment are ignored.
   */
  readonly checkpoints?: readonly number[];
  /** Looks at the state, and must neither change nor keep it. */
  readonly look?: (players: number, state: State) => void;
}

/**
 * Plays given players one after the other, up to the last of the population. Returns the state after them.
 *
 * Law: two consecutive segments, the second from the state of the first, end in the same state as one segment, bit for
 * bit.
 *
 * @throws TypeError or RangeError for a first player outside the population, and everything that player and server
 * refuse.
 */
export function playStream<Plan extends PublicParameters, Step extends SequentialStep<Plan>, Datum, Report, State>(
  protocol: Streamable<Plan, Step, Datum, Report, State>,
  segment: StreamSegment<Plan, Datum, State>,
): State {
  const { plan, population, look } = segment;
  const { players } = population;
  const from = checkInteger('from', segment.from ?? 0, 0, players);
  const state = segment.state ?? protocol.server.start(plan);
  const random = seededRandom(segment.seed);
  const ends = [...(segment.checkpoints ?? []).filter((place) => place > from && place < players), players];
  // The protocol's own simulation is not used here: it may draw coins ahead, and every player has its own stream of
  // coins.
  const play = stepByStep(protocol);
  let index = from;
  const next = (): Datum => {
    random.seek(index);
    return population.datum(index++);
  };
  for (const end of ends) {
    play(plan, state, end - index, next, random);
    if (index > from) look?.(index, state);
  }
  return state;
}
