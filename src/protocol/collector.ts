import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { checkInteger, refusal } from '../check/number.ts';
import { ReportError } from '../check/report-error.ts';
import type { PublicParameters, Server, Wire } from './contract.ts';
import { receivedBytes } from './received.ts';
import { createSeen, type Seen } from './seen.ts';

/**
 * Who sent a report, as the deployer authenticated it: a text of 1 to 256 characters or a whole number ≥ 0; 7, 7n and the
 * text `7` are one player.
 */
export type PlayerId = string | number | bigint;

/** What became of a report. Only `counted` changed the tally. */
export type Receipt =
  | {
      /**
       * `counted`: it is in the tally. `duplicate`: this player has been counted before. `replay`: the same bytes have been counted
       * before. `full`: as many players as were expected have been counted.
       */
      readonly outcome: 'counted' | 'duplicate' | 'replay' | 'full';
    }
  | {
      /** These parameters cannot have produced it. */
      readonly outcome: 'refused';
      /** Why, in the words of the `ReportError`. */
      readonly reason: string;
    };

/** How many reports met which end. */
export type CollectorCounts = { readonly [outcome in Receipt['outcome']]: number };

/** How a collector is asked to be. */
export interface CollectorOptions {
  /** Reports that are counted at most: those of later players are received and not counted. Default: no limit. */
  readonly maximumPlayers?: number;
  /**
   * Whether to count the same bytes once only, whoever sends them. It stops retries, not an adversary, who can change a bit; and
   * two honest reports that happen to be equal count once: right only where a report has far more values than there are players.
   * Default: false.
   */
  readonly refuseReplays?: boolean;
}

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
   * players than fit; and when players, or replayed bytes, were counted by both: sums cannot be told apart again.
   */
  merge(other: Collector<Tally>): void;
}

/** What of a protocol a collector needs: any with a wire and a tally, in one round or in many. */
export interface Collectable<Parameters extends PublicParameters, Report, Tally> {
  /** The protocol's folder name. */
  readonly name: string;
  /** The wire format; only `decode` is used. */
  readonly report: Pick<Wire<Parameters, Report>, 'decode'>;
  /** The tally; there is no estimate here. */
  readonly server: Pick<Server<Parameters, Report, Tally, unknown, unknown>, 'empty' | 'add' | 'merge'>;
}

interface State {
  readonly tally: unknown;
  readonly protocol: string;
  readonly digest: string;
  readonly players: Seen;
  readonly replays: Seen | undefined;
  readonly counts: { [outcome in Receipt['outcome']]: number };
  /** States that were merged into this one. */
  readonly merged: WeakSet<object>;
}

// What collectors know of each other: nobody else can reach it.
const states = new WeakMap<object, State>();

/** Longest player id. */
const LONGEST_ID = 256;

/** The one spelling of a player id. A private thing: no message contains it. */
function spelledId(id: unknown): string {
  if (typeof id === 'string') {
    if (id.length > 0 && id.length <= LONGEST_ID) return id;
  } else if (typeof id === 'number') {
    if (Number.isSafeInteger(id) && id >= 0) return String(id);
  } else if (typeof id === 'bigint') {
    if (id >= 0n && id < 2n ** 256n) return String(id);
  } else {
    throw new TypeError('"playerId" expected a text or a whole number');
  }
  throw new RangeError(`"playerId" expected a text of 1 to ${LONGEST_ID} characters or a whole number >= 0`);
}

/**
 * A server's front door: bytes in, a tally of valid reports out, each player counted once where ids are given.
 *
 * Memory: about 100 bytes for each player with an id and each report whose replay is refused, besides the tally.
 *
 * @throws TypeError or RangeError naming the field: parameters of another protocol, a limit that is no whole number ≥ 1.
 */
export function createCollector<Parameters extends PublicParameters, Report, Tally>(
  protocol: Collectable<Parameters, Report, Tally>,
  parameters: Parameters,
  options: CollectorOptions = {},
): Collector<Tally> {
  const { report: wire, server } = protocol;
  if (parameters.protocol !== protocol.name) {
    throw new RangeError(refusal('parameters', `parameters of ${protocol.name}`, parameters.protocol));
  }
  const { maximumPlayers, refuseReplays = false } = options;
  const most = maximumPlayers === undefined ? Infinity : checkInteger('maximumPlayers', maximumPlayers, 1);
  const tally = server.empty(parameters);
  const players = createSeen();
  const replays = refuseReplays ? createSeen() : undefined;
  const counts = { counted: 0, duplicate: 0, replay: 0, full: 0, refused: 0 };

  function judge(bytes: Uint8Array, id: string | undefined): Receipt {
    if (id !== undefined && players.has(id)) return { outcome: 'duplicate' };
    if (counts.counted >= most) return { outcome: 'full' };
    let report: Report;
    let mark = '';
    try {
      // A copy, so that bytes in memory shared with another thread cannot be one report here and another there.
      const received = replays === undefined ? bytes : receivedBytes(bytes).slice();
      report = wire.decode(parameters, received);
      if (replays !== undefined) mark = bytesToHex(sha256(received));
    } catch (error) {
      if (error instanceof ReportError) return { outcome: 'refused', reason: error.message };
      throw error;
    }
    if (replays?.has(mark)) return { outcome: 'replay' };
    server.add(parameters, tally, report);
    if (id !== undefined) players.add(id);
    replays?.add(mark);
    return { outcome: 'counted' };
  }

  const collector: Collector<Tally> = {
    receive(bytes, playerId) {
      const receipt = judge(bytes, playerId === undefined ? undefined : spelledId(playerId));
      counts[receipt.outcome]++;
      return receipt;
    },
    tally,
    get counts() {
      return { ...counts };
    },
    merge(other) {
      const theirs = states.get(other);
      if (theirs === undefined) throw new TypeError('"other" expected a collector');
      checkMergeable(own, theirs, most);
      server.merge(parameters, tally, theirs.tally as Tally);
      for (const id of theirs.players.values()) players.add(id);
      if (theirs.replays !== undefined) for (const mark of theirs.replays.values()) replays?.add(mark);
      for (const outcome of Object.keys(counts) as Receipt['outcome'][]) counts[outcome] += theirs.counts[outcome];
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
  const common = overlap(own.players, theirs.players);
  if (common > 0) throw new RangeError(`"other" expected no player who is counted here, got ${common}`);
  const replayed = overlap(own.replays, theirs.replays);
  if (replayed > 0) throw new RangeError(`"other" expected no report that is counted here, got ${replayed}`);
  const together = own.counts.counted + theirs.counts.counted;
  if (together > most) throw new RangeError(refusal('other', `at most ${most} players together`, together));
}

function overlap(left: Seen | undefined, right: Seen | undefined): number {
  if (left === undefined || right === undefined) return 0;
  const [few, many] = left.size < right.size ? [left, right] : [right, left];
  let common = 0;
  for (const text of few.values()) if (many.has(text)) common++;
  return common;
}
