import { refusal } from '../check/number.ts';
import { ReportError } from '../check/report-error.ts';
import type { PlayerId } from './collector.ts';
import type { PublicParameters } from './contract.ts';
import { createSeen } from './seen.ts';
import type { Acceptance, SequentialProtocol, SequentialStep } from './sequential.ts';

/** What became of the bytes of a report. Only `counted` moved the state. */
export type SequentialReceipt =
  | {
      readonly outcome: 'counted';
      /** Whether the report was of the open step. */
      readonly acceptance: Acceptance;
    }
  | {
      /** This player has answered before: it was counted, or a report of it was read and refused. */
      readonly outcome: 'duplicate';
    }
  | {
      /** The plan cannot have produced it, or refuses it as stale. */
      readonly outcome: 'refused';
      /** Why, in the words of the `ReportError`. */
      readonly reason: string;
    };

/** How many reports met which end. */
export type SequentialCounts = { readonly [outcome in SequentialReceipt['outcome']]: number };

/** The front door of a stream: bytes in, one state moved by one player after the other. */
export interface SequentialCollector<Step, State> {
  /** What the next player is to be told; to be copied, or encoded, before the next call. */
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
}

/** Longest player id. */
const LONGEST_ID = 256;

/** The one spelling of an id: 7, 7n and the text `7` are one player. No message contains it. */
function spelled(id: unknown): string {
  const text = typeof id === 'string' ? id : typeof id === 'number' || typeof id === 'bigint' ? String(id) : undefined;
  if (text === undefined) throw new TypeError('"playerId" expected a text or a whole number');
  const whole = typeof id === 'string' || (typeof id === 'number' ? Number.isSafeInteger(id) : true);
  if (!whole || text.length === 0 || text.length > LONGEST_ID || (typeof id !== 'string' && text.startsWith('-'))) {
    throw new RangeError(`"playerId" expected a text of 1 to ${LONGEST_ID} characters or a whole number >= 0`);
  }
  return text;
}

/**
 * A server of a sequential protocol that counts each player once, where ids are given; from its start, or from a state that was
 * saved. Who has answered is kept here and not in the state: after a restart, ids from before have to be given again.
 *
 * A player whose report was refused as stale must not answer again: the server has seen that report, and with a second one the
 * two together tell more of the datum than the guarantee of one. Its place in the stream is lost; where that costs too much, a
 * plan that accepts late reports counts it. Damaged bytes, and reports of another plan, mark nobody: the same bytes may be sent
 * again, which tells nothing new.
 *
 * Memory: about 100 bytes for each player with an id, besides the state.
 *
 * @throws RangeError for a plan of another protocol.
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
  options: { readonly state?: State; readonly answered?: Iterable<PlayerId> } = {},
): SequentialCollector<Step, State> {
  const { name, report: wire, server } = protocol;
  if (plan.protocol !== name) throw new RangeError(refusal('plan', `a plan of ${name}`, plan.protocol));
  const state = options.state ?? server.start(plan);
  const players = createSeen();
  const counts = { counted: 0, duplicate: 0, refused: 0 };
  for (const id of options.answered ?? []) {
    const text = spelled(id);
    if (!players.has(text)) players.add(text);
  }

  function judge(bytes: Uint8Array, id: string | undefined): SequentialReceipt {
    if (id !== undefined && players.has(id)) return { outcome: 'duplicate' };
    try {
      const report = wire.decode(plan, bytes);
      // Before it is judged: a report that was read is an answer, counted or not.
      if (id !== undefined) players.add(id);
      const acceptance = server.accept(plan, state, report);
      return { outcome: 'counted', acceptance };
    } catch (error) {
      if (error instanceof ReportError) return { outcome: 'refused', reason: error.message };
      throw error;
    }
  }

  return Object.freeze({
    step: () => server.step(plan, state),
    receive(bytes: Uint8Array, playerId?: PlayerId): SequentialReceipt {
      const receipt = judge(bytes, playerId === undefined ? undefined : spelled(playerId));
      counts[receipt.outcome]++;
      return receipt;
    },
    state,
    get counts(): SequentialCounts {
      return { ...counts };
    },
  });
}
