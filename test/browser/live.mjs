// The live page of a collector, while simulated devices answer it over HTTP: `ldpkit demo` as a person starts it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../dist/src/node/main.js', import.meta.url));

/** More than the 100 players from whom on there is an estimate. */
const DEVICES = 2000;

/** Starts the demonstration, gives its address and all its lines, and ends it. */
async function withDemo(work) {
  const demo = spawn(process.execPath, [main, 'demo', '--devices', String(DEVICES)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => demo.once('exit', resolve));
  const lines = [];
  const reading = createInterface({ input: demo.stdout });
  try {
    const found = new Promise((resolve, reject) => {
      reading.on('line', (line) => {
        lines.push(line);
        const [, address] = /^live page: (\S+)$/.exec(line) ?? [];
        if (address !== undefined) resolve(address);
      });
      ended.then((status) => reject(new Error(`the demonstration ended with ${status}: ${lines.join('\n')}`)));
    });
    return await work(await found, lines);
  } finally {
    demo.kill('SIGINT');
    await ended;
  }
}

export const liveTests = {
  async 'the live page counts the devices of the demonstration, and shows an estimate with its interval'({
    context,
    pictures,
  }) {
    await withDemo(async (address, lines) => {
      const page = await context.newPage();
      const complaints = [];
      const asked = [];
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => asked.push(request.url()));
      await page.goto(address);
      await page.waitForFunction(
        (all) => document.querySelector('.numbers dd')?.textContent === all,
        DEVICES.toLocaleString('en-US'),
        { timeout: 120_000 },
      );
      assert.equal(await page.textContent('.numbers dt'), 'players counted');
      // The estimate of all reports: the row of players says from how many it is.
      await page.waitForFunction(
        (all) =>
          [...document.querySelectorAll('.estimate tr')].some(({ textContent }) => textContent === `players${all}`),
        String(DEVICES),
        { timeout: 60_000 },
      );
      const told = await page.textContent('.left-open');
      const [, low, high] = told.match(/the mean margin y⟨w, x⟩ is (\S+) to (\S+)\./) ?? assert.fail(told);
      assert.ok(Number(low) < Number(high), told);
      // What the program prints is the same interval, to two digits.
      while (!lines.some((line) => line.startsWith('estimate:')))
        await new Promise((resolve) => setTimeout(resolve, 100));
      const printed = lines.find((line) => line.startsWith('estimate:'));
      const [, from, to] = printed.match(/is (\S+) to (\S+)$/) ?? assert.fail(printed);
      // The page has rounded to three digits, and the program to two.
      for (const [one, other] of [
        [low, from],
        [high, to],
      ])
        assert.ok(Math.abs(Number(one) - Number(other)) < 0.011, `${told} ${printed}`);
      assert.ok(asked.every((url) => url.startsWith(address)));
      assert.deepEqual(complaints, []);
      for (const [name, scheme, width] of [
        ['light', 'light', 1200],
        ['dark', 'dark', 1200],
        ['narrow', 'light', 400],
      ]) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height: 900 });
        assert.ok(
          await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
        );
        await page.screenshot({ path: join(pictures, `live-${name}.png`), fullPage: true });
      }
      await page.close();
    });
  },
};
