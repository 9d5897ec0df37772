import { RefusedKind, RefusedValue } from '../check/refusal.ts';
import type { PublicParameters } from './contract.ts';
import {
  type Collectable,
  type CollectorCounts,
  type CollectorOptions,
  type Counts,
  commonMarks,
  countsOf,
  createDoor,
  createMarks,
  largestCount,
  type Marks,
  type PlayerId,
  type Receipt,
  type Refused,
  readInto,
  restoreMarks,
  saveMarks,
} from './door.ts';
import type { Acceptance, SequentialProtocol, SequentialStep } from './interactive.ts';
import { checkKnown, namesOf } from './request.ts';

/** A tally that is kept while reports arrive; each player is counted once. */
export interface Collector<Tally> {
  /**
   * Takes one report as it arrived. A report that is not counted changes only the counts: a player whose report was
   * refused may send another.
   * @throws TypeError or RangeError for a value that is not a player id; the message does not contain it.
   */
  receive(bytes: Uint8Array, playerId?: PlayerId): Receipt;
  /** The tally of what was counted: for reading and estimating. */
  readonly tally: Tally;
  readonly counts: CollectorCounts;
  /**
   * Adds everything that another collector counted; the other collector does not change.
   * @throws RangeError, and changes nothing, for a collector of other parameters, with another option on replays, or
   * with more players than fit; also when both have counted the same player, the same bytes or the reports of one
   * collector, because sums cannot be taken apart again.
   */
  merge(other: Collector<Tally>): void;
}

interface State {
  readonly tally: unknown;
  readonly protocol: string;
  readonly digest: string;
  readonly players: Marks;
  readonly replays: Marks | undefined;
  readonly counts: Counts<Receipt>;
  /** This collector, those that were merged into it, and those that had been merged into them. */
  readonly sources: Set<symbol>;
}

const OPTIONS = namesOf<CollectorOptions>({ maximumPlayers: true, refuseReplays: true });

// What collectors know of each other: no other code can reach it.
const states = new WeakMap<object, State>();

/**
 * A server's front door: bytes in, a tally of valid reports out, each player counted once where ids are given.
 *
 * Memory: 22 to 43 bytes for each player with an id and each report whose replay is refused, besides the tally. Of
 * each, only 16 bytes of a hash are kept.
 * @throws TypeError or RangeError naming the field: parameters of another protocol, a limit that is no whole
 * number ≥ 1.
 *
 * @example
 * ```ts
 * import { createCollector, seededRandom } from 'ldpkit';
 * import { hinge, lifted } from 'ldpkit/protocols/hinge';
 * const parameters = lifted({ epsilon: 1, degree: 1, dimension: 2 });
 * const collector = createCollector(hinge, parameters);
 * const report = hinge.player.randomize(parameters, { features: [0.6, 0.8], label: 1 }, seededRandom('a simulation'));
 * const bytes = hinge.report.encode(parameters, report);
 * console.log(collector.receive(bytes, 'anna').outcome); // counted
 * console.log(collector.receive(bytes, 'anna').outcome); // duplicate
 * console.log(collector.receive(bytes.slice(1), 'eve').outcome); // refused
 * ```
 */
export function createCollector<Parameters extends PublicParameters, Report, Tally>(
  protocol: Collectable<Parameters, Report, Tally>,
  parameters: Parameters,
  options: CollectorOptions = {},
): Collector<Tally> {
  const { server } = protocol;
  if (parameters?.protocol !== protocol.name) {
    throw new RefusedValue('parameters', `parameters of ${protocol.name}`, parameters?.protocol);
  }
  checkKnown('options', options, OPTIONS);
  const most = largestCount(options);
  const tally = server.empty(parameters);
  const players = createMarks();
  const replays = options.refuseReplays ? createMarks() : undefined;
  const counts = countsOf([]);
  const read = readInto(protocol, parameters, tally, replays);
  const receive = createDoor<Receipt>(players, counts, (bytes) =>
    counts.counted >= most ? { outcome: 'full' } : read(bytes),
  );

  const collector: Collector<Tally> = {
    receive,
    tally,
    get counts() {
      return { ...counts };
    },
    merge(other) {
      const theirs = states.get(other);
      if (theirs === undefined) throw new RefusedKind('"other" expected a collector');
      checkMergeable(own, theirs, most);
      server.merge(parameters, tally, theirs.tally as Tally);
      for (const mark of theirs.players.values()) players.add(mark);
      for (const mark of theirs.replays?.values() ?? []) replays?.add(mark);
      Object.assign(counts, countsOf([counts, theirs.counts]));
      for (const source of theirs.sources) own.sources.add(source);
    },
  };
  const own: State = {
    tally,
    protocol: protocol.name,
    digest: parameters.digest,
    players,
    replays,
    counts,
    sources: new Set([Symbol()]),
  };
  states.set(collector, own);
  return Object.freeze(collector);
}

// All checks come before any change.
function checkMergeable(own: State, theirs: State, most: number): void {
  if (own === theirs) throw new RefusedValue('"other" expected another collector than this one');
  // Without ids nothing else would show that the same reports come again.
  if ([...theirs.sources].some((source) => own.sources.has(source))) {
    throw new RefusedValue('"other" expected a collector that was not merged with this one before');
  }
  if (theirs.protocol !== own.protocol || theirs.digest !== own.digest) {
    throw new RefusedValue('other', `a collector of ${own.protocol} with digest ${own.digest}`, theirs.digest);
  }
  if ((own.replays === undefined) !== (theirs.replays === undefined)) {
    throw new RefusedValue('"other" expected a collector that treats replays in the same way');
  }
  const common = commonMarks(own.players, theirs.players);
  if (common > 0) throw new RefusedValue(`"other" expected no player who is counted here, got ${common}`);
  const replayed = own.replays && theirs.replays ? commonMarks(own.replays, theirs.replays) : 0;
  if (replayed > 0) throw new RefusedValue(`"other" expected no report that is counted here, got ${replayed}`);
  const together = own.counts.counted + theirs.counts.counted;
  if (together > most) throw new RefusedValue('other', `at most ${most} players together`, together);
}

/** A report that changed the state. */
export interface SequentialCounted {
  readonly outcome: 'counted';
  /** Whether the report was for the open step. */
  readonly acceptance: Acceptance;
}

/**
 * What became of the bytes of a report. Only `counted` changed the state. `duplicate`: this player was counted before,
 * or one of its reports was read and refused. `refused`: the plan cannot have produced the report, or refuses it as
 * stale.
 */
export type SequentialReceipt = SequentialCounted | Refused;

/** The number of reports by outcome. */
export type SequentialCounts = { readonly [outcome in SequentialReceipt['outcome']]: number };

/** The front door of a stream: bytes come in, and one player after the other changes one state. */
export interface SequentialCollector<Step, State> {
  /** What the next player receives. Copy or encode it before the next call. */
  step(): Step;
  /**
   * Takes one report as it arrived. A report that is not counted changes only the counts. A report that was read and
   * then refused, for example as stale, marks its player as one that has answered.
   * @throws TypeError or RangeError for a value that is not a player id; the message does not contain it.
   */
  receive(bytes: Uint8Array, playerId?: PlayerId): SequentialReceipt;
  readonly state: State;
  readonly counts: SequentialCounts;
  /** Who has answered, for the option `answered`: 16 bytes of a hash for each id (never the id itself), and 16 more. */
  answered(): Uint8Array;
}

/** Where a stream goes on. Save and give both together; without them it begins. */
export interface SequentialCollectorOptions<State> {
  readonly state?: State;
  /** Who has answered: the bytes of `answered()`. */
  readonly answered?: Uint8Array;
}

const STREAM_OPTIONS = namesOf<SequentialCollectorOptions<never>>({ state: true, answered: true });

/**
 * A server of a sequential protocol that counts each player once, where ids are given. It begins at the start or at a
 * saved state. Who has answered is kept here and not in the state: save `answered()` with it.
 *
 * A player whose report was refused as stale must not answer again: the server has seen that report, and two reports
 * tell more about the datum than the guarantee of one allows. The player's place in the stream is lost. Where that
 * costs too much, use a plan that accepts and counts late reports. Damaged bytes, and reports of another plan, mark no
 * player: the same bytes may be sent again, which tells nothing new.
 *
 * Memory: 22 to 43 bytes for each player with an id, besides the state.
 * @throws RangeError for a plan of another protocol; ReportError for bytes that do not come from `answered()` of a
 * collector of this plan.
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
  options: SequentialCollectorOptions<State> = {},
): SequentialCollector<Step, State> {
  const { name, report: wire, server } = protocol;
  if (plan?.protocol !== name) throw new RefusedValue('plan', `a plan of ${name}`, plan?.protocol);
  checkKnown('options', options, STREAM_OPTIONS);
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
