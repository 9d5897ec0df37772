// What the page learns is what the same protocol learns in Node.
import assert from 'node:assert/strict';
import { hinge } from 'ldpkit/protocols/hinge';
import { datasetPopulation, simulate } from 'ldpkit/simulate';
import { moduleOf } from './chromium.mjs';
import { choose, collect, numberIn, withPage } from './playground.mjs';

/** Repetitions in Node, with fixed coins. */
const REPETITIONS = 12;

/**
 * A number of the page and twelve of Node have the same law: then their difference over its standard error has Student's law
 * with 11 degrees of freedom, as far as estimates from 100,000 reports are normal, and is above 10 in size with
 * probability 7.5e-7. Twelve numbers are compared: a false alarm in one of 100,000 runs.
 */
const LIMIT = 10;

function distance(number, others) {
  const mean = others.reduce((sum, other) => sum + other, 0) / others.length;
  const square = others.reduce((sum, other) => sum + (other - mean) ** 2, 0) / (others.length - 1);
  return Math.abs(number - mean) / Math.sqrt(square * (1 + 1 / others.length));
}

/** The models and risks of Node on the same people, from other coins. */
async function inNode(people) {
  const { createBench, recordsOf, joined, chunksOf } = await moduleOf('evidence.ts');
  const parameters = hinge.make({ variant: 'lifted', epsilon: 1, degree: 1, dimension: 10, grade: 'deployment' });
  const example = { animals: [] };
  const bench = createBench({ request: parameters.request, digest: parameters.digest, people, example });
  const chunks = Array.from({ length: chunksOf(people) }, (_, chunk) => chunk);
  const population = datasetPopulation(joined(chunks.map((chunk) => recordsOf(people, example, chunk))));
  const fits = Array.from({ length: REPETITIONS }, (_, seed) =>
    bench.fit(simulate(hinge, parameters, population, { seed: `in Node ${seed}` }), []),
  );
  return { fits, truth: bench.truth(chunks) };
}

/** The weights that the picture of the model says, private and best. */
async function weightsIn(page) {
  const said = await page.getAttribute('#models', 'aria-label');
  const pairs = [...said.matchAll(/x\d+: (-?[\d.]+), best (-?[\d.]+)/g)];
  return { found: pairs.map(([, w]) => Number(w)), best: pairs.map(([, , w]) => Number(w)) };
}

export const estimateTests = {
  async '100,000 players of p = 10 answer, and the estimate has the law that it has in Node'({ context, address }) {
    const people = { source: 'classes', players: 100_000, dimension: 10, positive: 0.5, wrong: 0.1 };
    const seen = await withPage(context, address, async (page) => {
      await collect(page);
      assert.match(await page.textContent('#status'), /^100,000 people answered/);
      assert.match(await page.textContent('#bytes'), /^100,000 × 49 = 4,900,000$/);
      // From the first thousand on, and each interval drawn.
      assert.ok((await page.locator('#risk circle').count()) >= 4);
      assert.equal(await page.locator('#models .interval').count(), 10);
      return {
        ...(await weightsIn(page)),
        said: await numberIn(page, 'said-risk'),
        risk: await numberIn(page, 'true-risk'),
        best: await numberIn(page, 'best-risk'),
        truth: (await weightsIn(page)).best,
      };
    });
    const { fits, truth } = await inNode(people);
    // The people are the same. Which fourth of them the best model is found from depends on the order of their answers: its
    // risk moves by p/2n at most, which is 2e-4, and is printed to four places.
    assert.ok(Math.abs(seen.best - truth.risk) < 1e-3, `${seen.best} and ${truth.risk}`);
    assert.ok(seen.risk >= seen.best - 1e-3);
    const numbers = [
      [seen.said, fits.map(({ risk }) => risk)],
      ...seen.found.map((w, j) => [w, fits.map((fit) => fit.w[j])]),
    ];
    assert.equal(numbers.length, 11);
    for (const [number, others] of numbers) assert.ok(distance(number, others) < LIMIT, `${number} and ${others}`);
    // The control: a model that takes every yes for a no is refused by the same comparison.
    assert.ok(
      seen.found.some(
        (w, j) =>
          distance(
            -w,
            fits.map((fit) => fit.w[j]),
          ) > LIMIT,
      ),
    );
  },
  async 'other people are another answer: with two fifths of wrong answers the best risk is that of Node, and higher'({
    context,
    address,
  }) {
    const people = { source: 'classes', players: 10_000, dimension: 10, positive: 0.5, wrong: 0.4 };
    const { createBench } = await moduleOf('evidence.ts');
    const { request, digest } = hinge.make({
      variant: 'lifted',
      epsilon: 1,
      degree: 1,
      dimension: 10,
      grade: 'deployment',
    });
    const bench = createBench({ request, digest, people, example: { animals: [] } });
    const { risk } = bench.truth(Array.from({ length: 80 }, (_, chunk) => chunk));
    await withPage(context, address, async (page) => {
      await choose(page, { players: '10,000', wrong: '40' });
      await collect(page);
      assert.ok(Math.abs((await numberIn(page, 'best-risk')) - risk) < 1e-3);
      assert.ok(risk > 0.4);
    });
  },
  async 'penguins, every variant and every degree are collected to the end'({ context, address }) {
    await withPage(context, address, async (page) => {
      assert.deepEqual([await page.isVisible('#dimension'), await page.isVisible('.note.penguins')], [true, false]);
      await choose(page, { players: '10,000', source: 'penguins', epsilon: '9' });
      assert.deepEqual([await page.isVisible('#dimension'), await page.isVisible('.note.penguins')], [false, true]);
      for (const variant of ['lifted', 'sampled', 'gaussian']) {
        for (const degree of ['1', '2', '3']) {
          await choose(page, { variant, degree });
          await collect(page);
          assert.match(await page.textContent('#status'), /^10,000 people answered/);
          // Four of five penguins are told right without privacy; a coin is right for half of them.
          assert.ok((await numberIn(page, 'best-accuracy')) > 80);
          assert.equal(await page.locator('#models .interval').count(), 5);
        }
      }
    });
  },
  async 'a collection can be stopped, and begun again'({ context, address }) {
    await withPage(context, address, async (page) => {
      await choose(page, { players: '1,000,000' });
      await page.click('#start');
      await page.waitForSelector('#risk circle', { state: 'attached' });
      await page.click('#stop');
      assert.match(await page.textContent('#status'), /^Stopped/);
      const share = await page.locator('#progress').evaluate((bar) => bar.value);
      assert.ok(share > 0 && share < 1);
      await choose(page, { players: '1,000' });
      await collect(page);
      assert.match(await page.textContent('#status'), /^1,000 people answered/);
      // Nothing of the stopped collection arrives any more.
      assert.match(await page.textContent('#bytes'), /^1,000 × 49 = 49,000$/);
    });
  },
};
