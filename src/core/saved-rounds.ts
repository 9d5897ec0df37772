import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { ReportError } from '../check/report-error.ts';
import type { PublicParameters } from './contract.ts';
import type { CollectorCounts } from './reading.ts';

/** What a saved state says it is; a part that changes its meaning makes a new version. */
const SCHEMA = 'ldpkit-rounds';
const VERSION = 1;

/** A round as it stood: what it told players is computed again from the rounds before it. */
export interface SavedRound<Tally> {
  /** Digest of the round. */
  readonly digest: string;
  /** How many reports met which end. */
  readonly counts: CollectorCounts;
  /** What was counted. */
  readonly tally: Tally;
}

/**
 * The state of a collector across rounds, as plain data: for `structuredClone`, or whatever carries numbers, texts and typed arrays
 * as they are. How a tally is written is known to its protocol only, so that it stands here as it is.
 */
export interface SavedRounds<Tally> {
  readonly schema: typeof SCHEMA;
  readonly version: typeof VERSION;
  /** The protocol's folder name. */
  readonly protocol: string;
  /** Digest of the plan. */
  readonly digest: string;
  /** Whether the last of the rounds is over. */
  readonly over: boolean;
  /** The rounds from the first on, the open one last. */
  readonly rounds: readonly SavedRound<Tally>[];
  /** Who does not answer again: 16 bytes of a hash for each id, not the id, and a seal over everything. To be kept as ids are. */
  readonly players: Uint8Array;
  /** The reports of the open round, where the same bytes count once, in the same form. */
  readonly replays?: Uint8Array;
}

/** The parts that do not depend on who answered. */
export type SavedContent<Tally> = Omit<SavedRounds<Tally>, 'players' | 'replays'>;

/** The state of a plan's rounds without who answered. */
export function savedContent<Tally>(
  { protocol, digest }: PublicParameters,
  over: boolean,
  rounds: readonly SavedRound<Tally>[],
): SavedContent<Tally> {
  return { schema: SCHEMA, version: VERSION, protocol, digest, over, rounds };
}

/**
 * What the marks of a saved state are sealed with: a hash of everything else in it, bit for bit.
 *
 * @throws ReportError for what is no state of this plan.
 */
export function ownerOf<Tally>(plan: PublicParameters, saved: SavedContent<Tally>): string {
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
