// The page opens from a folder and asks nobody for anything.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { listen, withPage } from './playground.mjs';

export const openingTests = {
  async 'the page opens from a folder, without a request and without a complaint'({ context, address }) {
    assert.match(address, /^file:/);
    await withPage(context, address, async (page) => {
      assert.match(await page.title(), /playground/);
      assert.match(await page.textContent('#status'), /Nobody has answered yet/);
    });
  },
  async 'and a page that loads a picture, or throws, is noticed'({ context, address, folder }) {
    const file = join(folder, 'noisy.html');
    writeFileSync(file, '<img src="missing.png"><script>throw new Error("a mistake")</script>');
    const page = await context.newPage();
    const heard = listen(page, address);
    await page.goto(pathToFileURL(file).href);
    await page.close();
    assert.ok(heard.asked.some((url) => url.endsWith('missing.png')));
    assert.ok(heard.complaints.includes('a mistake'));
  },
  async 'its policy lets nothing be fetched, even by a program in it'({ context, address }) {
    const page = await context.newPage();
    await page.goto(address);
    const broken = await page.evaluate(
      (url) =>
        new Promise((settle) => {
          document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => settle(effectiveDirective));
          fetch(url).catch(() => undefined);
        }),
      address,
    );
    await page.close();
    assert.equal(broken, 'connect-src');
  },
  'it carries the data of the example, and no address of anybody'({ address }) {
    const text = readFileSync(fileURLToPath(address), 'utf8');
    const [, example] = text.match(/id="example">(.*?)<\/script>/s);
    assert.equal(JSON.parse(example).animals.length, 342);
    // Names of XML namespaces, and the pages of the licences that libraries name, are no addresses to load from.
    assert.equal(text.match(/(?:src|href)="(?!data:,)/g), null);
  },
};
