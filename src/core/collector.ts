import { refusal } from '../check/number.ts';
import type { Random } from '../random/random.ts';
import type { Protocol, PublicParameters } from './contract.ts';
import {
  type Collectable,
  type CollectorCounts,
  type CollectorOptions,
  type Counts,
  countsOf,
  createDoor,
  largestCount,
  type PlayerId,
  type Receipt,
  type Refused,
  readInto,
} from './door.ts';
import { commonMarks, createMarks, type Marks, restoreMarks, saveMarks } from './marks.ts';
import type { Acceptance, SequentialProtocol, SequentialStep } from './sequential.ts';

export type { Collectable, CollectorCounts, CollectorOptions, PlayerId, Receipt, Refused };

/** A tally that is kept while reports arrive, each player counted once. */
export interface Collector<Tally> {
  /**
   * Takes one report as it arrived. A report that is not counted leaves no trace but in the counts: a player whose report was
   * refused may send another.
   *
   * @throws TypeError or RangeError for what is not a player id; the message does not contain it.
   */
  receive(bytes: Uint8Array, playerId?: PlayerId): Receipt;
  /** The tally of what was counted: to read, and to estimate from. */
  readonly tally: Tally;
  /** How many reports met which end. */
  readonly counts: CollectorCounts;
  /**
   * Adds everything that another collector counted; the other stays as it is.
   *
   * @throws RangeError, and changes nothing, for a collector of other parameters, of other options on replays, or of more
   * players than fit; and when players, or replayed bytes, were counted by both: sums cannot be distinguished again.
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
  /** States that were merged into this one. */
  readonly merged: WeakSet<object>;
}

// What collectors know of each other: nobody else can reach it.
const states = new WeakMap<object, State>();

/**
 * A server's front door: bytes in, a tally of valid reports out, each player counted once where ids are given.
 *
 * Memory: 22 to 43 bytes for each player with an id and each report whose replay is refused, besides the tally: of both no more
 * than 16 bytes of a hash are kept.
 *
 * @throws TypeError or RangeError naming the field: parameters of another protocol, a limit that is no whole number ≥ 1.
 */
export function createCollector<Parameters extends PublicParameters, Report, Tally>(
  protocol: Collectable<Parameters, Report, Tally>,
  parameters: Parameters,
  options: CollectorOptions = {},
): Collector<Tally> {
  const { server } = protocol;
  if (parameters.protocol !== protocol.name) {
    throw new RangeError(refusal('parameters', `parameters of ${protocol.name}`, parameters.protocol));
  }
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
      if (theirs === undefined) throw new TypeError('"other" expected a collector');
      checkMergeable(own, theirs, most);
      server.merge(parameters, tally, theirs.tally as Tally);
      for (const mark of theirs.players.values()) players.add(mark);
      for (const mark of theirs.replays?.values() ?? []) replays?.add(mark);
      Object.assign(counts, countsOf([counts, theirs.counts]));
      own.merged.add(theirs);
    },
  };
  const own: State = {
    tally,
    protocol: protocol.name,
    digest: parameters.digest,
    players,
    replays,
    counts,
    merged: new WeakSet(),
  };
  states.set(collector, own);
  return Object.freeze(collector);
}

// Everything that can be wrong is found before anything is changed.
function checkMergeable(own: State, theirs: State, most: number): void {
  if (own === theirs) throw new RangeError('"other" expected another collector than this one');
  // Without ids nothing else would tell that the same reports come again.
  if (own.merged.has(theirs) || theirs.merged.has(own)) {
    throw new RangeError('"other" expected a collector that was not merged with this one before');
  }
  if (theirs.protocol !== own.protocol || theirs.digest !== own.digest) {
    throw new RangeError(refusal('other', `a collector of ${own.protocol} with digest ${own.digest}`, theirs.digest));
  }
  if ((own.replays === undefined) !== (theirs.replays === undefined)) {
    throw new RangeError('"other" expected a collector that treats replays in the same way');
  }
  const common = commonMarks(own.players, theirs.players);
  if (common > 0) throw new RangeError(`"other" expected no player who is counted here, got ${common}`);
  const replayed = own.replays && theirs.replays ? commonMarks(own.replays, theirs.replays) : 0;
  if (replayed > 0) throw new RangeError(`"other" expected no report that is counted here, got ${replayed}`);
  const together = own.counts.counted + theirs.counts.counted;
  if (together > most) throw new RangeError(refusal('other', `at most ${most} players together`, together));
}

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

/**
 * The protocol in one loop: every datum becomes a report, every report is tallied. Through `wire: true` each report
 * also travels as bytes, which changes nothing but the time it takes.
 */
export function collect<Parameters extends PublicParameters, Datum, Report, Tally, Estimate, Query>(
  protocol: Protocol<Parameters, Datum, Report, Tally, Estimate, Query>,
  parameters: Parameters,
  data: Iterable<Datum>,
  random: Random,
  options: { readonly wire?: boolean } = {},
): Tally {
  const { player, report: wire, server } = protocol;
  const tally = server.empty(parameters);
  for (const datum of data) {
    let report = player.randomize(parameters, datum, random);
    if (options.wire) report = wire.decode(parameters, wire.encode(parameters, report));
    server.add(parameters, tally, report);
  }
  return tally;
}

/**
 * The tally of reports received as bytes.
 *
 * @throws ReportError at the first report that these parameters cannot have produced; the tally is then not returned.
 */
export function tallyReports<Parameters extends PublicParameters, Datum, Report, Tally, Estimate, Query>(
  protocol: Protocol<Parameters, Datum, Report, Tally, Estimate, Query>,
  parameters: Parameters,
  reports: Iterable<Uint8Array>,
): Tally {
  const tally = protocol.server.empty(parameters);
  for (const bytes of reports) protocol.server.add(parameters, tally, protocol.report.decode(parameters, bytes));
  return tally;
}
