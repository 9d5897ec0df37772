import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { RefusedValue, ReportError } from '../check/refusal.ts';
import type { PublicParameters } from './contract.ts';
import {
  type CollectorCounts,
  type CollectorOptions,
  type Counts,
  countsOf,
  createDoor,
  createMarks,
  type Door,
  largestCount,
  type Marks,
  type PlayerId,
  type Receipt,
  readInto,
  reads,
  restoreMarks,
  saveMarks,
} from './door.ts';
import type { FinishedRound, RoundParameters, RoundsProtocol } from './interactive.ts';
import { checkKnown, checkQuery, namesOf } from './request.ts';

/** The name of the form of a saved state; a part that changes its meaning makes a new version. */
const SCHEMA = 'ldpkit-rounds';

const VERSION = 1;

/** A round as it was saved. What it sends to players is not saved but computed again from the rounds before it. */
interface SavedRound<Tally> {
  readonly digest: string;
  readonly counts: CollectorCounts;
  readonly tally: Tally;
}

/**
 * The state of a collector across rounds, as plain data: for `structuredClone`, or any format that keeps numbers, texts
 * and typed arrays. Only its protocol knows how to write a tally, so the tally is stored here unchanged.
 */
interface SavedRounds<Tally> {
  readonly schema: typeof SCHEMA;
  readonly version: typeof VERSION;
  readonly protocol: string;
  readonly digest: string;
  /** Whether the last of the rounds is over. */
  readonly over: boolean;
  /** The rounds from the first on; the open round is last. */
  readonly rounds: readonly SavedRound<Tally>[];
  /**
   * Who does not answer again: 16 bytes of a hash for each id, and a seal over everything. Keep it as carefully as ids.
   */
  readonly players: Uint8Array;
  /** The reports of the open round in the same form, where the same bytes count once. */
  readonly replays?: Uint8Array;
}

type SavedContent<Tally> = Omit<SavedRounds<Tally>, 'players' | 'replays'>;

/** The owner under which marks are sealed: a hash of everything else in a saved state of this plan, bit for bit. */
function ownerOf<Tally>(plan: PublicParameters, saved: SavedContent<Tally>): string {
  if (saved === null || typeof saved !== 'object') throw new ReportError('"saved" expected an object');
  const { schema, version, protocol, digest, over, rounds } = saved;
  if (schema !== SCHEMA || version !== VERSION) {
    throw new ReportError(`"saved" expected ${SCHEMA}, version ${VERSION}`);
  }
  if (protocol !== plan.protocol || digest !== plan.digest) {
    throw new ReportError(`"saved" expected a state of the plan with digest ${plan.digest}`);
  }
  const hash = sha256.create();
  feed((bytes) => hash.update(bytes), { schema, version, protocol, digest, over, rounds });
  return bytesToHex(hash.digest());
}

/** Gives every number, text and key of plain data to a hash. */
function feed(hash: (bytes: Uint8Array) => void, value: unknown): void {
  const say = (text: string): void => hash(utf8ToBytes(`${text};`));
  if (ArrayBuffer.isView(value)) {
    say(`${Object.prototype.toString.call(value)} ${value.byteLength}`);
    hash(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  } else if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
    say(`${Array.isArray(value) ? 'array' : 'object'} ${entries.length}`);
    for (const [key, part] of entries) {
      say(JSON.stringify(key));
      feed(hash, part);
    }
  } else say(`${typeof value} ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`);
}

/** Settings of a collector across rounds. Each round takes its share of `maximumPlayers`, rounded. */
export interface RoundsCollectorOptions<Tally> extends CollectorOptions {
  readonly saved?: SavedRounds<Tally>;
}

/** What is in a saved state is looked at when it is restored. */
type OwnOptions = { readonly [name in keyof RoundsCollectorOptions<never>]: unknown };

const OPTIONS = namesOf<OwnOptions>({ maximumPlayers: true, refuseReplays: true, saved: true });

/** A tally for each round of a plan. Each player is counted as often as the plan's privacy budget covers. */
export interface RoundsCollector<Round, Tally, Estimate, Query> {
  /** What players receive now; undefined after the last round. */
  readonly round: Round | undefined;
  /**
   * Takes one report as it arrived. A report that was read but not counted, since its round is over or full, has been
   * seen. So where every round has fresh players, its player does not answer again.
   * @throws TypeError or RangeError for a value that is not a player id; the message does not contain it.
   */
  receive(bytes: Uint8Array, playerId?: PlayerId): Receipt;
  /**
   * Ends the open round and opens the next.
   * @throws RangeError, and changes nothing, when no report was counted in it, when it has too few for the protocol to
   * go on, or when no round is open.
   */
  close(): void;
  readonly finished: readonly FinishedRound<Round, Tally>[];
  /**
   * Reports by outcome, round by round, the open round last; reports after the last round are refused and counted in it.
   */
  readonly counts: readonly CollectorCounts[];
  /** The same for all rounds together. */
  readonly total: CollectorCounts;
  /**
   * What all rounds say about the population.
   * @throws RangeError before the last round is over, and whatever the protocol refuses.
   */
  estimate(query?: Query): Estimate;
  /** The whole state, for going on after a restart. It is a copy, which later reports do not change. */
  save(): SavedRounds<Tally>;
}

/**
 * A server's front door for a plan of several rounds. Where every round has fresh players, an id counts once in the
 * whole plan. Where the same players answer again, it counts once in each round, and there are no more rounds than the
 * plan's guarantee is composed of.
 *
 * Guarantee: none by itself, since someone who invents ids counts as several players. With one id per person, the
 * counted reports of each person are those that the plan's certificate covers.
 *
 * Memory: 22 to 43 bytes for each player with an id, and for each report of the open round where replays are refused,
 * besides the tallies.
 * @throws TypeError or RangeError naming the field: a plan of another protocol, a limit that is no whole number ≥ 1;
 * ReportError for a saved state that is damaged, of another plan, or not made by `save`.
 */
export function createRoundsCollector<
  Plan extends PublicParameters,
  Round extends RoundParameters,
  Datum,
  Report,
  Tally,
  Estimate,
  Query,
>(
  protocol: Pick<
    RoundsProtocol<Plan, Round, Datum, Report, Tally, Estimate, Query>,
    'name' | 'report' | 'server' | 'rounds' | 'fields'
  >,
  plan: Plan,
  options: RoundsCollectorOptions<Tally> = {},
): RoundsCollector<Round, Tally, Estimate, Query> {
  const { name, report: wire, server, rounds } = protocol;
  if (plan?.protocol !== name) throw new RefusedValue('plan', `a plan of ${name}`, plan?.protocol);
  checkKnown('options', options, OPTIONS);
  const { refuseReplays = false, saved } = options;
  const most = largestCount(options);
  const answers = rounds.answers(plan);
  const fresh = answers === 1;
  let finished: readonly FinishedRound<Round, Tally>[] = [];
  const counts: Counts<Receipt>[] = [];
  let players = createMarks();
  let replays: Marks | undefined;
  // Absent before the first round and after the last.
  let open: FinishedRound<Round, Tally> | undefined;
  let door: Door<Receipt>;

  if (saved === undefined) advance();
  else resume(saved);

  /** Ends the open round and opens the next, with the reports counted in it before a restart. */
  function advance(was?: SavedRound<Tally>): void {
    const over = open === undefined ? finished : [...finished, open];
    const round = over.length === 0 ? rounds.first(plan) : rounds.next(plan, over);
    let next: typeof open;
    if (round !== undefined) {
      if (!fresh && over.length >= answers) {
        throw new RefusedValue('round', `none: the plan answers for ${answers}`, round.round);
      }
      next = { round, tally: server.empty(round) };
      if (was !== undefined) server.merge(round, next.tally, was.tally);
      counts.push(countsOf(was === undefined ? [] : [was.counts]));
    }
    finished = over;
    open = next;
    admit(fresh ? players : createMarks(), refuseReplays ? createMarks() : undefined);
  }

  /**
   * Opens the door for players other than `answered`, and for reports other than `counted` where replays are refused.
   */
  function admit(answered: Marks, counted: Marks | undefined): void {
    players = answered;
    replays = counted;
    const met = counts[counts.length - 1];
    if (open === undefined) {
      const none = new ReportError('"report" expected a round that is open, and the last is over');
      door = createDoor<Receipt>(players, met, (bytes) => refuse(bytes, none));
      return;
    }
    const places = Math.max(1, Math.round(most * open.round.share));
    const read = readInto(protocol, open.round, open.tally, replays);
    door = createDoor<Receipt>(players, met, (bytes) => {
      try {
        const taken = read(bytes);
        return typeof taken === 'function' && met.counted >= places ? () => ({ outcome: 'full' }) : taken;
      } catch (error) {
        return refuse(bytes, error);
      }
    });
  }

  /**
   * Bytes that are no report of the open round are refused. A report of a finished round was read, and may be its
   * player's only answer.
   */
  function refuse(bytes: Uint8Array, error: unknown): () => never {
    const late = error instanceof ReportError ? finished.find(({ round }) => reads(wire, round, bytes)) : undefined;
    if (late === undefined) throw error;
    const stale = new ReportError(
      `"report" expected one of a round that is open, got one of round ${late.round.round}`,
    );
    if (!fresh) throw stale;
    return () => {
      throw stale;
    };
  }

  function resume(state: SavedRounds<Tally>): void {
    const owner = ownerOf(plan, state);
    const answered = restoreMarks('saved.players', state.players, owner);
    if (refuseReplays !== (state.replays !== undefined)) {
      throw new RefusedValue('"saved" expected a state that treats replays in the same way');
    }
    const counted = refuseReplays ? restoreMarks('saved.replays', state.replays, `${owner} replays`) : undefined;
    for (const was of state.rounds) {
      advance(was);
      const digest = open?.round.digest;
      if (digest !== was.digest) throw new ReportError(`"saved" expected a round with digest ${digest}`);
    }
    if (state.over) advance();
    if ((open === undefined) !== state.over) throw new ReportError('"saved" expected as many rounds as there were');
    admit(answered, counted);
  }

  return Object.freeze({
    get round() {
      return open?.round;
    },
    receive: (bytes: Uint8Array, playerId?: PlayerId) => door(bytes, playerId),
    close() {
      if (open === undefined) throw new RefusedValue('"round" expected one that is open, and the last is over');
      if (counts[finished.length].counted === 0) {
        throw new RefusedValue('round', 'at least 1 report before it is closed', 0);
      }
      advance();
    },
    get finished() {
      return [...finished];
    },
    get counts() {
      return counts.map((met) => ({ ...met }));
    },
    get total() {
      return countsOf(counts);
    },
    estimate(query?: Query) {
      checkQuery(protocol, query);
      if (open !== undefined) {
        throw new RefusedValue('round', 'the last to be over', `round ${open.round.round} open`);
      }
      return rounds.estimate(plan, finished, query);
    },
    save() {
      const all = open === undefined ? finished : [...finished, open];
      const saves = all.map(({ round, tally }, i) => {
        const copy = server.empty(round);
        server.merge(round, copy, tally);
        return { digest: round.digest, counts: { ...counts[i] }, tally: copy };
      });
      const about = { schema: SCHEMA, version: VERSION, protocol: plan.protocol, digest: plan.digest } as const;
      const content: SavedContent<Tally> = { ...about, over: open === undefined, rounds: saves };
      const owner = ownerOf(plan, content);
      const seen = replays === undefined ? {} : { replays: saveMarks(replays, `${owner} replays`) };
      return { ...content, players: saveMarks(players, owner), ...seen };
    },
  });
}
