import { RefusedValue } from '../check/refusal.ts';
import type { PlainRequest } from '../core/contract.ts';
import { fromPlainJson } from './bodies.ts';

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

/** A collector at an address. */
export interface Collecting {
  /** What the collector publishes of a plan. */
  plan(digest: string): Promise<PublishedPlan>;
  /** The open round or step, for `report(round, datum)` of a device, which checks it; undefined where none is open. */
  round(digest: string): Promise<unknown>;
  /**
   * Sends the bytes of one report. Keep the bytes until a receipt is there: an attempt that fails is repeated with the same
   * bytes, and the player counts once however often they arrive.
   *
   * @throws Error where no attempt got a receipt: send the same bytes again later.
   */
  send(digest: string, player: string, bytes: Uint8Array): Promise<SentReceipt>;
}

/**
 * The collector at an address, such as `https://example.org/`. What it answers is checked and not believed; nothing of a
 * datum is given to it but the bytes of a report.
 *
 * @throws RangeError for an address that is not http or https, or has a query.
 */
export function collector(address: string, options: SendOptions = {}): Collecting {
  const { attempts = 6, wait = 500, timeout = 10_000 } = options;
  const base = baseOf(address);
  const send = options.fetch ?? globalThis.fetch;
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    let pause = wait;
    for (let attempt = 1; ; attempt++) {
      const last = attempt >= attempts;
      try {
        const answer = await send(new URL(path, base), {
          ...init,
          signal: AbortSignal.timeout(timeout),
          redirect: 'error',
        });
        if (last || (answer.status < 500 && answer.status !== 429)) return answer;
        pause = Math.max(pause, 1000 * secondsOf(answer.headers.get('retry-after')));
      } catch (error) {
        if (last) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
      pause *= 2;
    }
  };
  const planPath = (digest: string): string => {
    if (!/^[0-9a-f]{32}$/.test(digest)) throw new RefusedValue('digest', '32 hexadecimal digits', digest);
    return `plans/${digest}`;
  };
  return Object.freeze({
    async plan(digest: string) {
      const answer = await ask(planPath(digest));
      if (!answer.ok) throw new Error(`the collector answered ${answer.status}`);
      const { protocol, request, digest: told } = (await answer.json()) as Partial<PublishedPlan>;
      const whole = typeof protocol === 'string' && typeof request === 'object' && request !== null;
      if (!whole || told !== digest) throw new RefusedValue('plan', `the plan ${digest}`, told);
      return { protocol, request, digest };
    },
    async round(digest: string) {
      const answer = await ask(`${planPath(digest)}/round`);
      if (answer.status === 404) return undefined;
      if (!answer.ok) throw new Error(`the collector answered ${answer.status}`);
      return fromPlainJson(await answer.text());
    },
    async send(digest: string, player: string, bytes: Uint8Array) {
      const answer = await ask(`${planPath(digest)}/report`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream', 'ldpkit-player': player },
        body: bytes.slice(),
      });
      if (!answer.ok) throw new Error(`the collector answered ${answer.status}`);
      const receipt = (await answer.json()) as SentReceipt;
      if (!OUTCOMES.includes(receipt.outcome)) throw new RefusedValue('"receipt" expected one of a collector');
      return receipt;
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

function secondsOf(text: string | null): number {
  const seconds = Number(text);
  return seconds > 0 && seconds <= 3600 ? seconds : 0;
}
