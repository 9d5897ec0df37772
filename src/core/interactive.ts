import { RefusedValue } from '../check/refusal.ts';
import type { Random } from '../random/random.ts';
import type { SeededRandom } from '../random/seeded.ts';
import type { Agreed, PlayedBlock, Player, PublicParameters, Server, Wire } from './contract.ts';
import type { Json } from './request.ts';

/**
 * Public parameters of one round: what the players who answer in it need to know. Everything in it was computed from
 * the plan and the tallies of earlier rounds, so it is as public as they are. The digest binds a report to this round
 * and this plan.
 */
export interface RoundParameters extends PublicParameters {
  /** Which round, from 0. */
  readonly round: number;
  /** Share of all players who answer in this round, in (0, 1]; those of fresh players add up to at most 1. */
  readonly share: number;
  /** Present where players of earlier rounds answer again: the plan's budget covers all answers, by composition. */
  readonly repeats?: true;
}

/** A round that is over: its parameters and the tally of its reports. */
export interface FinishedRound<Round, Tally> {
  readonly round: Round;
  readonly tally: Tally;
}

/** How a protocol goes on from round to round: a fold of the plan and the tallies of earlier rounds alone. */
export interface Rounds<Plan, Round, Tally, Estimate, Query> {
  /** The first round of a plan. */
  first(plan: Plan): Round;
  /**
   * The round after the finished ones, or undefined after the last. Rounds that this program did not make itself are
   * made again from the plan and the earlier tallies, and compared, so a forged round is not passed on.
   * @throws RangeError when a round brought too few reports to go on, naming how many are needed, and for a round that
   * does not follow from plan and tallies.
   */
  next(plan: Plan, finished: readonly FinishedRound<Round, Tally>[]): Round | undefined;
  /**
   * What all rounds say about the population. Drop-outs change only the number of reports.
   * @throws RangeError when a round that is needed is missing or empty.
   */
  estimate(plan: Plan, finished: readonly FinishedRound<Round, Tally>[], query?: Query): Estimate;
  /**
   * The received round, made again by the device from its own plan. From the received object it takes only the place of
   * the round and the public numbers that earlier rounds decide (an interval, a centre, an iterate). These are checked
   * against what the plan can contain, without any datum. Noise, bounds and lengths are those of the plan.
   * @throws TypeError or RangeError for a round that this plan cannot contain.
   */
  remake(plan: Plan, received: unknown): Round;
  /** The largest number of rounds in which one player answers: 1 with fresh players, otherwise all of them. */
  answers(plan: Plan): number;
}

/**
 * A protocol in rounds. Within a round it is a one-shot protocol (player, wire, tally); a fold connects the rounds.
 *
 * Shape: `Plan` is agreed first, by everyone; `theory` is about one player's transcript over all rounds of the plan.
 * With fresh players in each round that is the transcript of the costliest round. Where the same players answer again,
 * privacy budgets compose.
 */
export interface RoundsProtocol<
  Plan extends PublicParameters,
  Round extends RoundParameters,
  Datum,
  Report,
  Tally,
  Estimate,
  Query = undefined,
> extends Agreed<Plan, Round, Datum, Report> {
  /** The player within a round. */
  readonly player: Player<Round, Datum, Report>;
  /** The wire format within a round; a report of another round is refused. */
  readonly report: Wire<Round, Report>;
  /** The tally of a round. */
  readonly server: Omit<Server<Round, Report, Tally, Estimate, Query>, 'estimate'>;
  /** From round to round, and to the estimate. */
  readonly rounds: Rounds<Plan, Round, Tally, Estimate, Query>;
  /** A faster way to play the players of one round of a simulation: see `simulate` of a one-shot protocol. */
  simulateRound?(round: Round, tally: Tally, players: PlayedBlock<Datum>, random: SeededRandom): boolean;
}

// Rounds that this program made itself, by the digest of their plan.
const own = new WeakMap<object, string>();

/**
 * `first` and `next` of a protocol in rounds: the round that `after` gives, once `check` accepts the finished ones.
 * Rounds made here are remembered, so {@link checkReplay} need not make them again.
 */
export function goOn<Plan extends PublicParameters, Round extends RoundParameters, Tally>(
  check: (plan: Plan, finished: readonly FinishedRound<Round, Tally>[]) => void,
  after: (plan: Plan, finished: readonly FinishedRound<Round, Tally>[]) => Round | undefined,
): Pick<Rounds<Plan, Round, Tally, unknown, unknown>, 'first' | 'next'> {
  const next = (plan: Plan, finished: readonly FinishedRound<Round, Tally>[]): Round | undefined => {
    check(plan, finished);
    const round = after(plan, finished);
    if (round !== undefined) own.set(round, plan.digest);
    return round;
  };
  return { first: (plan) => next(plan, []) as Round, next };
}

/**
 * Refuses finished rounds that do not follow from the plan and the tallies before them. A round from outside (a file, a
 * server) is made again by `next` and compared by its digest; the caller checks that the digest belongs to its content.
 */
export function checkReplay<Plan extends PublicParameters, Round extends RoundParameters, Tally>(
  plan: Plan,
  finished: readonly FinishedRound<Round, Tally>[],
  next: (plan: Plan, finished: readonly FinishedRound<Round, Tally>[]) => Round | undefined,
): void {
  finished.forEach(({ round }, i) => {
    if (own.get(round) === plan.digest) return;
    const expected = next(plan, finished.slice(0, i))?.digest ?? 'none: the plan is over';
    if (round.digest !== expected) {
      throw new RefusedValue(
        `finished[${i}].round.digest`,
        `that of the round which plan and tallies give, ${expected}`,
        round.digest,
      );
    }
    own.set(round, plan.digest);
  });
}

/**
 * What the player of one step receives. All of it is public: it was computed from the plan and from reports. A server
 * may reuse one object for all steps, so copy a step to keep it.
 */
export interface SequentialStep<Plan extends PublicParameters> {
  readonly plan: Plan;
  /** Which step, from 1. */
  readonly index: number;
  /** θ_{i−1}, the iterate that the player is asked about. */
  readonly iterate: Float64Array;
}

/**
 * The player's side: the only place that sees a datum or a coin. A report is the answer to a step and names it; a step that
 * the plan cannot have is refused as a datum is.
 */
export interface SequentialPlayer<Step extends { readonly plan: unknown }, Datum, Report>
  extends Player<Step, Datum, Report> {
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
> extends Agreed<Plan, Step, Datum, Report> {
  /** See {@link SequentialPlayer}. */
  readonly player: SequentialPlayer<Step, Datum, Report>;
  /** The wire format; decode validates everything, including the step that a report names. */
  readonly report: Wire<Plan, Report>;
  /** See {@link SequentialServer}. */
  readonly server: SequentialServer<Plan, Step, Report, State, Estimate, Query>;
  /** A faster way than step by step to play a stream, with the same final state; absent where there is none. */
  readonly simulate?: SequentialSimulation<Plan, Datum, State>;
}

/** Where a stream is, as plain data: what servers of every stream keep. */
export interface StreamState {
  /** Digest of the plan. */
  readonly digest: string;
  /** How many steps are over. */
  steps: number;
  /** The number of accepted reports, including late ones. */
  players: number;
  /** How many of them were late. */
  late: number;
  /** How many of them belong to the open step. */
  gathered: number;
  /** What the next player is asked about. */
  readonly iterate: Float64Array;
}
