import { describe, expect, test } from '@jest/globals';
import {
  acceptanceProbability,
  type PureTransformation,
  pureFromApproximate,
  randomizePureFromApproximate,
} from '../../../src/mechanism/pure-from-approximate.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { chiSquareTest } from '../../statistics/chi-square.ts';
import { indexLaw, knownRandomizer, type LeakingChannel, leakingChannel, multisets } from './leaking-channel.ts';

const EPSILON = 0.25;
const DELTA = 1e-4;
const channel = leakingChannel(EPSILON, DELTA);
const made = pureFromApproximate({ epsilon: EPSILON, delta: DELTA, players: 1, failure: 0.1 });
/** The same with fewer samples, so that everything can be enumerated; T = 7 is the least of the theorem. */
const small: PureTransformation = { ...made, samples: 7 };

/** The largest log-ratio of any index between the two data, over all public samples. */
function worstLoss(given: LeakingChannel, accept: (logRatio: number) => number): number {
  const { logRatio } = knownRandomizer(given);
  let worst = 0;
  for (const { reports } of multisets(4, 7)) {
    const laws = [0, 1].map((datum) => indexLaw(reports.map((report) => accept(logRatio(report, datum)))));
    for (let i = 0; i < 7; i++) worst = Math.max(worst, Math.abs(Math.log(laws[0][i] / laws[1][i])));
  }
  return worst;
}

describe('The pure randomizer made from an (ε, δ) one', () => {
  test('is within its largest loss, hence 10ε, for all public samples of a channel that leaks', () => {
    const worst = worstLoss(channel, (logRatio) => acceptanceProbability(small, logRatio));
    expect(worst).toBeLessThanOrEqual(made.guarantee.epsilon);
    // This channel's ratios are within e^ε where they are not stray, so it stays well below.
    expect(worst).toBeGreaterThan(0.5 * EPSILON);
  });

  test('control: without the clipping of the ratios it exceeds 10ε', () => {
    expect(worstLoss(channel, (logRatio) => Math.min(1, Math.exp(logRatio) / 2))).toBeGreaterThan(10 * EPSILON);
  });

  test('has the exact largest loss over all acceptances in the range: no choice exceeds it, and one attains it', () => {
    const { least, most } = small;
    const laws = [...Array(2 ** 7).keys()].map((corner) =>
      indexLaw([...Array(7).keys()].map((i) => (Math.floor(corner / 2 ** i) % 2 === 1 ? most : least))),
    );
    const first = laws.map((law) => law[0]);
    const largest = Math.log(Math.max(...first) / Math.min(...first));
    const claimed = pureFromApproximate({ epsilon: EPSILON, delta: 1e-12, players: 1, failure: 0.02 });
    expect(claimed.samples).toBe(7);
    expect(claimed.largestLoss).toBeCloseTo(largest, 12);
    expect(claimed.largestLoss).toBeGreaterThanOrEqual(largest * (1 - 1e-14));
    expect(claimed.largestLoss).toBeLessThanOrEqual(10 * EPSILON);
  });

  test('chooses a sample whose law is within the distance stated of the original report', () => {
    const { logRatio } = knownRandomizer(channel);
    for (const [datum, law] of channel.data.entries()) {
      const chosen = new Float64Array(4);
      for (const { reports, orders } of multisets(4, 7)) {
        const probability = reports.reduce((product, report) => product * channel.open[report], orders);
        indexLaw(reports.map((report) => acceptanceProbability(small, logRatio(report, datum)))).forEach((index, i) => {
          chosen[reports[i]] += probability * index;
        });
      }
      const distance = law.reduce((sum, p, report) => sum + Math.abs(p - chosen[report]) / 2, 0);
      const stray = DELTA / -Math.expm1(-EPSILON);
      expect(distance).toBeLessThanOrEqual(1.5 * stray + (0.5 + stray / 2) ** 7);
      expect(distance).toBeGreaterThan(0);
    }
  });

  test('sends indices of the law enumerated; control: not that of acceptances 5 % larger', () => {
    // 2e5 draws. A p-value below 1e-6 would be a false alarm once in a million seeds; the seed is fixed.
    const random = seededRandom('indices of the public samples');
    const reports = [0, 0, 1, 1, 1, 2, 3];
    const randomizer = knownRandomizer(leakingChannel(0.25, 0.01));
    const p = reports.map((report) => acceptanceProbability(small, randomizer.logRatio(report, 0)));
    const counts = new Float64Array(7);
    for (let draw = 0; draw < 2e5; draw++) {
      counts[randomizePureFromApproximate(small, randomizer, reports, 0, random)]++;
    }
    expect(chiSquareTest(counts, indexLaw(p))).toBeGreaterThan(1e-6);
    const other = indexLaw(p.map((probability, i) => (i < 2 ? probability * 1.05 : probability)));
    expect(chiSquareTest(counts, other)).toBeLessThan(1e-6);
  });

  test('accepts with half the ratio of the densities in the range, and with ½ outside it or without a ratio', () => {
    const inside = [-0.5, -0.3, 0, 0.3, 0.5].map((logRatio) => acceptanceProbability(made, logRatio));
    expect(inside).toEqual([Math.exp(-0.5) / 2, Math.exp(-0.3) / 2, 0.5, Math.exp(0.3) / 2, Math.exp(0.5) / 2]);
    for (const logRatio of [-0.51, 0.51, 700, 1e5, Infinity, -Infinity, Number.NaN]) {
      expect(acceptanceProbability(made, logRatio)).toBe(0.5);
    }
  });

  test('refuses another number of samples, without a word about the datum', () => {
    const call = (): number => randomizePureFromApproximate(made, knownRandomizer(channel), [0], 1, seededRandom('x'));
    expect(call).toThrow(`"publicReports" expected ${made.samples} samples, got 1`);
  });
});
