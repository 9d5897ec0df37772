import { RefusedValue } from '../check/refusal.ts';
import type { SeededRandom } from '../random/seeded.ts';
import type { Auditing } from './auditing.ts';
import type { PlainRequest, PlayedBlock, Player, PublicParameters, Server, Theory, Wire } from './contract.ts';
import type { KnownFields } from './known-fields.ts';

/**
 * Public parameters of one round: what the players who answer in it need to know. Everything in it was computed from
 * the plan and the tallies of earlier rounds, so it is as public as they are. The digest binds a report to this round
 * and this plan.
 */
export interface RoundParameters extends PublicParameters {
  /** Which round, from 0. */
  readonly round: number;
  /**
   * Share of all players who answer in this round, in (0, 1]; shares of all rounds add up to at most 1 where players
   * are fresh.
   */
  readonly share: number;
  /**
   * Present where players of earlier rounds answer again: the plan's privacy budget covers all their answers, by
   * composition.
   */
  readonly repeats?: true;
}

/** A round that is over: its parameters and the tally of its reports. */
export interface FinishedRound<Round, Tally> {
  /** What its players received. */
  readonly round: Round;
  /** What they said. */
  readonly tally: Tally;
}

/**
 * How a protocol goes on from round to round: a fold. The parameters of a round come only from the plan and from the
 * tallies of earlier rounds.
 */
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
  /**
   * The largest number of rounds in which one player answers: 1 where every round has fresh players, otherwise the
   * number of rounds.
   */
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
> {
  /** The protocol's folder name. */
  readonly name: string;
  /** The player within a round. */
  readonly player: Player<Round, Datum, Report>;
  /** The wire format within a round; a report of another round is refused. */
  readonly report: Wire<Round, Report>;
  /** The tally of a round. */
  readonly server: Omit<Server<Round, Report, Tally, Estimate, Query>, 'estimate'>;
  /** From round to round, and to the estimate. */
  readonly rounds: Rounds<Plan, Round, Tally, Estimate, Query>;
  /** What is claimed about one player's transcript over all rounds. */
  readonly theory: Theory<Plan>;
  /**
   * A plan from plain data, the same on every machine.
   * @throws TypeError or RangeError naming the field.
   */
  make?(request: PlainRequest): Plan;
  /** The names of all fields of a request and of a query; `open` and its collectors refuse any other. */
  readonly fields?: KnownFields;
  /** A faster way to play the players of one round of a simulation: see `simulate` of a one-shot protocol. */
  simulate?(round: Round, tally: Tally, players: PlayedBlock<Datum>, random: SeededRandom): boolean;
  /** What an audit of the player of a round may use. */
  readonly auditing?: Auditing<Round, Datum, Report>;
}

// Rounds that this program made itself, by the digest of their plan.
const own = new WeakMap<object, string>();

/**
 * `first` and `next` of a protocol in rounds: the round that `after` gives, once `check` accepts the finished rounds.
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
 * Refuses finished rounds that do not follow from the plan and the tallies before them. A round that was made here is
 * known. A round from outside (a file, a server) is made again by `next` from the rounds before it, and compared by its
 * digest. The caller must check that this digest belongs to the content of the round.
 * @throws RangeError naming the round.
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
