import { refusal } from '../check/number.ts';
import type { PublicParameters } from './contract.ts';
import { type Counts, createDoor, type PlayerId, type Refused } from './door.ts';
import { commonMarks, createMarks, type Marks } from './marks.ts';
import {
  type Collectable,
  type CollectorCounts,
  type CollectorOptions,
  countsOf,
  largestCount,
  type Receipt,
  readInto,
} from './reading.ts';

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
