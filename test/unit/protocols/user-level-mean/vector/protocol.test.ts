import { describe, expect, test } from '@jest/globals';
import type { Over } from '../../../../../protocols/user-level-mean/course.ts';
import { coordinates, userLevelMean, vector } from '../../../../../protocols/user-level-mean/index.ts';
import type { UserLevelMeanRound as VectorRound } from '../../../../../protocols/user-level-mean/parameters.ts';
import type { VectorPlan, VectorRequest } from '../../../../../protocols/user-level-mean/vector/vector.ts';
import { normal } from '../../../../../src/random/random.ts';
import { seededRandom } from '../../../../../src/random/seeded.ts';
import { conduct } from '../../../../../src/simulation/runner.ts';
import { chiSquareStatistic } from '../../../../statistics/chi-square.ts';

type FinishedVector = Over<VectorRound>;
const protocol = userLevelMean;
const BASE: VectorRequest = { epsilon: 1, players: 4000, samples: 10, dimension: 5 };

/** Plans of every variant, form and grade. */
const PLANS: readonly [string, VectorPlan][] = [
  ['sign', vector({ ...BASE, form: 'sign' })],
  ['sign in a ball', vector({ ...BASE, form: 'sign', domain: 'ball', bound: 3 })],
  ['unit', vector({ ...BASE, form: 'unit', rounds: 3 })],
  ['unit, deployed', vector({ ...BASE, form: 'unit', grade: 'deployment', rounds: 3 })],
  ['gaussian', vector({ ...BASE, form: 'gaussian', delta: 1e-5, rounds: 3 })],
  ['gaussian, deployed', vector({ ...BASE, form: 'gaussian', delta: 1e-5, grade: 'deployment', rounds: 3 })],
  ['coordinates', coordinates({ ...BASE, rounds: 3 })],
];

function population({ players, dimension, bound, domain }: VectorPlan, seed = 'samples') {
  const random = seededRandom(seed);
  const samples = new Float64Array(2 * dimension);
  const limit = domain === 'box' ? bound : bound / Math.sqrt(dimension);
  return {
    players,
    datum: (index: number) => {
      random.seek(index);
      for (let i = 0; i < samples.length; i++) {
        const value = limit * (0.5 - 0.2 * (i % dimension) + 0.1 * normal(random));
        samples[i] = Math.max(-limit, Math.min(limit, value));
      }
      return { samples };
    },
  };
}

/** All rounds of a plan, with their tallies. */
function played(plan: VectorPlan) {
  return conduct(protocol, plan, population(plan), { seed: 'coins' });
}

describe.each(PLANS)('a vector plan: %s', (_, plan) => {
  const { finished, estimate } = played(plan);

  test('estimates the mean within six standard errors of every coordinate', () => {
    const limit = plan.domain === 'box' ? plan.bound : plan.bound / Math.sqrt(plan.dimension);
    // Six deviations: a false alarm once in 1e7 coordinates, were errors normal; the seed is fixed.
    for (let i = 0; i < plan.dimension; i++) {
      const error = estimate.mean[i] - limit * (0.5 - 0.2 * i);
      expect(Math.abs(error)).toBeLessThan(6 * estimate.standardError[i]);
    }
    // Control: 0 is not within six standard errors of a coordinate that is away from 0.
    expect(Math.abs(estimate.mean[0])).toBeGreaterThan(estimate.standardError[0]);
    expect(estimate.players).toBe(plan.players);
  });

  test('refuses samples outside the domain without naming them, no samples, and half a sample', () => {
    for (const round of new Set([finished[0].round, finished[finished.length - 1].round])) {
      const answer = (samples: unknown) =>
        protocol.player.randomize(round, { samples } as { samples: number[] }, seededRandom(1));
      const far = new Float64Array(plan.dimension).fill(plan.bound * 1.0009765625);
      expect(() => answer(far)).toThrow(RangeError);
      expect(() => answer(far)).not.toThrow(/0009765/);
      far.fill(Number.NaN);
      expect(() => answer(far)).toThrow(RangeError);
      far.fill(-Infinity);
      expect(() => answer(far)).toThrow(RangeError);
      expect(() => answer([])).toThrow('at least one sample');
      expect(() => answer(new Float64Array(plan.dimension + 1))).toThrow(`each of ${plan.dimension} numbers`);
      expect(() => answer(Array.from(far, () => '0'))).toThrow(TypeError);
    }
  });

  test('certifies what it claims', () => {
    const certificate = protocol.theory.certificate(plan);
    expect(certificate.totals.some((total) => total.withinClaim)).toBe(true);
    const guarantee = protocol.theory.guarantee(plan);
    expect(guarantee.kind).toBe(plan.form === 'gaussian' ? 'approximate' : 'pure');
    expect(certificate.claimed).toEqual(guarantee);
  });
});

describe('a round of signs', () => {
  test.each(PLANS.filter(([name]) => name.startsWith('sign') || name === 'coordinates'))(
    'is a finite channel within ε for the pairs of an audit: %s',
    (_, plan) => {
      const { finished } = played(plan);
      let largest = 0;
      for (const { round } of finished) {
        for (const { first, second } of protocol.auditing!.pairs(round, seededRandom(2))) {
          const p = protocol.auditing!.channel!(round, first)!;
          const q = protocol.auditing!.channel!(round, second)!;
          let [sum, worst] = [0, 0];
          for (let i = 0; i < p.length; i++) {
            sum += p[i];
            worst = Math.max(worst, Math.abs(Math.log(p[i] / q[i])));
          }
          expect(sum).toBeCloseTo(1, 12);
          expect(worst).toBeLessThanOrEqual(plan.epsilon * (1 + 1e-12));
          largest = Math.max(largest, worst);
        }
      }
      // Opposite corners are distinguished by all of ε: a larger claim would be idle, a smaller one false.
      expect(largest).toBeGreaterThan(0.999 * plan.epsilon);
    },
  );

  // 4·8 reports, 2e5 draws: χ² with 31 degrees of freedom exceeds 80 with probability 3e-6 (computed independently with SciPy).
  test('is drawn with the probabilities of its channel, and not with those of another datum', () => {
    const plan = PLANS[0][1];
    const round = protocol.rounds.first(plan);
    const datum = { samples: [0.9, -0.4, 0.2, 0.7, -0.8] };
    const random = seededRandom('channel');
    const report = protocol.player.randomize(round, datum, random);
    const counts = new Float64Array(4 * plan.size);
    for (let i = 0; i < 200_000; i++) {
      protocol.player.randomizeInto(round, datum, random, report);
      counts[report.values[0]]++;
    }
    const distance = (samples: number[]) =>
      chiSquareStatistic(counts, protocol.auditing!.channel!(round, { samples })!);
    expect(distance(datum.samples)).toBeLessThan(80);
    expect(distance(datum.samples.map((x) => -x))).toBeGreaterThan(800);
  });
});

describe('making a plan', () => {
  const made = (request: object) => vector({ ...BASE, ...request });

  test('refuses fewer than two players for each group, naming how many are needed', () => {
    expect(() => made({ players: 15 })).toThrow('"players" expected at least 16, two for each of 8 groups, got 15');
    expect(made({ players: 16 }).shares.length).toBe(2);
  });

  test('gives another digest for every field that changes a report, and the same for the same', () => {
    const digests = [
      {},
      { seed: 'other' },
      { domain: 'ball' },
      { rounds: 5 },
      { epsilon: 2 },
      { form: 'unit' },
      { spread: 0.3 },
      { bound: 2 },
    ].map((request) => made(request).digest);
    expect(new Set(digests).size).toBe(digests.length);
    expect(made({}).digest).toBe(digests[0]);
  });

  test('sends signs at a small ε, residuals at a large one, and has shares that add up to 1', () => {
    const forms = [0.5, 4, 8].map((epsilon) => made({ epsilon, players: 1e6, dimension: 32, delta: 1e-6 }));
    expect(forms.map(({ form }) => form)).toEqual(['sign', 'unit', 'unit']);
    for (const { shares } of forms) expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
  });
});

describe('rounds that cannot go on', () => {
  const plan = vector({ ...BASE, form: 'sign', players: 100 });
  const empty = (round: VectorRound): FinishedVector => ({ round, tally: protocol.server.empty(round) });

  test('say how many reports an empty round needs', () => {
    expect(() => protocol.rounds.next(plan, [empty(protocol.rounds.first(plan))])).toThrow(
      /expected at least 1 report in round 0 \(\d+ players in all\), got 0/,
    );
  });

  test('say how many players a group without a report needs', () => {
    const report = { values: Uint32Array.of(4 * 3) };
    const finished: FinishedVector[] = [];
    for (let round: VectorRound | undefined = protocol.rounds.first(plan); round !== undefined; ) {
      const tally = protocol.server.empty(round);
      protocol.server.add(round, tally, report);
      finished.push({ round, tally });
      round = protocol.rounds.next(plan, finished);
    }
    expect(() => protocol.rounds.estimate(plan, finished)).toThrow(
      /^"players" expected enough for reports of each of 8 groups .*\(about \d+ in .*got none of group 0/,
    );
    expect(() => protocol.rounds.estimate(plan, finished.slice(1))).toThrow('"finished"');
  });
});
