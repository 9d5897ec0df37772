import { expect, test } from '@jest/globals';
import type { NatsConnection } from '@nats-io/transport-node';
import { requestsOf } from '../../../../src/node/serve/requests.ts';

/** A connection whose server answers what it is told to, in any order. */
function connectionOf() {
  const asked: { readonly subject: string; readonly reply: string }[] = [];
  let heard: (error: Error | null, answer: object) => void = () => undefined;
  const connection = {
    subscribe(_subject: string, { callback }: { readonly callback: typeof heard }) {
      heard = callback;
    },
    publish(subject: string, _data: Uint8Array, { reply }: { readonly reply: string }) {
      asked.push({ subject, reply });
    },
  };
  const answer = (reply: string, text: string, code = 0): void =>
    heard(null, { subject: reply, data: Buffer.from(text), headers: { code }, text });
  return {
    connection: connection as unknown as NatsConnection,
    asked,
    answer,
    fail: () => heard(new Error('broken'), {}),
  };
}

test('answers find their requests in whatever order they come, once', async () => {
  const { connection, asked, answer, fail } = connectionOf();
  const { ask } = requestsOf(connection, 60_000);
  const answers = ['a', 'b', 'c'].map((subject) => ask(subject));
  expect(new Set(asked.map(({ reply }) => reply)).size).toBe(3);
  fail();
  answer(`${asked[0].reply}x`, 'to nobody');
  for (const { subject, reply } of asked.slice().reverse()) {
    answer(reply, `about ${subject}`);
    answer(reply, 'a second time');
  }
  expect((await Promise.all(answers)).map((one) => Buffer.from(one.data).toString())).toEqual([
    'about a',
    'about b',
    'about c',
  ]);
});

test('a request without an answer fails, and so does one that nobody listens to; an empty answer does not', async () => {
  const { connection, asked, answer } = connectionOf();
  const { ask } = requestsOf(connection, 1);
  await expect(ask('silence')).rejects.toThrow('no answer in time');
  const nobody = ask('nobody');
  answer(asked[1].reply, '', 503);
  await expect(nobody).rejects.toThrow('no server answers');
  const empty = ask('empty');
  answer(asked[2].reply, '', 404);
  expect((await empty).headers?.code).toBe(404);
});

test('those that are asked together are answered together, each with what its own answer says, or why there is none', async () => {
  const { connection, asked, answer } = connectionOf();
  const { askAll } = requestsOf(connection, 20);
  const publish = (at: number, reply: string) => connection.publish(`${at}`, undefined, { reply });
  const reading = askAll(5, publish, ({ data }, at) => {
    if (at === 3) throw new Error('unreadable');
    return `${at}: ${Buffer.from(data).toString()}`;
  });
  expect(asked.map(({ subject }) => subject)).toEqual(['0', '1', '2', '3', '4']);
  for (const at of [3, 1, 0]) answer(asked[at].reply, `answer ${at}`);
  answer(asked[1].reply, 'another answer');
  answer(asked[4].reply, '', 503);
  const told = (await reading).map((one) => (one instanceof Error ? one.message : one));
  expect(told).toEqual(['0: answer 0', '1: answer 1', 'no answer in time', 'unreadable', 'no server answers']);
  // An answer that comes after that is of nobody.
  answer(asked[2].reply, 'late');
  expect(await askAll(0, publish, () => 1)).toEqual([]);
});
