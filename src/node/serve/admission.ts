import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { RefusedKind, RefusedValue } from '../../check/refusal.ts';
import { playerMark } from '../../core/door.ts';

/**
 * Who may answer: the mark of the player that a text stands for, or undefined where it is not admitted. The text is
 * private: nothing keeps it.
 */
export type Admission = (player: string) => Uint8Array | undefined;

/** Everybody, under a name of their own choice. It stops nobody from answering under two names. */
export function admitAll(): Admission {
  return markBytes;
}

/**
 * The players on a list, by their ids.
 *
 * @throws TypeError or RangeError for an id that is no player id, or is on the list twice.
 */
export function admitListed(ids: Iterable<string>): Admission {
  const listed = new Set<string>();
  for (const id of ids) {
    const mark = markBytes(id);
    if (mark === undefined) throw new RefusedKind('"ids" expected texts of 1 to 256 characters');
    const key = Buffer.from(mark).toString('hex');
    if (listed.has(key)) throw new RefusedValue('"ids" expected every id once');
    listed.add(key);
  }
  return (player) => {
    const mark = markBytes(player);
    return mark !== undefined && listed.has(Buffer.from(mark).toString('hex')) ? mark : undefined;
  };
}

const NUMBER_BYTES = 16;
const SIGNATURE_BYTES = 16;
/** Fewer bytes could be guessed. */
const LEAST_SECRET = 16;
const TICKET = /^[\w-]{43}$/;

/**
 * Tickets: random numbers that are signed for one plan. Who knows the secret can make any number of them, and cannot tell
 * from a report which ticket went to whom, unless it is written down who got which.
 *
 * Law: a ticket is 43 characters of base64url: 16 random bytes, and the first 16 bytes of the HMAC-SHA-256 of plan and number.
 *
 * @throws RangeError for a secret of fewer than 16 bytes.
 */
export function createTickets(secret: Uint8Array, plan: string, count: number): readonly string[] {
  checkSecret(secret);
  return Array.from({ length: count }, () => {
    const number = randomBytes(NUMBER_BYTES);
    return Buffer.concat([number, signatureOf(secret, plan, number)]).toString('base64url');
  });
}

/**
 * The players with a ticket of this plan; each ticket is one player.
 *
 * @throws RangeError for a secret of fewer than 16 bytes.
 */
export function admitTickets(secret: Uint8Array, plan: string): Admission {
  checkSecret(secret);
  return (player) => {
    if (!TICKET.test(player)) return undefined;
    const bytes = Buffer.from(player, 'base64url');
    // One spelling: the last character has bits that the bytes do not have.
    if (bytes.toString('base64url') !== player) return undefined;
    const number = bytes.subarray(0, NUMBER_BYTES);
    if (!timingSafeEqual(signatureOf(secret, plan, number), bytes.subarray(NUMBER_BYTES))) return undefined;
    return markBytes(number.toString('hex'));
  };
}

function checkSecret(secret: Uint8Array): void {
  if (secret.length < LEAST_SECRET) {
    throw new RefusedValue('secret', `at least ${LEAST_SECRET} bytes`, secret.length);
  }
}

function signatureOf(secret: Uint8Array, plan: string, number: Uint8Array): Buffer {
  const hmac = createHmac('sha256', secret).update(`ldpkit ticket ${plan} `).update(number);
  return hmac.digest().subarray(0, SIGNATURE_BYTES);
}

function markBytes(player: string): Uint8Array | undefined {
  if (player.length === 0 || player.length > 256) return undefined;
  const mark = playerMark(player);
  return new Uint8Array(mark.buffer, mark.byteOffset, mark.byteLength);
}
