import { refusal } from '../check/number.ts';
import type { PublicParameters } from './contract.ts';
import { type Counts, createDoor, type PlayerId, type Refused } from './door.ts';
import { createMarks, restoreMarks, saveMarks } from './marks.ts';
import type { Acceptance, SequentialProtocol, SequentialStep } from './sequential.ts';

/** A report that moved the state. */
export interface SequentialCounted {
  readonly outcome: 'counted';
  /** Whether the report was of the open step. */
  readonly acceptance: Acceptance;
}

/**
 * What became of the bytes of a report. Only `counted` moved the state. `duplicate`: this player was counted, or a report of it was
 * read and refused. `refused`: the plan cannot have produced it, or refuses it as stale.
 */
export type SequentialReceipt = SequentialCounted | Refused;

/** How many reports met which end. */
export type SequentialCounts = { readonly [outcome in SequentialReceipt['outcome']]: number };

/** The front door of a stream: bytes in, one state moved by one player after the other. */
export interface SequentialCollector<Step, State> {
  /** What the next player is to receive; to be copied, or encoded, before the next call. */
  step(): Step;
  /**
   * Takes one report as it arrived. One that is not counted moves nothing but the counts; one that could be read and was then
   * refused, as stale ones are, marks its player as one that has answered.
   *
   * @throws TypeError or RangeError for what is not a player id; the message does not contain it.
   */
  receive(bytes: Uint8Array, playerId?: PlayerId): SequentialReceipt;
  /** The state: to read, to estimate from and to save. */
  readonly state: State;
  /** How many reports met which end. */
  readonly counts: SequentialCounts;
  /** Who has answered, as bytes for the option `answered`: 16 for each id, of a hash and not of the id, and 16 more. */
  answered(): Uint8Array;
}

/**
 * A server of a sequential protocol that counts each player once, where ids are given; from its start, or from a state that was
 * saved. Who has answered is kept here and not in the state: save `answered()` with it.
 *
 * A player whose report was refused as stale must not answer again: the server has seen that report, and with a second one the
 * two together tell more of the datum than the guarantee of one. Its place in the stream is lost; where that costs too much, a
 * plan that accepts late reports counts it. Damaged bytes, and reports of another plan, mark nobody: the same bytes may be sent
 * again, which tells nothing new.
 *
 * Memory: 22 to 43 bytes for each player with an id, besides the state.
 *
 * @throws RangeError for a plan of another protocol; ReportError for what `answered()` of a collector of this plan did not give.
 */
export function createSequentialCollector<
  Plan extends PublicParameters,
  Step extends SequentialStep<Plan>,
  Datum,
  Report,
  State,
  Estimate,
  Query,
>(
  protocol: Pick<SequentialProtocol<Plan, Step, Datum, Report, State, Estimate, Query>, 'name' | 'report' | 'server'>,
  plan: Plan,
  options: { readonly state?: State; readonly answered?: Uint8Array } = {},
): SequentialCollector<Step, State> {
  const { name, report: wire, server } = protocol;
  if (plan.protocol !== name) throw new RangeError(refusal('plan', `a plan of ${name}`, plan.protocol));
  const state = options.state ?? server.start(plan);
  const { answered } = options;
  const players = answered === undefined ? createMarks() : restoreMarks('answered', answered, plan.digest);
  const counts: Counts<SequentialCounted> = { counted: 0, duplicate: 0, refused: 0 };
  const receive = createDoor<SequentialCounted>(players, counts, (bytes) => {
    const report = wire.decode(plan, bytes);
    return () => ({ outcome: 'counted', acceptance: server.accept(plan, state, report) });
  });
  return Object.freeze({
    step: () => server.step(plan, state),
    receive,
    state,
    get counts(): SequentialCounts {
      return { ...counts };
    },
    answered: () => saveMarks(players, plan.digest),
  });
}
