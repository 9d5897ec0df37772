// How long the page needs, in a real browser:
//
//   npm run playground && node test/browser/speed.mjs [--runs 5] [--file dist-playground/index.html]
//
// Each run opens the page anew, presses the button at the first settings (100,000 players, p = 10) and reads from the page
// the time until the model of all reports is drawn. A long task is one that keeps the page from answering for 50 ms. On a machine
// that others use too, the processor time of the browser in the run says more: it includes the intervals at the end, and is
// shared by the cores.
import { loadavg } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { withBrowser } from './chromium.mjs';

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    file: { type: 'string', default: fileURLToPath(new URL('../../dist-playground/index.html', import.meta.url)) },
  },
});
const seconds = [];
const tasks = [];
const processor = [];
await withBrowser(async (context) => {
  const session = await context.browser().newBrowserCDPSession();
  const spent = async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  };
  for (let run = 0; run < Number(options.runs); run++) {
    const page = await context.newPage();
    await page.addInitScript(() => {
      globalThis.longTasks = [];
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) globalThis.longTasks.push(duration);
      }).observe({ type: 'longtask', buffered: true });
    });
    await page.goto(pathToFileURL(resolve(options.file)).href);
    await page.waitForTimeout(500);
    const before = await spent();
    await page.click('#start');
    await page.waitForFunction(() => document.querySelector('#stop').disabled, undefined, { timeout: 300_000 });
    processor.push((await spent()) - before);
    seconds.push(Number(await page.getAttribute('#status', 'data-milliseconds')) / 1000);
    tasks.push(...(await page.evaluate(() => globalThis.longTasks)));
    await page.close();
  }
});
seconds.sort((a, b) => a - b);
const longest = Math.max(0, ...tasks);
process.stdout.write(
  `${JSON.stringify({ seconds, median: seconds[seconds.length >> 1], longTasks: tasks.length, longest, processor, load: loadavg()[0] })}\n`,
);
