import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { checkInteger, checkNonNegative, RefusedValue, ReportError } from '../check/refusal.ts';
import type { PlainRequest } from '../core/contract.ts';
import { receivedBytes } from '../core/frame.ts';

/** What may become of a report at a collector, in the order in which it is shown. Only `counted` changed the tally. */
export const OUTCOMES = ['counted', 'duplicate', 'refused', 'late', 'full', 'forbidden'] as const;

/** What a collector answers to a report. */
export interface SentReceipt {
  /** `counted` and `duplicate` mean that this player is counted: the bytes need not be kept any longer. */
  readonly outcome: (typeof OUTCOMES)[number];
  /** Why it was refused. */
  readonly reason?: string;
}

/** What a collector publishes of a plan. A device believes none of it: it makes the parameters itself. */
export interface PublishedPlan {
  readonly protocol: string;
  readonly request: PlainRequest;
  readonly digest: string;
}

/** How to send. */
export interface SendOptions {
  /** `fetch` of the platform by default. */
  readonly fetch?: typeof globalThis.fetch;
  /** How often to try; 6 by default. Between attempts it waits twice as long each time, or as long as the collector asks. */
  readonly attempts?: number;
  /** The first wait, in ms; 500 by default. */
  readonly wait?: number;
  /** How long one attempt may take, in ms; 10,000 by default. */
  readonly timeout?: number;
}

/** The longest time that a timer takes, in ms: a longer one would end at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Who sends: what a header of HTTP carries as it is. Others may be in a batch. Older browsers read no expression that looks behind. */
const PLAYER = /^[!-~\xa1-\xff](?:[ -~\xa1-\xff]{0,254}[!-~\xa1-\xff])?$/;

/** A collector at an address. */
export interface Collecting {
  /** What the collector publishes of a plan. */
  plan(digest: string): Promise<PublishedPlan>;
  /** The open round or step, for `report(round, datum)` of a device, which checks it; undefined where none is open. An error for a plan that is not there. */
  round(digest: string): Promise<unknown>;
  /**
   * Sends the bytes of one report. Keep the bytes until a receipt is there: an attempt that fails is repeated with the same
   * bytes, and the player counts once however often they arrive.
   * @throws Error where no attempt got a receipt: send the same bytes again later. RangeError for a player that is no text of 1 to 256
   * characters of Latin-1, or has a space at its ends.
   */
  send(digest: string, player: string, bytes: Uint8Array): Promise<SentReceipt>;
}

/**
 * The collector at an address, such as `https://example.org/`. What it answers is checked and not believed; nothing of a
 * datum is given to it but the bytes of a report.
 * @throws RangeError for an address that is not http or https, or has a query; TypeError or RangeError for attempts or a
 * timeout that are not whole numbers ≥ 1, and for a wait that is not finite and ≥ 0.
 */
export function collector(address: string, options: SendOptions = {}): Collecting {
  const attempts = checkInteger('attempts', options.attempts ?? 6, 1);
  const wait = checkNonNegative('wait', options.wait ?? 500);
  const timeout = checkInteger('timeout', options.timeout ?? 10_000, 1, LONGEST_TIMER);
  const base = baseOf(address);
  const send = options.fetch ?? globalThis.fetch;
  const ask = async (path: string, init: RequestInit = {}): Promise<Pick<Response, 'status'> & { text: string }> => {
    let pause = wait;
    for (let attempt = 1; ; attempt++) {
      const last = attempt >= attempts;
      let asked = 0;
      try {
        const answer = await send(new URL(path, base), {
          ...init,
          signal: AbortSignal.timeout(timeout),
          redirect: 'error',
        });
        const { status } = answer;
        // Read to its end, which may not come.
        const text = await textOf(answer);
        if (last || (status < 500 && status !== 429)) return { status, text };
        asked = 1000 * secondsOf(answer.headers.get('retry-after'));
      } catch (error) {
        if (last) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(pause, asked), LONGEST_TIMER)));
      // What the collector asked for is waited once, and not twice as long the next time.
      pause *= 2;
    }
  };
  const planPath = (digest: string): string => {
    if (!/^[0-9a-f]{32}$/.test(digest)) throw new RefusedValue('digest', '32 hexadecimal digits', digest);
    return `plans/${digest}`;
  };
  const sound = ({ status, text }: Awaited<ReturnType<typeof ask>>): string => {
    if (status < 200 || status > 299) throw new Error(`the collector answered ${status}`);
    return text;
  };
  return Object.freeze({
    async plan(digest: string) {
      const answer = sound(await ask(planPath(digest)));
      const { protocol, request, digest: told } = (JSON.parse(answer) ?? {}) as Partial<PublishedPlan>;
      const whole = typeof protocol === 'string' && typeof request === 'object' && request !== null;
      if (!whole || told !== digest) throw new RefusedValue('plan', `the plan ${digest}`, told);
      return { protocol, request, digest };
    },
    async round(digest: string) {
      const answer = await ask(`${planPath(digest)}/round`);
      return answer.status === 204 ? undefined : fromPlainJson(sound(answer));
    },
    async send(digest: string, player: string, bytes: Uint8Array) {
      if (!PLAYER.test(player)) {
        throw new RefusedValue(
          '"player" expected a text of 1 to 256 characters of Latin-1, without a space at its ends',
        );
      }
      const answer = await ask(`${planPath(digest)}/report`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream', 'ldpkit-player': player },
        body: bytes.slice(),
      });
      const { outcome, reason } = (JSON.parse(sound(answer)) ?? {}) as SentReceipt;
      if (!OUTCOMES.includes(outcome) || (reason !== undefined && typeof reason !== 'string')) {
        throw new RefusedValue('"receipt" expected one of a collector');
      }
      return reason === undefined ? { outcome } : { outcome, reason };
    },
  });
}

function baseOf(address: string): URL {
  const base = URL.canParse(address) ? new URL(address) : undefined;
  if (base === undefined || !['http:', 'https:'].includes(base.protocol) || base.search !== '') {
    throw new RefusedValue('address', 'an address of http or https, without a query', address);
  }
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  return base;
}

/** The longest answer, in bytes: a round of a million coordinates. A collector that lies may send without end. */
const LONGEST_ANSWER = 2 ** 25;

async function textOf(answer: Response): Promise<string> {
  const reader = answer.body?.getReader();
  // Where a platform has no streams, it reads by itself.
  if (reader === undefined) return answer.text();
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.length;
    if (bytes > LONGEST_ANSWER) {
      await reader.cancel();
      throw new Error(`the collector answered with more than ${LONGEST_ANSWER} bytes`);
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

function secondsOf(text: string | null): number {
  const seconds = Number(text);
  return seconds > 0 && seconds <= 3600 ? seconds : 0;
}

/** One report on its way to a collector. */
export interface SentReport {
  /** Who sends it: an id, or a ticket. */
  readonly player: string;
  /** The bytes of the report. */
  readonly bytes: Uint8Array;
}

// A batch is a series of entries: length of the player's text in UTF-8 (2 bytes), the text, length of the report
// (4 bytes), the report. Little-endian. An empty series is no batch.
const TEXT_LENGTH = 2;
const REPORT_LENGTH = 4;

/**
 * Reports as the body of one request.
 * @throws RangeError for no reports, or a player's text of more than 65,535 bytes.
 *
 * @example
 * ```ts
 * import { encodeBatch } from 'ldpkit/client';
 * // Two bytes for the length of the text, the text, four for that of the report, the report.
 * console.log(encodeBatch([{ player: 'player 17', bytes: Uint8Array.of(1, 2) }]).length); // 17
 * ```
 */
export function encodeBatch(reports: readonly SentReport[]): Uint8Array {
  if (reports.length === 0) throw new RefusedValue('reports', 'at least one report', 0);
  const encoder = new TextEncoder();
  const texts = reports.map(({ player }) => encoder.encode(player));
  let length = 0;
  reports.forEach(({ bytes }, i) => {
    if (texts[i].length >= 2 ** 16) throw new RefusedValue('"player" expected a text of at most 65535 bytes');
    length += TEXT_LENGTH + texts[i].length + REPORT_LENGTH + bytes.length;
  });
  const batch = new Uint8Array(length);
  const view = new DataView(batch.buffer);
  let at = 0;
  reports.forEach(({ bytes }, i) => {
    view.setUint16(at, texts[i].length, true);
    batch.set(texts[i], at + TEXT_LENGTH);
    at += TEXT_LENGTH + texts[i].length;
    view.setUint32(at, bytes.length, true);
    batch.set(bytes, at + REPORT_LENGTH);
    at += REPORT_LENGTH + bytes.length;
  });
  return batch;
}

/**
 * The reports in the body of a request. The reports share the memory of the body.
 * @throws ReportError for a batch that is cut off, empty, larger than `most` reports, or holds a text that is not UTF-8.
 */
export function decodeBatch(body: Uint8Array, most: number): readonly SentReport[] {
  const bytes = receivedBytes(body, 'batch');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const reports: SentReport[] = [];
  let at = 0;
  /** Goes over so many bytes: where they begin. */
  const pass = (length: number): number => {
    if (at + length > bytes.length) throw new ReportError('"batch" expected whole entries, and its end is missing');
    at += length;
    return at - length;
  };
  const take = (length: number): Uint8Array => bytes.subarray(pass(length), at);
  const takeText = (length: number): string => {
    const text = take(length);
    try {
      return decoder.decode(text);
    } catch {
      throw new ReportError('"batch" expected texts in UTF-8');
    }
  };
  while (at < bytes.length) {
    if (reports.length === most) throw new ReportError(`"batch" expected at most ${most} reports`);
    const player = takeText(view.getUint16(pass(TEXT_LENGTH), true));
    reports.push({ player, bytes: take(view.getUint32(pass(REPORT_LENGTH), true)) });
  }
  if (reports.length === 0) throw new ReportError('"batch" expected at least one report');
  return reports;
}

/** The arrays of numbers in rounds and steps, with the names that stand for them in JSON. */
const ARRAYS = {
  float64: Float64Array,
  float32: Float32Array,
  int32: Int32Array,
  uint32: Uint32Array,
  uint8: Uint8Array,
} as const;

type ArrayName = keyof typeof ARRAYS;

/** The key of the object that stands for an array of numbers: `{"$array": "float64", "hex": "…"}`. */
const KEY = '$array';

/**
 * Plain data as JSON text: what a server publishes of a plan, a round or a step. Arrays of numbers keep their type and
 * their bits, as little-endian bytes in hexadecimal digits. Numbers that JSON does not have become null.
 */
export function toPlainJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    const name = Object.keys(ARRAYS).find((one) => part instanceof ARRAYS[one as ArrayName]);
    if (name === undefined) return part;
    const { buffer, byteOffset, byteLength } = part as Uint8Array;
    return { [KEY]: name, hex: bytesToHex(new Uint8Array(buffer, byteOffset, byteLength)) };
  });
}

/**
 * The data in such a text. Nothing in it is believed: whoever uses it checks it as if it came from a stranger.
 * @throws SyntaxError for a text that is no JSON; RangeError for an array of numbers that is damaged.
 */
export function fromPlainJson(text: string): unknown {
  return JSON.parse(text, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, KEY)) return part;
    const { [KEY]: name, hex } = part as { readonly [key: string]: unknown };
    const known = typeof name === 'string' && Object.hasOwn(ARRAYS, name) ? ARRAYS[name as ArrayName] : undefined;
    const digits = typeof hex === 'string' && /^(?:[0-9a-f]{2})*$/.test(hex) ? hex : undefined;
    if (known === undefined || digits === undefined || (digits.length / 2) % known.BYTES_PER_ELEMENT !== 0) {
      throw new RefusedValue(KEY, 'an array of numbers in hexadecimal digits', name);
    }
    return new known(hexToBytes(digits).slice().buffer);
  });
}
