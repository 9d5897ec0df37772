import { createHash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';

/** The state after an entry of the log. */
export interface Snapshot {
  readonly sequence: number;
  readonly state: Uint8Array;
}

/** What is kept of a tally: the numbers of counted reports, and the state. */
export interface Kept {
  readonly counted: number;
  readonly countedInRound: number;
  /** When the last of the reports was accepted, in ms; 0 where one store is both. */
  readonly time: number;
  /** The sequence of the last end of a round; 0 before the first, and where one store is both. */
  readonly end: number;
  /** The sequences of reports that are not counted, since they stand after the end of their round or step; none where one store is both. */
  readonly late: readonly number[];
  /** The server that led the stream that was read; empty where there is one, or one store is both. */
  readonly leader: string;
  readonly state: Uint8Array;
}

/** The form of what is kept, which is in the hash: a state of another form is made again from the log, like a damaged one. */
const FORM = 'blocks, ends of rounds and leader';

/** Bytes of the hash before a kept state, and of the sequence after it. */
const [SEAL_BYTES, SEQUENCE_BYTES] = [32, 8];

/** A snapshot as bytes: its hash, the sequence and the state in one piece, so that they are kept together or not at all. */
export function sealed({ sequence, state }: Snapshot): Buffer {
  return Buffer.concat([sealOf(sequence, state), numberBytes(sequence), state]);
}

/** The snapshot in such bytes; undefined where they are damaged. */
export function unsealed(value: Uint8Array): Snapshot | undefined {
  if (value.length < SEAL_BYTES + SEQUENCE_BYTES) return undefined;
  const bytes = Buffer.from(value);
  const sequence = Number(bytes.readBigUInt64LE(SEAL_BYTES));
  const state = new Uint8Array(bytes.subarray(SEAL_BYTES + SEQUENCE_BYTES));
  return sealOf(sequence, state).equals(bytes.subarray(0, SEAL_BYTES)) ? { sequence, state } : undefined;
}

/** The state of a snapshot, from a fold and what is known of it. */
export function packed(
  fold: { save(): Uint8Array },
  known: Pick<Kept, 'counted' | 'countedInRound'> & Partial<Kept>,
): Uint8Array {
  const { counted, countedInRound, time = 0, end = 0, late = [], leader = '' } = known;
  return serialize({ counted, countedInRound, time, end, late, leader, state: fold.save() } satisfies Kept);
}

/** What {@link packed} put together. */
export function unpackedKept({ state }: Snapshot): Kept {
  const kept = deserialize(state) as Kept;
  return { ...kept, state: new Uint8Array(kept.state) };
}

function sealOf(sequence: number, state: Uint8Array): Buffer {
  return createHash('sha256').update(FORM).update(numberBytes(sequence)).update(state).digest();
}

function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(SEQUENCE_BYTES);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
