// What the page says of an attacker is the guarantee, and nobody beats it.
import assert from 'node:assert/strict';
import { choose, numberIn, withPage } from './playground.mjs';

/** Guesses of one press. */
const GUESSES = 2000;

/** By how much a share of right guesses is above its mean with probability at most 1e-6 (Hoeffding): 5.9 %. */
const CHANCE = 100 * Math.sqrt(Math.log(1e6) / (2 * GUESSES));

/** Of ε = 8 and 1: e^ε/(1 + e^ε). */
const MOST = { 11: 99.97, 5: 73.11 };

export const attackerTests = {
  async 'the best attacker is right as often as ε allows, and no more'({ context, address }) {
    await withPage(context, address, async (page) => {
      for (const [place, most] of Object.entries(MOST)) {
        await choose(page, { strength: place });
        await page.waitForFunction(
          (text) => document.querySelector('#most').textContent === text,
          `${most.toFixed(1)} %`,
        );
        await page.click('#thousand');
        const share = await numberIn(page, 'attacker');
        assert.ok(share <= most + CHANCE, `${share} of ${most}`);
        // It is no blind guess: at ε = 1 its own law is right at least two times of three.
        assert.ok(share >= 66 - CHANCE && share > 50, `${share} of ${most}`);
        assert.equal(await page.locator('#trade-off rect.marker').count(), 1);
        assert.match(await page.getAttribute('#trade-off', 'aria-label'), /The best attacker had/);
      }
      // The control: what ε = 8 allows is refused by the bound of ε = 1.
      await choose(page, { strength: '11' });
      await page.click('#thousand');
      assert.ok((await numberIn(page, 'attacker')) > MOST[5] + CHANCE);
    });
  },
  async 'at ε = 8 who follows the arrow is right nearly always, and the score says so'({ context, address }) {
    await withPage(context, address, async (page) => {
      await choose(page, { strength: '11' });
      await page.waitForFunction(() => document.querySelector('#most').textContent === '100.0 %');
      for (let round = 1; round <= 20; round++) {
        const said = await page.getAttribute('#report', 'aria-label');
        const degrees = Math.abs(Number(said.match(/points (-?\d+) degrees/)[1]));
        await page.click(degrees < 90 ? '#yes' : '#no');
        assert.match(await page.textContent('#verdict'), /^(Right|Wrong): it was a (yes|no)\./);
        assert.match(await page.textContent('#you'), new RegExp(`\\(\\d+ of ${round}\\)$`));
      }
      // Half right has probability 2⁻²⁰ ten or fewer times of twenty with a coin; the arrow is hardly ever wrong.
      assert.ok((await numberIn(page, 'you')) >= 80);
    });
  },
  async 'the slider of the attacker follows ε of the collection, and can then be moved alone'({ context, address }) {
    await withPage(context, address, async (page) => {
      await choose(page, { epsilon: '7' });
      assert.equal(await page.inputValue('#strength'), '7');
      assert.equal(await page.textContent('#strength + output'), 'ε = 2');
      await choose(page, { strength: '2' });
      assert.equal(await page.inputValue('#epsilon'), '7');
      assert.equal(await page.textContent('#strength + output'), 'ε = 0.3');
      await page.waitForFunction(() => /At ε = 0\.3 /.test(document.querySelector('#bound').textContent));
    });
  },
};
