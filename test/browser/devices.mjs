// Reports of a browser are reports to a collector in Node.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { createCollector } from 'ldpkit';
import { gaussian, hinge, lifted, sampled } from 'ldpkit/protocols/hinge';
import { choose, withPage } from './playground.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The device of docs/trust.md, as a page has it: what it is given is a request, a digest and a datum. */
const DEVICE = `
  import { createLedger, deployedPlayer, memoryStore, pureCap } from 'ldpkit';
  import { liftedHinge } from 'ldpkit/protocols/hinge';
  const ledger = createLedger({ cap: pureCap(2), store: memoryStore() });
  globalThis.answer = (agreed, datum) => Array.from(deployedPlayer(liftedHinge, agreed, { ledger }).report(datum));
`;

async function deviceProgram() {
  const { outputFiles } = await build({
    stdin: { contents: DEVICE, resolveDir: root },
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2023',
    write: false,
  });
  return outputFiles[0].text;
}

const MAKERS = { lifted, sampled, gaussian };

export const deviceTests = {
  async 'the device of docs/trust.md answers once in the browser, and the collector in Node counts it once'({
    context,
  }) {
    const page = await context.newPage();
    await page.addScriptTag({ content: await deviceProgram() });
    const parameters = lifted({ epsilon: 1, degree: 1, dimension: 3, grade: 'deployment' });
    const { request, digest } = parameters;
    const datum = { features: [0.6, 0, 0.8], label: 1 };
    const answer = (agreed) =>
      page.evaluate(([to, about]) => globalThis.answer(to, about), [agreed, datum]).catch(({ message }) => message);
    const bytes = await answer({ request, digest });
    const collector = createCollector(hinge, parameters);
    const receive = (numbers, id) => collector.receive(Uint8Array.from(numbers), id).outcome;
    assert.equal(receive(bytes, 'player 17'), 'counted');
    assert.equal(receive(bytes, 'player 17'), 'duplicate');
    assert.equal(receive(bytes.slice(1), 'player 18'), 'refused');
    assert.equal(hinge.server.estimate(parameters, collector.tally).players, 1);
    // Its ledger has the answer, and a digest that is not that of the request is not believed.
    assert.match(await answer({ request, digest }), /this player has answered/);
    assert.match(
      await answer({ request, digest: digest.replace(/^./, (c) => (c === '0' ? '1' : '0')) }),
      /"digest" expected that of the request/,
    );
    await page.close();
  },
  async 'the bytes that the page shows are a report that Node counts, for every variant'({ context, address }) {
    await withPage(context, address, async (page) => {
      for (const [variant, make] of Object.entries(MAKERS)) {
        await choose(page, { variant, degree: '2', dimension: '4', epsilon: '6' });
        const parameters = make({ epsilon: 1.5, delta: 1e-6, degree: 2, dimension: 4, grade: 'deployment' });
        await page.waitForFunction(
          (digest) => document.querySelector('#hex').textContent.replaceAll(' ', '').includes(digest),
          parameters.digest,
        );
        const read = async () => Buffer.from((await page.textContent('#hex')).replaceAll(' ', ''), 'hex');
        const first = await read();
        await page.click('#again');
        await page.waitForFunction(
          (before) => document.querySelector('#hex').textContent.replaceAll(' ', '') !== before,
          first.toString('hex'),
        );
        const collector = createCollector(hinge, parameters, { refuseReplays: true });
        for (const bytes of [first, await read(), first]) collector.receive(Uint8Array.from(bytes));
        // Two reports with noise of their own, and one of them again.
        assert.deepEqual([collector.counts.counted, collector.counts.replay], [2, 1]);
        // Every byte has its line in the table.
        const ranges = await page.locator('#parts tbody td:first-child').allTextContents();
        const ends = ranges.map((range) => range.split('–').map(Number));
        assert.equal(ends[0][0], 0);
        assert.equal(ends.at(-1).at(-1), first.length - 1);
        for (let i = 1; i < ends.length; i++) assert.equal(ends[i][0], ends[i - 1].at(-1) + 1);
      }
    });
  },
};
