import type { Msg, MsgHdrs, NatsConnection } from '@nats-io/transport-node';

/** Requests to servers, any number on their way at once. */
export interface Requests {
  /**
   * The answer to a request.
   *
   * @throws Error where there is none in time, or nobody who could answer: what was asked may have been done or not.
   */
  ask(subject: string, data?: Uint8Array, headers?: MsgHdrs): Promise<Msg>;
}

interface Waiting {
  readonly until: number;
  readonly done: (answer: Msg) => void;
  readonly failed: (error: Error) => void;
}

/** How often requests without an answer are looked for, in ms. */
const LOOK = 250;

/**
 * Requests of one connection. All of them share a subscription and a clock, so that a request costs little more than its
 * bytes; those of one turn of the event loop leave in one piece. `timeout` is in ms.
 */
export function requestsOf(connection: NatsConnection, timeout: number): Requests {
  const inbox = `_INBOX.${crypto.randomUUID()}.`;
  /** Those on their way, in their order. */
  const waiting = new Map<string, Waiting>();
  let asked = 0;
  let clock: NodeJS.Timeout | undefined;
  connection.subscribe(`${inbox}*`, {
    callback(error, answer) {
      if (error !== null) return;
      const token = answer.subject.slice(inbox.length);
      const one = waiting.get(token);
      if (one === undefined) return;
      waiting.delete(token);
      if (answer.data.length === 0 && answer.headers?.code === NOBODY) one.failed(new Error('no server answers'));
      else one.done(answer);
    },
  });

  function look(): void {
    const now = performance.now();
    for (const [token, { until, failed }] of waiting) {
      if (until > now) return;
      waiting.delete(token);
      failed(new Error('no answer in time'));
    }
    clearInterval(clock);
    clock = undefined;
  }

  return {
    ask(subject, data, headers) {
      return new Promise((done, failed) => {
        const token = (asked++).toString(36);
        const reply = inbox + token;
        connection.publish(subject, data, headers === undefined ? { reply } : { reply, headers });
        waiting.set(token, { until: performance.now() + timeout, done, failed });
        clock ??= setInterval(look, LOOK);
      });
    },
  };
}

/** The status of an answer that says nobody listens to the request. */
const NOBODY = 503;
