import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { hinge } from '../../../../protocols/hinge/index.ts';
import { oneBit, userLevelMean } from '../../../../protocols/user-level-mean/index.ts';
import { collector, encodeBatch } from '../../../../src/client/collector-client.ts';
import { certify } from '../../../../src/core/certify.ts';
import { restoreFold, type Served } from '../../../../src/node/serve/fold.ts';
import { noOutcomes } from '../../../../src/node/serve/intake.ts';
import { livePage } from '../../../../src/node/serve/routes.ts';
import { createCollectorServer } from '../../../../src/node/serve/server.ts';
import { commandHost } from '../command-host.ts';
import { newFolder, startCollector, writePlan } from './collector.ts';
import { estimateHere, get, makeFold, parameters, plan, post, reports, uncertaintyHere } from './sending.ts';

const { digest } = parameters;
const ldpkit = commandHost();

// What else a collector in a process of its own does is in collecting.long.test.ts.
describe('ldpkit serve', () => {
  test('counts each player once, gives receipts, and the estimate of one process to the bit', async () => {
    const folder = newFolder();
    const words = [writePlan(folder, hinge, parameters), '--folder', folder];
    const { address, stop } = await startCollector(words);
    const sending = collector(address);
    expect(await sending.plan(digest)).toEqual({ protocol: 'hinge', request: parameters.request, digest });
    expect(await sending.send(digest, 'player 0', reports[0])).toEqual({ outcome: 'counted' });
    expect(await sending.send(digest, 'player 0', reports[0])).toEqual({ outcome: 'duplicate' });
    expect(await sending.send(digest, 'player 1', reports[1].slice(1))).toMatchObject({ outcome: 'refused' });
    expect((await fetch(`${address}${plan}/estimate`)).status).toBe(409);
    const batch = reports.slice(1).map((bytes, i) => ({ player: `player ${i + 1}`, bytes }));
    const { said } = await post(address, `${plan}/reports`, encodeBatch([...batch, batch[7]]), {
      'content-type': 'application/vnd.ldpkit.batch',
    });
    expect(said.receipts?.map(({ outcome }) => outcome)).toEqual([...batch.map(() => 'counted'), 'duplicate']);
    const { uncertainty, ...estimate } = (await get(address, `${plan}/estimate`)) as { uncertainty: object };
    expect(estimate).toEqual(estimateHere(300));
    // Intervals of level .95 stand beside it, as those of `ldpkit run`.
    expect(uncertainty).toEqual(uncertaintyHere(300));
    expect(await stop()).toBe(0);

    // The same after a restart, from the kept state; and from exported reports, elsewhere.
    const again = await startCollector(words);
    expect(await get(again.address, `${plan}/status`)).toMatchObject({ counted: 300, round: 0 });
    expect(await get(again.address, `${plan}/estimate`)).toEqual({ ...estimate, uncertainty });
    expect(await again.stop()).toBe(0);
    const file = join(folder, 'reports.parquet');
    expect(await ldpkit(folder, ['export', words[0], '--folder', folder, '--out', file])).toMatchObject({ status: 0 });
    const tallied = await ldpkit(folder, ['tally', words[0], file]);
    expect(JSON.parse(tallied.stdout)).toEqual({ ...estimate, uncertainty });
  });
});

test('the live page shows a round where there are rounds, and nowhere else', () => {
  const rounds = oneBit({ epsilon: 2, players: 400, samples: 2, grade: 'deployment' });
  const fold = () => restoreFold(userLevelMean as unknown as Served, rounds);
  const page = livePage([
    { parameters, certificate: certify(hinge, parameters), fold: makeFold },
    { parameters: rounds, certificate: certify(userLevelMean, rounds), fold },
  ]);
  const sections = page.match(/<section [^>]*>/g);
  expect(sections).toEqual([`<section data-plan="${digest}">`, `<section data-plan="${rounds.digest}" data-rounds>`]);
});

/** A server in this process, of a plan whose reports are told and not sent; its address and its end. */
async function serving(
  standing: () => Promise<{ readonly counted: number; readonly round?: number | undefined }>,
  estimate: () => Promise<string>,
) {
  const intake = {
    outcomes: noOutcomes(),
    standing,
    tallied: async () => ({ standing: await standing(), saved: () => null }),
  };
  const served = { parameters, certificate: certify(hinge, parameters), intake, minimumPlayers: 1, fold: makeFold };
  const server = await createCollectorServer({
    ...{ plans: [served as never], estimating: { estimate, close: async () => undefined } },
    ...{ mostBytes: 1000, mostReports: 1, requestsPerMinute: 0, log: false },
  });
  return { address: await server.listen({ port: 0 }), close: () => server.close() };
}

test('the live page is told the estimate of a round that ended without another report', async () => {
  let [round, asked] = [0 as number | undefined, 0];
  const { address, close } = await serving(
    async () => ({ counted: 3, round }),
    async () => {
      asked++;
      if (round !== undefined) throw new RangeError('a round is open');
      return '{"mean":1}';
    },
  );
  const events = await fetch(`${address}/${plan}/events`);
  let told = '';
  for await (const part of events.body as unknown as AsyncIterable<Uint8Array>) {
    told += new TextDecoder().decode(part);
    if (told.includes('event: refused')) round = undefined;
    // Without another estimate the status alone is told, again and again.
    if (told.includes('event: estimate') || told.split('event: status').length > 4) break;
  }
  await close();
  expect(told).toContain('event: estimate\ndata: {"mean":1}\n');
  expect(asked).toBe(2);
});

test('a store that does not answer is said to be one, and other numbers are told', async () => {
  const { address, close } = await serving(
    () => Promise.reject(new Error('no leader')),
    async () => '',
  );
  for (const path of ['status', 'estimate']) {
    const answer = await fetch(`${address}/${plan}/${path}`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await answer.json()).toEqual({ error: 'the store failed, and nobody knows where the reports stand' });
  }
  const metrics = await fetch(`${address}/metrics`);
  expect([metrics.status, (await metrics.text()).includes('ldpkit_request_seconds_count')]).toEqual([200, true]);
  await close();
});

test('all who ask while an estimate is made wait for the next one, however many reports come meanwhile', async () => {
  let counted = 1;
  const made: (() => void)[] = [];
  const { address, close } = await serving(
    async () => ({ counted }),
    () => {
      const text = JSON.stringify({ of: counted });
      return new Promise((resolve) => made.push(() => resolve(text)));
    },
  );
  const asked: Promise<unknown>[] = [];
  for (; counted <= 20; counted++) {
    asked.push(get(address, `/${plan}/estimate`));
    // Each of them comes with a report that the one before did not have.
    await get(address, `/${plan}/status`);
  }
  expect(made).toHaveLength(1);
  made[0]();
  await asked[0];
  while (made.length < 2) await get(address, `/${plan}/status`);
  made[1]();
  const [first, ...others] = await Promise.all(asked);
  expect(first).toEqual({ of: 1 });
  expect(others).toEqual(others.map(() => ({ of: 21 })));
  expect(made).toHaveLength(2);
  await close();
});

test('events that nobody reads end: behind another answer, with their connection, and where the head alone was asked for', async () => {
  let looks = 0;
  const { address, close } = await serving(
    async () => ({ counted: ++looks && 0 }),
    async () => '',
  );
  const { port, hostname } = new URL(address);
  const talk = async (asked: string, until: RegExp) => {
    const socket = connect(Number(port), hostname.replace(/[[\]]/g, ''));
    socket.write(asked);
    let told = '';
    for await (const part of socket.setEncoding('utf8')) {
      told += part as string;
      if (until.test(told)) break;
    }
    return told;
  };
  const ask = (method: string, what: string) => `${method} /${plan}/${what} HTTP/1.1\r\nhost: here\r\n\r\n`;
  const heard = await talk(ask('HEAD', 'events') + ask('GET', 'status'), /minimumPlayers/);
  expect(heard).toMatch(/^HTTP\/1.1 200 OK\r\ncontent-type: text\/event-stream/);
  looks = 0;
  await talk(ask('GET', 'events').repeat(20), /(event: status[\s\S]*){2}/);
  // Those behind it may not have looked.
  expect(looks).toBe(2);
  await new Promise((resolve) => setTimeout(resolve, 2500));
  expect(looks).toBe(2);
  await close();
});
