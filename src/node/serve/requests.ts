import { setTimeout as pause } from 'node:timers/promises';
import type { JetStreamApiError, JetStreamManager, StreamConfig } from '@nats-io/jetstream';
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { RefusedValue } from '../../check/refusal.ts';
import { refusedBy } from '../refused.ts';
import { optionalModule } from './log.ts';

/** A server that is silent for twice so long, in ms, is given up for another one. */
const SILENCE = 2000;

/** A connection to one of the NATS servers of a list, `nats://a,nats://user:password@b:4222`, and to another if it goes. */
export async function openNats(addresses: string, option: string): Promise<NatsConnection> {
  const texts = addresses.split(',').map((text) => text.trim());
  const urls = texts.flatMap((text) => (URL.canParse(text) ? [new URL(text)] : []));
  const isSound = ({ protocol, host }: URL): boolean => ['nats:', 'tls:'].includes(protocol) && host !== '';
  if (urls.length !== texts.length || !urls.every(isSound)) {
    throw new RefusedValue(option, 'addresses such as nats://a:4222,nats://b:4222', addresses);
  }
  const { connect } = await optionalModule<typeof import('@nats-io/transport-node')>('@nats-io/transport-node');
  const [{ username, password, protocol }] = urls;
  const servers = urls.map(({ host }) => host);
  try {
    return await connect({
      servers,
      ...(username === '' ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
      ...(protocol === 'tls:' ? { tls: {} } : {}),
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      pingInterval: SILENCE,
    });
  } catch (error) {
    throw new RefusedValue(option, `NATS servers that answer: ${(error as Error).message}`, servers.join(', '));
  }
}

/** Requests to servers, any number on their way at once. */
export interface Requests {
  /**
   * What the answers to so many requests say, in their order, once all are there; an Error in the place of one that did not
   * come in time, that nobody could give, or that `read` throws at: what was asked may have been done or not. `publish` sends
   * one of them with the subject of its answer, all in this turn of the event loop.
   */
  askAll<Result>(
    count: number,
    publish: (at: number, reply: string) => void,
    read: (answer: Msg, at: number) => Result,
  ): Promise<readonly (Result | Error)[]>;
  /** The answer to one request; it fails where there is none. */
  ask(subject: string, data?: Uint8Array): Promise<Msg>;
}

/** Requests that were asked together. */
interface Group {
  readonly until: number;
  /** Takes an answer to one of them; whether it was the last that they waited for. */
  readonly take: (at: number, answer: Msg) => boolean;
  readonly end: () => void;
}

/** How often requests without an answer are looked for, in ms. */
const LOOK = 250;
/** The status of an answer that says nobody listens to the request. */
const NOBODY = 503;
/** How long a cluster may take to have a leader when it is opened, in ms. */
const PATIENCE = 30_000;
/** Codes of JetStream: no such stream, a stream with other settings, and a server that is no cluster. */
const [NO_STREAM, OTHER_STREAM, NO_CLUSTER] = [10059, 10058, 10074];

/** Requests of one connection: all share a subscription and a clock, to cost little more than bytes. `timeout` is in ms. */
export function requestsOf(connection: NatsConnection, timeout: number): Requests {
  const inbox = `_INBOX.${crypto.randomUUID()}.`;
  /** Those on their way, in their order. */
  const groups = new Map<number, Group>();
  let asked = 0;
  let clock: NodeJS.Timeout | undefined;
  connection.subscribe(`${inbox}*`, {
    callback(error, answer) {
      if (error !== null) return;
      // The number of the group, and that of the request in it.
      const [number, at] = answer.subject.slice(inbox.length).split('-').map(Number);
      const group = groups.get(number);
      if (group?.take(at, answer) === true) end(number, group);
    },
  });

  function end(number: number, group: Group): void {
    groups.delete(number);
    group.end();
  }

  function look(): void {
    const now = performance.now();
    for (const [number, group] of groups) {
      if (group.until > now) return;
      end(number, group);
    }
    clearInterval(clock);
    clock = undefined;
  }

  const askAll: Requests['askAll'] = (count, publish, read) =>
    new Promise((resolve) => {
      const late = new Error('no answer in time');
      const results = new Array<ReturnType<typeof read> | Error>(count).fill(late);
      let left = count;
      if (count === 0) return resolve(results);
      const number = asked++;
      groups.set(number, {
        until: performance.now() + timeout,
        take(at, answer) {
          // A second answer, or one to nobody.
          if (results[at] !== late) return false;
          try {
            if (answer.data.length === 0 && answer.headers?.code === NOBODY) throw new Error('no server answers');
            results[at] = read(answer, at);
          } catch (error) {
            results[at] = error as Error;
          }
          return --left === 0;
        },
        end: () => resolve(results),
      });
      clock ??= setInterval(look, LOOK);
      for (let at = 0; at < count; at++) publish(at, `${inbox}${number}-${at}`);
    });
  return {
    askAll,
    async ask(subject, data) {
      const [answer] = await askAll(
        1,
        (_, reply) => connection.publish(subject, data, { reply }),
        (one) => one,
      );
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

/** The code of an error of JetStream; undefined for another one. */
export function codeOf(error: unknown): number | undefined {
  const { code } = error as Partial<JetStreamApiError>;
  return typeof code === 'number' ? code : undefined;
}

/** Does what a cluster without a leader refuses, again until it has one. */
export async function patiently<Result>(does: () => Promise<Result>): Promise<Result> {
  const until = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await does();
    } catch (error) {
      if (refusedBy(error) !== undefined) throw error;
      const { message } = error as Error;
      if (codeOf(error) === NO_CLUSTER) throw new RefusedValue('replicas', '1 on a single server', message);
      if (performance.now() > until) {
        throw new RefusedValue('cluster', 'NATS servers with JetStream that have a leader', message);
      }
    }
    await pause(500);
  }
}

/** Makes a stream where it is not there; one that is there keeps its settings. */
export async function makeStream(
  { streams }: JetStreamManager,
  config: Partial<StreamConfig> & { name: string },
): Promise<void> {
  const unless = (code: number) => (error: unknown) => {
    if (codeOf(error) !== code) throw error;
  };
  await patiently(async () => {
    if ((await streams.info(config.name).catch(unless(NO_STREAM))) !== undefined) return;
    // Another process may be faster.
    await streams.add(config).catch(unless(OTHER_STREAM));
  });
}
