import { expect, test } from '@jest/globals';
import { naive, userLevelMean } from '../../protocols/user-level-mean/index.ts';
import {
  binQuestion,
  pairEdge,
  pairFailure,
  type Question,
  type ScalarRound,
  scalarRound,
} from '../../protocols/user-level-mean/scalar/question.ts';
import { fitSigns } from '../../protocols/user-level-mean/scalar/sign-fit.ts';
import { twoLevels } from '../../src/mechanism/exact-coin.ts';
import { normal } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { localisationFloor } from '../evidence/user-level-mean/closed-forms.ts';

const { player, server } = userLevelMean;
const BINS = 16;
const WIDTH = 2 / BINS;

/** A round that asks one question by itself: the plan gives it a name only. */
function asking(question: Question): ScalarRound {
  const plan = naive({ epsilon: 1, delta: 1e-6, players: 1, samples: 1 });
  return scalarRound(plan, { round: 0, share: 1, role: 'pilot' }, question);
}

/** How often n one-hot reports point to a pair of bins that does not touch the mean, which is anywhere. */
function failures(epsilon: number, players: number, trials: number): number {
  const question = binQuestion(1, BINS, epsilon);
  const round = asking(question);
  const random = seededRandom(`localise ${epsilon} ${players}`);
  let failed = 0;
  for (let trial = 0; trial < trials; trial++) {
    const mean = 0.8 * Math.sin(trial);
    const tally = server.empty(round);
    for (let i = 0; i < players; i++) {
      server.add(round, tally, player.randomize(round, { samples: [mean + 0.25 * WIDTH * normal(random)] }, random));
    }
    if (Math.abs(pairEdge(question, tally) - mean) > WIDTH) failed++;
  }
  return failed / trials;
}

/** Players for a failure rate of one half, between powers of 2^¼. */
function halfWay(epsilon: number): number {
  let [players, before, at] = [4, 1, 1];
  while (at > 0.5) {
    before = at;
    players *= 2 ** 0.25;
    at = failures(epsilon, Math.round(players), 300);
  }
  return players / 2 ** (0.25 * ((0.5 - at) / Math.max(1e-9, before - at)));
}

test('finding the mean takes n ∝ 1/ε² players for small ε: the condition n = Ω̃(1/ε) of the slides is not enough', () => {
  const needed = [0.5, 1].map(halfWay);
  // A rate near one half from 300 trials is off by .029 (one deviation), and the rate falls by about .1 for each factor 2^¼: n is
  // off by 5 %, the ratio by 7 %; five deviations are 35 % of it. By e^ε the ratio is sinh²(½)/sinh²(¼) = 4.26; by 1/ε it is 2.
  const ratio = needed[0] / needed[1];
  expect(ratio).toBeGreaterThan(2.8);
  expect(ratio).toBeLessThan(6);
});

test('the probability not to find the mean falls exponentially with n, and stays below the forecast', () => {
  const [few, twice, four] = [40, 80, 160].map((players) => failures(1, players, 600));
  // Exponential: p(2n) about p(n)², up to the factor before it. As 1/√n it would fall by .71 only.
  expect(few).toBeGreaterThan(0.08);
  expect(twice).toBeLessThan(0.5 * few);
  expect(four).toBeLessThan(0.3 * twice);
  const { mechanism } = binQuestion(1, BINS, 1);
  // 600 trials: a rate p is off by √(p/600), five of which are added.
  for (const [players, rate] of [
    [80, twice],
    [160, four],
  ]) {
    const forecast = pairFailure(mechanism, players);
    expect(rate).toBeLessThan(forecast + 5 * Math.sqrt(forecast / 600));
  }
  expect(localisationFloor(400, 1, 0.01, 1)).toBeLessThan(localisationFloor(200, 1, 0.01, 1));
});

test('thresholds over the whole range find the mean too, and know how well', () => {
  const coin = twoLevels(1, 1, 1);
  const question = { kind: 'sign', lower: -1, upper: 1, cells: 16, coin } as const;
  const round = asking(question);
  const random = seededRandom('thresholds');
  let [squared, stated, outside] = [0, 0, 0];
  const trials = 600;
  for (let trial = 0; trial < trials; trial++) {
    const mean = 0.8 * Math.sin(trial);
    const { sums: counts, ...tally } = server.empty(round);
    for (let i = 0; i < 1000; i++) {
      const report = player.randomize(round, { samples: [mean + 0.03 * normal(random)] }, random);
      server.add(round, { ...tally, sums: counts }, report);
    }
    const fit = fitSigns([{ question, counts }], { lower: -1, upper: 1, deviation: 0.03 });
    squared += (fit.mean - mean) ** 2 / trials;
    stated += fit.standardError ** 2 / trials;
    if (Math.abs(fit.mean - mean) > 4 * fit.standardError) outside++;
  }
  // The posterior variance is right on average; a mean of 600 squares is off by about 7.5 % (heavier than normal), four are 30 %: a
  // stated error that is off by a fifth is found.
  expect(Math.abs(squared / stated - 1)).toBeLessThan(0.3);
  // Beyond four standard errors lies 6e-5 of a normal law; even ten times that gives three of 600 with probability 6e-3.
  expect(outside).toBeLessThanOrEqual(2);
});
