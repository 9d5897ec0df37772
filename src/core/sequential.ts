import { checkInteger } from '../check/refusal.ts';
import type { Random } from '../random/random.ts';
import type { Auditing } from './auditing.ts';
import type { PlainRequest, PublicParameters, Theory, Wire } from './contract.ts';
import type { Json } from './digest.ts';
import type { KnownFields } from './known-fields.ts';

/**
 * What the player of one step receives. All of it is public: it was computed from the plan and from reports. A server
 * may reuse one object for all steps, so copy a step to keep it.
 */
export interface SequentialStep<Plan extends PublicParameters> {
  /** The plan that everybody agreed on. */
  readonly plan: Plan;
  /** Which step, from 1. */
  readonly index: number;
  /** θ_{i−1}, the iterate that the player is asked about. */
  readonly iterate: Float64Array;
}

/** The player's side: the only place that sees a datum or a coin. */
export interface SequentialPlayer<Step extends { readonly plan: unknown }, Datum, Report> {
  /**
   * One player's randomized answer to a step; it names the step.
   * @throws TypeError or RangeError for a datum outside the domain, without its values, or a step that the plan cannot
   * have.
   */
  randomize(step: Step, datum: Datum, random: Random): Report;
  /** The same draw written over an earlier report: the same coins, the same report, nothing allocated. */
  randomizeInto(step: Step, datum: Datum, random: Random, report: Report): void;
  /** As `Player.clip`: total, and a copy. */
  clip(step: Step, datum: unknown): Datum;
  /**
   * The received step, under the device's own plan. Its number and its iterate are copied and checked against what the
   * plan can contain, without any datum.
   * @throws TypeError or RangeError for a step that this plan cannot contain.
   */
  remake(plan: Step['plan'], received: unknown): Step;
}

/** How a report was accepted: at its own step, or `late`, where the plan allows that. */
export type Acceptance = 'in time' | 'late';

/**
 * The server's side: one report after the other changes a state. The order matters. The state is the only mutable
 * thing, and only `accept` changes it.
 */
export interface SequentialServer<Plan extends PublicParameters, Step, Report, State, Estimate, Query> {
  /** The state before the first report. */
  start(plan: Plan): State;
  /** What the next player receives. The object may be the same for every call with a state. */
  step(plan: Plan, state: State): Step;
  /**
   * Changes the state by one report. A report of an earlier step is refused or accepted late, as the plan says.
   * @throws ReportError, and changes nothing, for a stale report where the plan refuses those, a report of a step that
   * has not been sent yet, or anything that these parameters cannot have produced.
   */
  accept(plan: Plan, state: State, report: Report): Acceptance;
  /**
   * What the reports so far say about the population. It can be called at any moment.
   * @throws RangeError when there are too few reports for the query.
   */
  estimate(plan: Plan, state: State, query?: Query): Estimate;
  /** The state as versioned bytes. */
  save(plan: Plan, state: State): Uint8Array;
  /**
   * The state in the bytes. It continues exactly like the state that was saved, bit for bit.
   * @throws ReportError for bytes of another version or plan, or damaged ones.
   */
  restore(plan: Plan, bytes: Uint8Array): State;
  /** The state as a value that JSON can carry. */
  toJson(plan: Plan, state: State): Json;
  /**
   * The state in such a value.
   * @throws ReportError as `restore`.
   */
  fromJson(plan: Plan, value: Json): State;
}

/**
 * Plays the next `count` players of a stream, both sides in one process: for simulations, where nobody needs protection
 * from the person who runs them. `next` returns a player's datum, which is read before `next` is called again.
 *
 * Law: the final state is the one that `randomizeInto` and `accept` give for these players one after the other, bit for
 * bit. Before a refusal, as many words may be taken from the coins as the players of one block would take.
 * @throws whatever player and server refuse; those before have been played.
 */
export type SequentialSimulation<Plan extends PublicParameters, Datum, State> = (
  plan: Plan,
  state: State,
  count: number,
  next: () => Datum,
  random: Random,
) => void;

/**
 * A sequential protocol: players arrive one after the other, each answers one step once, and the step sent to a player
 * depends on the answers before it. This is the third kind of protocol, besides one-shot and rounds.
 *
 * Guarantee: each player answers once, so its transcript is its one report, and the guarantee is that of the player
 * with the largest privacy budget. The ledger of its device and the collector make sure that it answers once: see
 * `deployedSequentialPlayer` and `createSequentialCollector`.
 */
export interface SequentialProtocol<
  Plan extends PublicParameters,
  Step extends SequentialStep<Plan>,
  Datum,
  Report,
  State,
  Estimate,
  Query = undefined,
> {
  /** The protocol's folder name. */
  readonly name: string;
  /** See {@link SequentialPlayer}. */
  readonly player: SequentialPlayer<Step, Datum, Report>;
  /** The wire format; decode validates everything, including the step that a report names. */
  readonly report: Wire<Plan, Report>;
  /** See {@link SequentialServer}. */
  readonly server: SequentialServer<Plan, Step, Report, State, Estimate, Query>;
  /** What is claimed about one player's transcript. */
  readonly theory: Theory<Plan>;
  /**
   * A plan from plain data, the same on every machine.
   * @throws TypeError or RangeError naming the field.
   */
  make?(request: PlainRequest): Plan;
  /** The names of all fields of a request and of a query; `open` and its collectors refuse any other. */
  readonly fields?: KnownFields;
  /** A faster way than step by step to play a stream, with the same final state; absent where there is none. */
  readonly simulate?: SequentialSimulation<Plan, Datum, State>;
  /** What an audit of the player of a step may use. */
  readonly auditing?: Auditing<Step, Datum, Report>;
}

/** The two sides of a sequential protocol, as far as a stream needs them to go on. */
export interface StreamSides<Plan extends PublicParameters, Step extends SequentialStep<Plan>, Datum, Report, State> {
  readonly player: Pick<SequentialPlayer<Step, Datum, Report>, 'randomize' | 'randomizeInto'>;
  readonly server: Pick<SequentialServer<Plan, Step, Report, State, unknown, never>, 'step' | 'accept'>;
}

/**
 * The simulation that every sequential protocol has: player after player answers by `randomizeInto`, always into the
 * same report, and the server accepts it.
 * @throws TypeError or RangeError for a count that is not a whole number ≥ 0, and whatever player and server refuse;
 * those before have been played.
 */
export function stepByStep<Plan extends PublicParameters, Step extends SequentialStep<Plan>, Datum, Report, State>({
  player,
  server,
}: StreamSides<Plan, Step, Datum, Report, State>): SequentialSimulation<Plan, Datum, State> {
  const { randomize, randomizeInto } = player;
  const { step, accept } = server;
  let report: Report | undefined;
  let planOf: Plan | undefined;
  return (plan: Plan, state: State, count: number, next: () => Datum, random: Random): void => {
    checkInteger('count', count, 0);
    let i = 0;
    // All later reports of a plan are written over the first one.
    if (planOf !== plan && count > 0) {
      report = randomize(step(plan, state), next(), random);
      planOf = plan;
      accept(plan, state, report);
      i++;
    }
    const written = report as Report;
    for (; i < count; i++) {
      randomizeInto(step(plan, state), next(), random, written);
      accept(plan, state, written);
    }
  };
}
