// The check of the site that `npm run docs` makes, on small sites: what is sound, and what is wrong in one way each.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { checkSite } from './check-site.mjs';

const place = mkdtempSync(join(tmpdir(), 'ldpkit-site-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const SOUND = {
  'index.html':
    '<a href="pages/a.html#one">A</a><img src="media/x.svg"><a href="https://example.org/#no">B</a><script src="s.js"></script>',
  'pages/a.html': '<h1 id="one">A</h1><a class="x" href="../index.html?q=1">up</a><a href="#one">here</a>',
  'media/x.svg': '<svg/>',
  's.js': '',
};
let count = 0;

function wrongOf(files: { readonly [path: string]: string }): readonly string[] {
  const folder = join(place, String(count++));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return checkSite(folder).wrong;
}

test('a sound site has nothing wrong', () => {
  expect(wrongOf(SOUND)).toEqual([]);
});

test.each([
  [
    'a page that is not there',
    { 's2.html': '<a href="nowhere.html">A</a>' },
    'links to nowhere.html, which is not there',
  ],
  ['a heading that is not there', { 's2.html': '<a href="pages/a.html#two">A</a>' }, 'a place that is not there'],
  ['a heading of its own that is not there', { 's2.html': '<a href="#two">A</a>' }, 'a place that is not there'],
  ['a picture that is not there', { 's2.html': '<img alt="" src="media/y.svg">' }, 'media/y.svg, which is not there'],
  ['a page that is too large', { 's2.html': 'x'.repeat(200_001) }, 's2.html has 200001 bytes'],
])('%s is told', (_, change, message) => {
  const wrong = wrongOf({ ...SOUND, ...change });
  expect(wrong).toHaveLength(1);
  expect(wrong[0]).toContain(message);
});
