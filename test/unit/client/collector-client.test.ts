import { describe, expect, test } from '@jest/globals';
import { collector } from '../../../src/client/collector-client.ts';

const digest = '0123456789abcdef0123456789abcdef';

/** A network that answers one request after the other; an error stands for a lost answer. */
function network(...answers: readonly (Response | Error)[]) {
  const asked: { url: string; body: unknown }[] = [];
  const fetch = (async (url: URL, init: RequestInit) => {
    asked.push({ url: String(url), body: init.body });
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    if (answer instanceof Error) throw answer;
    return answer.clone();
  }) as typeof globalThis.fetch;
  return { asked, fetch };
}

const json = (value: unknown, status = 200, headers = {}): Response =>
  new Response(JSON.stringify(value), { status, headers });

test('a client without an end or a pause is refused', () => {
  for (const attempts of [0, -1, 1.5, Number.NaN, Infinity]) {
    expect(() => collector('http://one.example', { attempts })).toThrow('"attempts" expected a whole number');
  }
  for (const wait of [-1, Number.NaN, Infinity]) {
    expect(() => collector('http://one.example', { wait })).toThrow('"wait" expected a finite number');
  }
  for (const timeout of [0, 2 ** 31, Number.NaN]) {
    expect(() => collector('http://one.example', { timeout })).toThrow('"timeout" expected a whole number');
  }
});

describe('a client of a collector', () => {
  test('sends the same bytes again after lost answers and busy collectors, until there is a receipt', async () => {
    const { asked, fetch } = network(
      new Error('lost'),
      json({ error: 'busy' }, 503),
      json({ error: 'slow down' }, 429),
      json({ outcome: 'duplicate' }),
    );
    const bytes = Uint8Array.of(1, 2, 3);
    const receipt = await collector('http://one.example/here', { fetch, wait: 1 }).send(digest, 'me', bytes);
    expect(receipt.outcome).toBe('duplicate');
    expect(asked.map(({ url }) => url)).toEqual(Array(4).fill(`http://one.example/here/plans/${digest}/report`));
    for (const { body } of asked) expect(body).toEqual(bytes);
  });

  test('waits as long as it is asked to once, and each other time twice as long as before', async () => {
    const waits: unknown[] = [];
    const { setTimeout } = globalThis;
    globalThis.setTimeout = ((does: () => void, wait: number) => {
      waits.push(wait);
      return setTimeout(does, 0);
    }) as never;
    try {
      const busy = json({ error: 'busy' }, 503);
      const { fetch } = network(
        busy,
        json({ error: 'later' }, 503, { 'retry-after': '7' }),
        busy,
        json({ outcome: 'late' }),
      );
      await collector('http://one.example', { fetch }).send(digest, 'me', new Uint8Array(1));
    } finally {
      globalThis.setTimeout = setTimeout;
    }
    expect(waits).toEqual([500, 7000, 2000]);
  });

  test('sends them again after an answer that is cut', async () => {
    const cut = new Response(new ReadableStream({ start: (body) => body.error(new Error('cut')) }));
    let asked = 0;
    const fetch = (async () => (++asked === 1 ? cut : json({ outcome: 'duplicate' }))) as typeof globalThis.fetch;
    const { outcome } = await collector('http://one.example', { fetch, wait: 1 }).send(digest, 'me', new Uint8Array(1));
    expect([outcome, asked]).toEqual(['duplicate', 2]);
  });

  test('reads no answer without end', async () => {
    const [part, given] = [new Uint8Array(2 ** 22).fill(0x20), { parts: 0, cancelled: false }];
    const pull = (body: ReadableStreamDefaultController): void => {
      // Control: one that reads on would have 4 GB.
      if (++given.parts > 1000) body.close();
      else body.enqueue(part);
    };
    const cancel = (): void => void (given.cancelled = true);
    const fetch = (async () => new Response(new ReadableStream({ pull, cancel }))) as typeof globalThis.fetch;
    const sending = collector('http://one.example', { fetch, attempts: 1 }).send(digest, 'me', new Uint8Array(1));
    await expect(sending).rejects.toThrow('the collector answered with more than 33554432 bytes');
    expect(given.cancelled).toBe(true);
    expect(given.parts).toBeLessThan(12);
  });

  test('refuses a player that no header carries before it sends anything, and does not show who it is', async () => {
    const { asked, fetch } = network(json({ outcome: 'counted' }));
    const collecting = collector('http://one.example', { fetch });
    for (const player of ['', ' me', 'me ', 'secret\nticket', 'Имя', 'x'.repeat(257)]) {
      await expect(collecting.send(digest, player, new Uint8Array(1))).rejects.toThrow(
        /^"player" expected a text of 1 to 256 characters of Latin-1, without a space at its ends$/,
      );
    }
    expect(asked).toEqual([]);
    expect((await collecting.send(digest, 'René 1', new Uint8Array(1))).outcome).toBe('counted');
  });

  test('gives up after its attempts, and does not repeat what is refused', async () => {
    const lost = network(new Error('lost'));
    await expect(
      collector('http://one.example', { fetch: lost.fetch, wait: 1, attempts: 3 }).send(
        digest,
        'me',
        new Uint8Array(1),
      ),
    ).rejects.toThrow('lost');
    expect(lost.asked).toHaveLength(3);
    const refused = network(json({ error: 'no plan' }, 404));
    await expect(
      collector('http://one.example', { fetch: refused.fetch }).send(digest, 'me', new Uint8Array(1)),
    ).rejects.toThrow('answered 404');
    expect(refused.asked).toHaveLength(1);
  });

  test('believes neither plans of another digest nor receipts that a collector does not give', async () => {
    const other = network(json({ protocol: 'hinge', request: {}, digest: 'f'.repeat(32) }));
    await expect(collector('http://one.example', { fetch: other.fetch }).plan(digest)).rejects.toThrow(
      '"plan" expected',
    );
    const odd = network(json({ outcome: 'send it once more' }), json({ outcome: 'refused', reason: ['the', 'datum'] }));
    const doubted = collector('http://one.example', { fetch: odd.fetch });
    for (let receipt = 0; receipt < 2; receipt++) {
      await expect(doubted.send(digest, 'me', new Uint8Array(1))).rejects.toThrow('"receipt" expected');
    }
    const more = network(json({ outcome: 'refused', reason: 'late', next: 'http://two.example' }));
    const receipt = await collector('http://one.example', { fetch: more.fetch }).send(digest, 'me', new Uint8Array(1));
    expect(receipt).toEqual({ outcome: 'refused', reason: 'late' });
    const { fetch: nothing } = network(json(null), json(null));
    const silent = collector('http://one.example', { fetch: nothing });
    await expect(silent.plan(digest)).rejects.toThrow('"plan" expected');
    await expect(silent.send(digest, 'me', new Uint8Array(1))).rejects.toThrow('"receipt" expected');
    expect(() => collector('file:///etc/hosts')).toThrow('"address" expected');
    await expect(collector('http://one.example', { fetch: odd.fetch }).plan('../secret')).rejects.toThrow('"digest"');
  });

  test('tells where no round is open', async () => {
    const { fetch } = network(new Response(null, { status: 204 }), json({ error: 'no plan with this digest' }, 404));
    const asked = collector('http://one.example', { fetch });
    expect(await asked.round(digest)).toBeUndefined();
    await expect(asked.round(digest)).rejects.toThrow('answered 404');
  });
});
