import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { randomizedResponse, subsetSelection } from '../../../src/mechanism/categories.ts';
import {
  bestFrequencyMechanism,
  estimateFrequencies,
  type FrequencyMechanism,
  frequencyVariance,
  hadamardResponse,
} from '../../../src/mechanism/frequency.ts';
import { bits, type Random } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { chiSquareTest } from '../../statistics/chi-square.ts';
import { scripted } from '../random/scripted.ts';
import { type CategoryReport, enumerate, moments, reportOf, tallyOf } from './category-channel.ts';
import { atMostExponential, budgets, exceedsExponential, UNITS, whole } from './finite-channel.ts';

/** Mechanisms small enough to enumerate, at an ε. */
function small(epsilon: number): FrequencyMechanism[] {
  return [
    ...[2, 3, 7].map((categories) => randomizedResponse({ epsilon, categories })),
    ...[
      [2, 2],
      [5, 2],
      [5, 4],
      [6, 4],
      [7, 8],
      [7, 4],
      [3, 8],
    ].map(([categories, blockSize]) => hadamardResponse({ epsilon, categories, blockSize })),
    ...[
      [2, 1],
      [4, 2],
      [5, 1],
      [5, 3],
      [6, 2],
      [6, 5],
    ].map(([categories, subset]) => subsetSelection({ epsilon, categories, subset })),
  ];
}

describe.each([1e-6, 0.3, 1, 4, 40])('the enumerated channels at ε = %p', (epsilon) => {
  const channels = small(epsilon).map((mechanism) => {
    return { mechanism, rows: Array.from({ length: mechanism.categories }, (_, c) => enumerate(mechanism, c)) };
  });

  test('sum to 1 in whole numbers, and give no report the probability 0', () => {
    for (const { mechanism, rows } of channels) {
      for (const { law, denominator } of rows) {
        expect([...law.values()].reduce((sum, weight) => sum + weight, 0n)).toBe(denominator);
        expect([...law.values()].every((weight) => weight > 0n)).toBe(true);
        expect(law.size).toBe(rows[0].law.size);
      }
      const choose = (n: number, m: number): number => (m === 0 ? 1 : (choose(n - 1, m - 1) * n) / m);
      const { name, categories } = mechanism;
      const outputs =
        name === 'randomized response'
          ? categories
          : name === 'Hadamard response'
            ? mechanism.outputs
            : choose(categories, mechanism.subset);
      expect(rows[0].law.size).toBe(Math.round(outputs));
    }
  });

  test('have ratios of at most e^ε between whole numbers, and reach the ε that is stated', () => {
    for (const { mechanism, rows } of channels) {
      let largest = [0n, 1n];
      for (const { law, denominator } of rows) {
        for (const other of rows) {
          for (const [report, weight] of law) {
            const above = weight * other.denominator;
            const below = (other.law.get(report) ?? 0n) * denominator;
            if (above * largest[1] > largest[0] * below) largest = [above, below];
          }
        }
      }
      expect(atMostExponential(largest[0], largest[1], epsilon)).toBe(true);
      expect(exceedsExponential(largest[0], largest[1], mechanism.exactEpsilon * (1 - 1e-12) - 1e-15)).toBe(true);
      expect(mechanism.exactEpsilon).toBeLessThanOrEqual(epsilon);
    }
  });

  test('give unbiased estimates of exactly the variance that is stated', () => {
    for (const { mechanism, rows } of channels) {
      let largest = 0;
      rows.forEach((row, category) => {
        const [mean, variance] = moments(mechanism, row);
        const truth = new Float64Array(mechanism.categories);
        truth[category] = 1;
        const size = Math.sqrt(mechanism.squaredError) + 1;
        let error = 0;
        for (let c = 0; c < mechanism.categories; c++) {
          expect(Math.abs(mean[c] - truth[c]) / size).toBeLessThan(1e-11);
          const stated = frequencyVariance(mechanism, c, truth, 1);
          expect(Math.abs(variance[c] - stated) / size ** 2).toBeLessThan(1e-11);
          error += variance[c];
        }
        largest = Math.max(largest, error);
      });
      expect(Math.abs(largest - mechanism.squaredError) / (largest + 1)).toBeLessThan(1e-11);
    }
  });
});

test('a keep probability of one unit more breaks the bound: the enumeration would notice', () => {
  for (const mechanism of small(1)) {
    const [first, second] = [0, 1].map((category) => enumerate({ ...mechanism, keep: mechanism.keep + 1 }, category));
    const broken = [...first.law].some(([report, weight]) => {
      return exceedsExponential(weight * second.denominator, second.law.get(report)! * first.denominator, 1);
    });
    expect(broken).toBe(true);
  }
});

describe('for all numbers of categories and budgets', () => {
  const requests = fc.record({
    epsilon: budgets,
    categories: fc.oneof(fc.integer({ min: 2, max: 50 }), fc.integer({ min: 2, max: 2 ** 20 })),
  });

  test('the least probability is not 0, the ratio at most e^ε, and the facts are finite', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const { epsilon, categories } = request;
        for (const it of [randomizedResponse(request), hadamardResponse(request), subsetSelection(request)]) {
          const near =
            it.name === 'subset selection' ? it.subset : it.name === 'Hadamard response' ? it.blockSize / 2 : 1;
          const far = it.name === 'Hadamard response' ? it.outputs - near : categories - near;
          const keep = whole(it.keep);
          expect(UNITS - keep).toBeGreaterThan(0n);
          expect(atMostExponential(keep * BigInt(far), (UNITS - keep) * BigInt(near), epsilon)).toBe(true);
          expect(it.exactEpsilon <= epsilon && it.exactEpsilon > 0).toBe(true);
          expect(it.squaredError > 0 && it.squaredError < Infinity).toBe(true);
        }
      }),
      { numRuns: 200, seed: 5 },
    );
  });

  test('the subset and the block of least error are found', () => {
    for (const epsilon of [0.1, 1, 2, 4]) {
      for (const categories of [2, 5, 23, 60]) {
        const subsets = Array.from({ length: categories - 1 }, (_, i) => {
          return subsetSelection({ epsilon, categories, subset: i + 1 }).squaredError;
        });
        const least = Math.min(...subsets);
        expect(subsetSelection({ epsilon, categories }).squaredError).toBeLessThanOrEqual(least * (1 + 1e-14));
        const blocks = [2, 4, 8, 16, 32, 64, 128].map((blockSize) => {
          return hadamardResponse({ epsilon, categories, blockSize }).squaredError;
        });
        const found = hadamardResponse({ epsilon, categories }).squaredError;
        expect(Math.abs(found / Math.min(...blocks) - 1)).toBeLessThan(1e-12);
      }
    }
  });

  test('the best mechanism is the one of least error', () => {
    const names = [
      [10, 2],
      [10, 1],
      [1000, 4],
      [1000, 8],
      [2, 0.1],
    ].map(([categories, epsilon]) => bestFrequencyMechanism({ categories, epsilon }).name);
    expect(names).toEqual([
      'randomized response',
      'subset selection',
      'subset selection',
      'randomized response',
      'randomized response',
    ]);
    fc.assert(
      fc.property(requests, (request) => {
        const all = [randomizedResponse(request), hadamardResponse(request), subsetSelection(request)];
        const least = Math.min(...all.map((it) => it.squaredError));
        return bestFrequencyMechanism(request).squaredError <= least * (1 + 2e-12);
      }),
      { numRuns: 100, seed: 6 },
    );
  });
});

describe('many reports', () => {
  test.each([
    randomizedResponse({ epsilon: 1, categories: 6 }),
    hadamardResponse({ epsilon: 2, categories: 6, blockSize: 4 }),
    subsetSelection({ epsilon: 1, categories: 6, subset: 2 }),
  ])('of $name have the enumerated law', (mechanism) => {
    const { law, denominator } = enumerate(mechanism, 4);
    const keys = [...law.keys()];
    const random = seededRandom('law');
    const counts = new Float64Array(keys.length);
    const places = new Map(keys.map((key, i) => [key, i]));
    for (let i = 0; i < 60_000; i++) counts[places.get(JSON.stringify(reportOf(mechanism, 4, random)))!]++;
    const probabilities = keys.map((key) => Number((law.get(key)! << 60n) / denominator) * 2 ** -60);
    // A false alarm has probability 1e-4 each. The control: a tenth of the likeliest report's probability moved to another.
    expect(chiSquareTest(counts, probabilities)).toBeGreaterThan(1e-4);
    const likeliest = probabilities.indexOf(Math.max(...probabilities));
    const moved = 0.1 * probabilities[likeliest];
    const other = (likeliest + 1) % keys.length;
    const wrong = probabilities
      .with(likeliest, probabilities[likeliest] - moved)
      .with(other, probabilities[other] + moved);
    expect(chiSquareTest(counts, wrong)).toBeLessThan(1e-4);
  });

  test.each([
    randomizedResponse({ epsilon: 2, categories: 40 }),
    hadamardResponse({ epsilon: 2, categories: 40 }),
    subsetSelection({ epsilon: 2, categories: 40 }),
  ])('of $name give frequencies within their standard errors', (mechanism) => {
    const random = seededRandom('frequencies');
    const reports: CategoryReport[] = [];
    const players = 20_000;
    const frequencies = new Float64Array(40);
    for (let i = 0; i < players; i++) {
      const category = Math.floor(i / 500) < 20 ? 3 : i % 40;
      frequencies[category] += 1 / players;
      reports.push(reportOf(mechanism, category, random));
    }
    const estimate = estimateFrequencies(mechanism, tallyOf(mechanism, reports));
    const deviations = [...estimate].map((value, c) => {
      return Math.abs(value - frequencies[c]) / Math.sqrt(frequencyVariance(mechanism, c, frequencies, players));
    });
    // 40 deviations, each beyond 4.5 standard errors with probability 7e-6. The control: estimates 20 % too large are
    // more than that away where half of all players are.
    expect(Math.max(...deviations)).toBeLessThan(4.5);
    const three = Math.sqrt(frequencyVariance(mechanism, 3, frequencies, players));
    expect(Math.abs(1.2 * estimate[3] - frequencies[3]) / three).toBeGreaterThan(4.5);
  });

  test('are refused of counts of another number', () => {
    for (const mechanism of [randomizedResponse, subsetSelection, hadamardResponse].map((make) =>
      make({ epsilon: 1, categories: 4 }),
    )) {
      const length = mechanism.name === 'Hadamard response' ? mechanism.outputs : 4;
      const said = `"counts" expected ${length} numbers, got ${length - 1}`;
      const counts = new Float64Array(length - 1);
      expect(() => estimateFrequencies(mechanism, { reports: 3, counts })).toThrow(said);
      expect(() => estimateFrequencies(mechanism, { reports: 3 } as never)).toThrow('"counts" expected');
    }
  });

  test('stay as they were frozen', () => {
    // Computed independently, by a program in Python written from the laws.
    const draws = (mechanism: FrequencyMechanism): [unknown[], number] => {
      const random: Random = seededRandom('frozen');
      const reports = Array.from({ length: 6 }, (_, i) => reportOf(mechanism, i, random));
      return [reports, bits(random)];
    };
    expect(draws(randomizedResponse({ epsilon: 1, categories: 8 }))).toEqual([[7, 0, 1, 1, 4, 5], 2390174900]);
    expect(draws(hadamardResponse({ epsilon: 1, categories: 8, blockSize: 4 }))).toEqual([
      [10, 3, 11, 0, 4, 4],
      2502929798,
    ]);
    expect(draws(subsetSelection({ epsilon: 1, categories: 8, subset: 3 }))).toEqual([
      [
        [2, 5, 6],
        [0, 1, 6],
        [0, 2, 5],
        [1, 4, 5],
        [0, 6, 7],
        [3, 4, 5],
      ],
      1550091331,
    ]);
  });
});

describe('mechanisms for categories refuse', () => {
  const mechanisms = small(1).filter((it) => it.categories === 5 || it.categories === 7);

  test('a category outside the domain, without saying which, and without a coin', () => {
    for (const mechanism of mechanisms) {
      for (const category of [-1, mechanism.categories, 0.5, Number.NaN, Infinity]) {
        expect(() => reportOf(mechanism, category, scripted())).toThrow(
          new RangeError(`"category" expected a whole number from 0 to ${mechanism.categories - 1}`),
        );
      }
      expect(() => reportOf(mechanism, '1' as unknown as number, scripted())).toThrow(TypeError);
    }
  });

  test('requests out of range', () => {
    for (const make of [randomizedResponse, hadamardResponse, subsetSelection, bestFrequencyMechanism]) {
      expect(() => make({ epsilon: 0, categories: 2 })).toThrow('"epsilon" expected a number from 1e-9 to 500, got 0');
      expect(() => make({ epsilon: 1, categories: 1 })).toThrow(
        '"categories" expected a whole number from 2 to 1048576',
      );
    }
    expect(() => subsetSelection({ epsilon: 1, categories: 5, subset: 5 })).toThrow('"subset" expected');
    expect(() => hadamardResponse({ epsilon: 1, categories: 5, blockSize: 6 })).toThrow(
      '"blockSize" expected a power of two, got 6',
    );
  });
});
