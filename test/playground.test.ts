import { describe, expect, test } from '@jest/globals';
import { normalCdf, normalQuantile } from 'ldpkit/inference';
import { approximate, gdp, pure } from 'ldpkit/privacy';
import { gaussian, lifted, sampled } from 'ldpkit/protocols/hinge';
import { attack, guaranteesOf, misses, mostRight } from '../playground/attack.ts';
import { deviceReport, partsOf } from '../playground/bytes.ts';
import { jackknife } from '../playground/collection.ts';
import { CHUNK, centre, chunksOf, joined, type People, recordsOf } from '../playground/people.ts';
import { createBench } from '../playground/tasks.ts';

const CLASSES: People = { source: 'classes', players: 20_000, dimension: 6, positive: 0.7, wrong: 0.2 };
const PENGUINS: People = { ...CLASSES, source: 'penguins', players: 300 };
const EXAMPLE = {
  animals: [
    [39, 18.7, 181, 3750, 1],
    [20, 40, 500, 1, -1],
  ],
};

const all = (people: People) =>
  joined(Array.from({ length: chunksOf(people) }, (_, chunk) => recordsOf(people, EXAMPLE, chunk)));

describe('the people of the playground', () => {
  test('are in the unit ball, as many as asked for, and the same each time', () => {
    for (const people of [CLASSES, PENGUINS, { ...CLASSES, players: CHUNK + 1, dimension: 2 }]) {
      const { players, dimension, features, labels } = all(people);
      expect([players, labels.length]).toEqual([people.players, people.players]);
      let longest = 0;
      for (let i = 0; i < players; i++) {
        longest = Math.max(longest, Math.hypot(...features.subarray(i * dimension, (i + 1) * dimension)));
      }
      expect(longest).toBeLessThanOrEqual(1);
      expect(labels.every((label) => Math.abs(label) === 1)).toBe(true);
      expect(all(people).features).toEqual(features);
    }
  });

  test('have the shares and centres of their law', () => {
    const { players, dimension, features, labels } = all(CLASSES);
    // P(y = 1) = .7·.8 + .3·.2 = .62; five standard deviations of 20,000 people are .017, false alarms one in a million.
    const positive = labels.filter((label) => label > 0).length / players;
    expect(Math.abs(positive - 0.62)).toBeLessThan(0.017);
    // E x = (2·.7 − 1)·centre; a coordinate of x has a variance of at most .3² + .7²/8 = .151, so five standard
    // deviations of its mean are .0138, and the control is that of a balanced population.
    const axis = centre(dimension);
    expect(Math.hypot(...axis)).toBeCloseTo(0.3, 12);
    let farthest = 0;
    for (let j = 0; j < dimension; j++) {
      let sum = 0;
      for (let i = 0; i < players; i++) sum += features[i * dimension + j];
      expect(Math.abs(sum / players - 0.4 * axis[j])).toBeLessThan(0.0138);
      farthest = Math.max(farthest, Math.abs(sum / players));
    }
    expect(farthest).toBeGreaterThan(0.0138);
  });

  test('of the example have their measurements in public bounds, and a constant', () => {
    const { features, labels, names } = recordsOf(PENGUINS, EXAMPLE, 0);
    expect(names).toHaveLength(5);
    expect([labels[0], labels[1]]).toEqual([1, -1]);
    const scaled = (record: number) =>
      Array.from(features.subarray(5 * record, 5 * record + 5), (x) => x * Math.sqrt(5));
    const first = [2 * (9 / 30) - 1, 2 * (5.7 / 9) - 1, 2 * (11 / 62) - 1, 2 * (1050 / 3600) - 1, 1];
    scaled(0).forEach((x, j) => {
      expect(x).toBeCloseTo(first[j], 6);
    });
    // What is beyond the bounds is clipped.
    scaled(1).forEach((x, j) => {
      expect(x).toBeCloseTo([-1, 1, 1, -1, 1][j], 6);
    });
  });
});

describe('a bench', () => {
  const { request, digest } = lifted({ epsilon: 8, degree: 1, dimension: 6, grade: 'deployment' });

  test('counts every player once, and its fit is scored on their records', () => {
    const bench = createBench({ request: request!, digest, people: CLASSES, example: EXAMPLE });
    const { tally, bytes } = bench.answer([0]);
    expect([tally.players, bytes]).toEqual([CHUNK, 49 * CHUNK]);
    const { w, known } = bench.fit(tally, [0]);
    const { players, features, labels } = recordsOf(CLASSES, EXAMPLE, 0);
    let risk = 0;
    for (let i = 0; i < players; i++) {
      const margin = labels[i] * w.reduce((sum, weight, j) => sum + weight * features[6 * i + j], 0);
      risk += Math.max(0, 0.5 - margin) / players;
    }
    expect(known?.risk).toBeCloseTo(risk, 12);
    // No model is better on these records than the one that is found for them, up to what the smoothed hinge leaves.
    expect(bench.truth([0]).risk).toBeLessThanOrEqual(risk + 5e-4);
  });

  test('believes no digest that is not of the request', () => {
    const plan = { request: request!, digest: `${digest.slice(1)}0`, people: CLASSES, example: EXAMPLE };
    expect(() => createBench(plan)).toThrow('"digest" expected');
  });
});

test('the jackknife of means is their standard error', () => {
  // Leaving out one of four numbers: the mean of the others. s²/n by hand is (9 + 1 + 1 + 9)/3/4.
  const numbers = [-3, -1, 1, 3];
  const models = numbers.map((left) => Float64Array.of(-left / 3));
  expect(jackknife(models)[0]).toBeCloseTo(Math.sqrt(20 / 12), 12);
});

describe('the trade-off curve', () => {
  const ALARMS = [0, 0.01, 0.1, 0.25, 0.5, 0.9, 1];

  test('of a pure guarantee is the broken line of randomized response', () => {
    const curve = misses([pure(1)]);
    for (const alarms of ALARMS) {
      const line = Math.max(0, 1 - Math.E * alarms, (1 - alarms) / Math.E);
      expect(curve(alarms)).toBeCloseTo(line, 12);
    }
    expect(mostRight([pure(1)])).toBeCloseTo(Math.E / (1 + Math.E), 12);
  });

  test('of a Gaussian guarantee is Φ(Φ⁻¹(1 − α) − μ), from below', () => {
    const curve = misses([gdp(1)]);
    for (const alarms of ALARMS.slice(1, -1)) {
      const exact = normalCdf(normalQuantile(1 - alarms) - 1);
      expect(curve(alarms)).toBeLessThanOrEqual(exact + 1e-9);
      expect(curve(alarms)).toBeGreaterThan(exact - 1e-3);
    }
    // The control: another μ.
    expect(curve(0.25)).toBeGreaterThan(normalCdf(normalQuantile(0.75) - 1.2) + 1e-3);
  });

  test('of several guarantees is the highest of their curves', () => {
    // Zero-concentrated privacy says more of a Gaussian report than its (ε, δ), which alone would allow 98 %.
    const all = guaranteesOf(gaussian({ epsilon: 4, delta: 1e-6, degree: 0, dimension: 2, grade: 'deployment' }));
    expect(all.length).toBeGreaterThan(1);
    for (const alarms of ALARMS) {
      expect(misses(all)(alarms)).toBe(Math.max(...all.map((one) => misses([one])(alarms))));
    }
    expect(mostRight(all)).toBeLessThan(0.75);
    expect(mostRight(all.slice(0, 1))).toBeGreaterThan(0.98);
  });

  test('of (ε, δ) begins at 1 − δ', () => {
    expect(misses([approximate({ epsilon: 1, delta: 0.1 })])(0)).toBeCloseTo(0.9, 12);
  });

  test('is not beaten by the best attacker of a variant, and nearly reached where all of ε tells', () => {
    // K = 2: one random direction by randomized response, so that the attacker's errors are both 1/(1 + e^ε).
    const parameters = lifted({ epsilon: 0.5, degree: 0, dimension: 2, grade: 'deployment' });
    const { right, guesses } = attack(parameters, 100_000);
    const most = mostRight([pure(0.5)]);
    // Hoeffding: .0083 is passed on one side with probability 1e-6.
    expect(right / guesses).toBeLessThan(most + 0.0083);
    expect(right / guesses).toBeGreaterThan(most - 0.0083);
    expect(most - 0.5).toBeGreaterThan(2 * 0.0083);
  });
});

describe('the parts of a report', () => {
  const request = { epsilon: 1, degree: 2, dimension: 3, grade: 'deployment' } as const;
  const datum = { features: [0.6, 0, 0.8], label: 1 };

  test.each([lifted(request), sampled(request), gaussian({ ...request, delta: 1e-6 })])(
    'of $variant cover every byte once, and name what is in them',
    (parameters) => {
      const bytes = deviceReport(parameters, datum);
      const parts = partsOf(parameters, bytes);
      expect(parts[0].from).toBe(0);
      for (let i = 1; i < parts.length; i++) expect(parts[i].from).toBe(parts[i - 1].to);
      expect(parts.at(-1)?.to).toBe(bytes.length);
      const digest = parts.find(({ name }) => name === 'digest')!;
      expect(Buffer.from(bytes.subarray(digest.from, digest.to)).toString('hex')).toBe(parameters.digest);
      expect(parts.find(({ name }) => name === 'name')?.meaning).toContain('hinge');
    },
  );

  test('are refused for bytes that a server would refuse', () => {
    const parameters = lifted(request);
    expect(() => partsOf(parameters, deviceReport(parameters, datum).slice(1))).toThrow('"report" expected');
  });
});
