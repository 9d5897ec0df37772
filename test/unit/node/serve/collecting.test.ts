import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { hinge } from '../../../../protocols/hinge/index.ts';
import { collector, encodeBatch } from '../../../../src/client/collector-client.ts';
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
