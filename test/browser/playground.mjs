// The built page and how a test opens it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Builds the page into a folder and gives its address there. */
export function buildPage(folder) {
  const file = join(folder, 'index.html');
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/playground.mjs'), file], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return pathToFileURL(file).href;
}

/** What a page asked for besides itself and its workers, and what it complained of. */
export function listen(page, address) {
  const heard = { asked: [], complaints: [] };
  page.on('console', (message) => heard.complaints.push(message.text()));
  page.on('pageerror', (error) => heard.complaints.push(error.message));
  page.on('request', (request) => {
    const url = request.url();
    if (url !== address && !url.startsWith('blob:null/')) heard.asked.push(url);
  });
  return heard;
}

/** Opens the page anew, does something with it, and holds that it asked nobody and complained of nothing. */
export async function withPage(context, address, work) {
  const page = await context.newPage();
  try {
    const heard = listen(page, address);
    await page.goto(address);
    await page.waitForSelector('#report line', { state: 'attached' });
    await page.waitForSelector('#parts tbody tr', { state: 'attached' });
    const result = await work(page);
    assert.deepEqual(heard, { asked: [], complaints: [] });
    return result;
  } finally {
    await page.close();
  }
}

/** Sets a slider or a list as a person does: the page hears of it. */
export async function choose(page, values) {
  for (const [id, value] of Object.entries(values)) {
    const element = page.locator(`#${id}`);
    if ((await element.evaluate(({ tagName }) => tagName)) === 'SELECT') await element.selectOption(value);
    else await element.fill(value);
  }
}

/** Collects at the present settings, to the end. */
export async function collect(page) {
  await page.click('#start');
  await ended(page);
}

/** Waits until nothing is collected any more. */
export async function ended(page) {
  await page.waitForFunction(() => document.querySelector('#stop').disabled, undefined, { timeout: 600_000 });
}

/** The number that the text of an element begins with. */
export async function numberIn(page, id) {
  const text = await page.textContent(`#${id}`);
  const number = Number.parseFloat(text.replaceAll(',', ''));
  assert.ok(Number.isFinite(number), `${id} has no number: ${text}`);
  return number;
}
