import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { hinge } from '../../../../protocols/hinge/index.ts';
import { collector, encodeBatch } from '../../../../src/client/collector-client.ts';
import { certify } from '../../../../src/core/certify.ts';
import { createCollectorServer } from '../../../../src/node/serve/server.ts';
import { commandHost } from '../command-host.ts';
import { newFolder, startCollector, writePlan } from './collector.ts';
import { estimateHere, get, parameters, plan, post, reports, uncertaintyHere } from './sending.ts';

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

test('the live page is told the estimate of a round that ended without another report', async () => {
  let [round, asked] = [0 as number | undefined, 0];
  const standing = async () => ({ counted: 3, countedInRound: 3, waiting: 0, unconfirmed: 0, round, rounds: true });
  const intake = { outcomes: {}, standing, tallied: async () => ({ standing: await standing(), saved: () => null }) };
  const estimate = async () => {
    asked++;
    if (round !== undefined) throw new RangeError('a round is open');
    return '{"mean":1}';
  };
  const served = { parameters, certificate: certify(hinge, parameters), intake, minimumPlayers: 1 };
  const server = await createCollectorServer({
    ...{ plans: [served as never], estimating: { estimate, close: async () => undefined } },
    ...{ mostBytes: 1000, mostReports: 1, requestsPerMinute: 0, log: false },
  });
  const address = await server.listen({ port: 0 });
  const events = await fetch(`${address}/${plan}/events`);
  let told = '';
  for await (const part of events.body as unknown as AsyncIterable<Uint8Array>) {
    told += new TextDecoder().decode(part);
    if (told.includes('event: refused')) round = undefined;
    // Without another estimate the status alone is told, again and again.
    if (told.includes('event: estimate') || told.split('event: status').length > 4) break;
  }
  await server.close();
  expect(told).toContain('event: estimate\ndata: {"mean":1}\n');
  expect(asked).toBe(2);
});
