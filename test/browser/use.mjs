// The page by keyboard, in the dark, on a phone, and for those who cannot see it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { choose, collect, ended, withPage } from './playground.mjs';

/** Everything that can be operated, in the order of the page, while nothing is collected. */
const CONTROLS = [
  ...['source', 'players', 'dimension', 'positive', 'wrong', 'epsilon', 'variant', 'degree', 'start'],
  ...['strength', 'no', 'yes', 'thousand', 'again'],
];

/** WCAG 2.2, level AA. */
const TEXT = 4.5;
const SHAPES = 3;

/** Runs in the page: the least contrast of all texts with what is behind them, and of all marks of the pictures. */
function contrasts() {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (colour) => {
    const [r, g, b] = rgb(colour).map((part) =>
      part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (rgb(backgroundColor)[3] === 255) return backgroundColor;
    }
    return 'white';
  };
  const all = [...document.querySelectorAll('main *')].filter((element) => element.getClientRects().length > 0);
  const texts = all.filter((element) =>
    [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''),
  );
  const marks = all.filter((element) => element.matches('.marker, .line'));
  const least = (elements, colourOf) =>
    elements.reduce((found, element) => Math.min(found, ratio(colourOf(element), behind(element))), 21);
  return {
    count: texts.length,
    // A disabled button is exempt.
    texts: least(
      texts.filter((element) => !element.matches(':disabled, option')),
      (element) => getComputedStyle(element)[element.closest('svg') ? 'fill' : 'color'],
    ),
    marks: least(marks, (element) => getComputedStyle(element)[element.matches('.marker') ? 'fill' : 'stroke']),
  };
}

async function readable(page) {
  const { count, texts, marks } = await page.evaluate(contrasts);
  assert.ok(count > 80, `${count} texts`);
  assert.ok(texts >= TEXT, `a text has a contrast of ${texts.toFixed(2)}`);
  assert.ok(marks >= SHAPES, `a mark has a contrast of ${marks.toFixed(2)}`);
}

/** Runs in the page: what reaches beyond its right edge. */
const tooWide = () =>
  [...document.querySelectorAll('main *')]
    .filter(
      (element) => element.closest('.scroll, svg') === null && element.getBoundingClientRect().right > innerWidth + 0.5,
    )
    .map(({ tagName, id }) => `${tagName} ${id}`);

/** What is wider than the window, and by how many pixels the page can be moved to the side. */
const excess = async (page) => [
  await page.evaluate(tooWide),
  await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
];

const fits = async (page) => assert.deepEqual(await excess(page), [[], 0]);

export const useTests = {
  async 'every control is reached by the tab key, in the order of the page, and shows that it is'({
    context,
    address,
  }) {
    await withPage(context, address, async (page) => {
      for (const id of CONTROLS) {
        await page.keyboard.press('Tab');
        const at = await page.evaluate(() => ({
          id: document.activeElement.id,
          outline: getComputedStyle(document.activeElement).outlineStyle,
        }));
        assert.deepEqual(at, { id, outline: 'solid' });
      }
    });
  },
  async 'settings, a collection and the game work by keyboard alone'({ context, address }) {
    await withPage(context, address, async (page) => {
      await page.focus('#epsilon');
      await page.keyboard.press('ArrowRight');
      assert.equal(await page.textContent('#epsilon + output'), 'ε = 1.5');
      await page.focus('#players');
      for (let step = 0; step < 2; step++) await page.keyboard.press('ArrowUp');
      assert.equal(await page.inputValue('#players'), '1,000');
      await page.focus('#start');
      await page.keyboard.press('Enter');
      await ended(page);
      assert.match(await page.textContent('#status'), /^1,000 people answered/);
      assert.equal(await page.evaluate(() => document.activeElement.id), 'start');
      await page.focus('#yes');
      await page.keyboard.press('Space');
      assert.match(await page.textContent('#you'), /of 1\)$/);
    });
  },
  async 'every control and every picture has a name, and pictures say what they show'({ context, address }) {
    await withPage(context, address, async (page) => {
      const names = await page.evaluate(() =>
        [...document.querySelectorAll('input, select, button, progress')].map(
          (element) => element.labels?.[0]?.textContent || element.getAttribute('aria-label') || element.textContent,
        ),
      );
      assert.equal(names.length, CONTROLS.length + 2);
      assert.ok(names.every((name) => name.trim().length > 3));
      await choose(page, { players: '1,000' });
      await collect(page);
      for (const id of ['risk', 'models', 'trade-off', 'report']) {
        const said = await page
          .getByRole('img')
          .and(page.locator(`#${id}`))
          .getAttribute('aria-label');
        assert.match(said, /\d/);
      }
      assert.match(await page.getAttribute('#risk', 'aria-label'), /After 1,000 reports/);
    });
  },
  async 'it is readable in light and in the dark, and the two differ'({ context, address, pictures }) {
    await withPage(context, address, async (page) => {
      await collect(page);
      await page.click('#thousand');
      const papers = [];
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        await readable(page);
        await fits(page);
        papers.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
        await page.screenshot({ path: join(pictures, `${colorScheme}.png`), fullPage: true });
      }
      assert.notEqual(papers[0], papers[1]);
      // The control: grey text on this paper is noticed.
      await page.addStyleTag({ content: '.note { color: #555 !important; }' });
      assert.ok((await page.evaluate(contrasts)).texts < TEXT);
    });
  },
  async 'it fits 400 and 320 pixels'({ context, address, pictures }) {
    await withPage(context, address, async (page) => {
      await page.setViewportSize({ width: 400, height: 800 });
      await collect(page);
      await choose(page, { variant: 'gaussian', dimension: '14' });
      await page.waitForFunction(() => document.querySelectorAll('#parts tbody tr').length === 22);
      await fits(page);
      await page.screenshot({ path: join(pictures, 'narrow.png'), fullPage: true });
      await page.setViewportSize({ width: 320, height: 800 });
      await fits(page);
      // The control: a word that is too long is noticed.
      await page.locator('#bound').evaluate((element) => {
        element.textContent = 'x'.repeat(100);
      });
      await assert.rejects(fits(page));
    });
  },
};
