import { describe, expect, test } from '@jest/globals';
import {
  coordinates,
  naive,
  oneBit,
  printed,
  twoRound,
  userLevelMean,
} from '../../../../protocols/user-level-mean/index.ts';
import type { UserLevelMeanPlan, UserLevelMeanRound } from '../../../../protocols/user-level-mean/parameters.ts';
import { auditing } from '../../../../protocols/user-level-mean/protocol.ts';
import { binQuestion, type ScalarRound, scalarRound } from '../../../../protocols/user-level-mean/scalar/question.ts';
import { audit } from '../../../../src/audit/audit.ts';
import { hadamardResponse } from '../../../../src/mechanism/frequency.ts';
import { pure } from '../../../../src/privacy/guarantee.ts';
import { uniform } from '../../../../src/random/random.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';
import { referenceRounds } from '../../../../src/simulation/runner.ts';
import { chiSquareStatistic } from '../../../statistics/chi-square.ts';

const { player, rounds } = userLevelMean;
const firstOf = (plan: UserLevelMeanPlan): ScalarRound => rounds.first(plan) as ScalarRound;
const common = { epsilon: 1.2, players: 2000, samples: 50 };
const plan = oneBit({ ...common, spread: 0.5, pilot: 'bins' });
const place = { round: 0, share: 1, role: 'pilot' } as const;
const signs = (lower: number, upper: number, cells: number): ScalarRound =>
  scalarRound(plan, place, { ...plan.sign, lower, upper, cells });
const bins = (count: number, epsilon: number): ScalarRound => scalarRound(plan, place, binQuestion(1, count, epsilon));

const blocks = scalarRound(plan, place, {
  kind: 'bin',
  lower: -1,
  upper: 1,
  mechanism: hadamardResponse({ epsilon: 1, categories: 40 }),
});

const finite: readonly (readonly [string, ScalarRound, number])[] = [
  ['one threshold', signs(0.25, 0.25, 1), 1.2],
  ['thresholds of an interval', signs(-0.5, 0.25, 8), 1.2],
  ['bins by randomized response', bins(3, 4), 4],
  ['bins by Hadamard response', blocks, 1],
];

describe('the channel of a scalar round', () => {
  test.each(finite)(
    'of %s adds up to 1, keeps its ε, and is what the ratio of each report says',
    (_, round, epsilon) => {
      let worst = 0;
      for (const pair of auditing.pairs(round, seededRandom(1))) {
        const [first, second] = [pair.first, pair.second].map((datum) =>
          Float64Array.from(auditing.channel!(round, datum)!),
        );
        for (const channel of [first, second]) expect(channel.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
        const ratio = auditing.logLikelihoodRatio!(round, pair)!;
        let gap = 0;
        for (let output = 0; output < first.length; output++) {
          const found = ratio({ values: Uint32Array.of(output) });
          gap = Math.max(gap, Math.abs(found - Math.log(first[output] / second[output])));
          worst = Math.max(worst, Math.abs(found));
        }
        expect(gap).toBeLessThan(1e-12);
      }
      expect(worst).toBeLessThanOrEqual(epsilon * (1 + 1e-12));
      // The pairs find the whole loss.
      expect(worst).toBeGreaterThan(epsilon * (1 - 1e-9));
    },
  );

  // χ² of 40,000 reports over at most 64 cells: beyond degrees + 6√(2·degrees) + 18 with probability below 1e-8 a test.
  test.each(finite)('of %s is the law of the player, and not that of another datum', (_, round) => {
    const datum = { samples: [0.1, -0.3] };
    const expected = auditing.channel!(round, datum)!;
    const other = auditing.channel!(round, { samples: [0.9] })!;
    const counts = new Float64Array(expected.length);
    const random = seededRandom('channel');
    for (let i = 0; i < 40_000; i++) counts[player.randomize(round, datum, random).values[0]]++;
    const degrees = counts.length - 1;
    const limit = degrees + 6 * Math.sqrt(2 * degrees) + 18;
    expect(chiSquareStatistic(counts, expected)).toBeLessThan(limit);
    expect(chiSquareStatistic(counts, other)).toBeGreaterThan(limit);
  });
});

test('of noise there is no channel; the ratio is that of two normal laws (by hand)', () => {
  const round = firstOf(naive({ ...common, delta: 1e-6 }));
  if (round.question.kind !== 'noisy') throw new Error('a noisy question is needed');
  const { sigma } = round.question;
  const pair = { name: 'ends', first: { samples: [1] }, second: { samples: [-1] } };
  expect(auditing.channel!(round, pair.first)).toBeUndefined();
  const ratio = auditing.logLikelihoodRatio!(round, pair)!;
  expect(ratio({ values: Float64Array.of(3) })).toBeCloseTo((2 * 3) / sigma ** 2, 12);
  expect(Array.from(auditing.view(round, { values: Float64Array.of(3) }))).toEqual([3]);
});

test('in a deployment the ratio counts in steps of the grid', () => {
  const round = firstOf(naive({ ...common, delta: 1e-6, grade: 'deployment' }));
  if (round.question.kind !== 'noisy' || round.question.noise === undefined) throw new Error('integers are needed');
  const { sigma, noise } = round.question;
  const pair = { name: 'ends', first: { samples: [1] }, second: { samples: [-1] } };
  const ratio = auditing.logLikelihoodRatio!(round, pair)!;
  expect(ratio({ values: Int32Array.of(1000) })).toBeCloseTo((2000 * noise.step) / sigma ** 2, 12);
});

test('subset selection has a ratio and no channel: what contains the bin is e^ε likelier (by hand)', () => {
  // At 12 bins and ε = 1 three of them are sent.
  const round = bins(12, 1);
  if (round.question.kind !== 'bin') throw new Error('bins are needed');
  expect(round.question.mechanism.name).toBe('subset selection');
  const pair = { name: 'ends', first: { samples: [-1] }, second: { samples: [1] } };
  expect(auditing.channel!(round, pair.first)).toBeUndefined();
  const ratio = auditing.logLikelihoodRatio!(round, pair)!;
  const { length } = round;
  const set = (first: number, last: number): Uint32Array =>
    Uint32Array.from({ length }, (_, i) => (i === 0 ? first : i === length - 1 ? last : i + 1));
  expect(ratio({ values: set(0, 10) })).toBeCloseTo(1, 9);
  expect(ratio({ values: set(1, 11) })).toBeCloseTo(-1, 9);
  expect(ratio({ values: set(0, 11) })).toBe(0);
});

test('candidate pairs lie in the domain, whatever the interval', () => {
  const rounds = [
    signs(-1, 1, 16),
    signs(1, 1, 1),
    firstOf(printed({ ...common, delta: 1e-6 })),
    firstOf(twoRound({ ...common, delta: 1e-6, bound: 3 })),
  ];
  for (const round of rounds) {
    for (const { first, second } of auditing.pairs(round, seededRandom(2))) {
      const largest = Math.max(...[first, second].flatMap(({ samples }) => Array.from(samples, Math.abs)));
      expect(largest).toBeLessThanOrEqual(round.bound);
    }
  }
});

describe('the last of two rounds in several dimensions', () => {
  const asked = { epsilon: 1, players: 2000, samples: 5, dimension: 3, domain: 'box' } as const;
  const lastOf = (request: object): UserLevelMeanRound => {
    const vectors = twoRound({ ...asked, ...request });
    const rounds = referenceRounds(userLevelMean, vectors, 2000, (random) => ({
      samples: Float64Array.from({ length: 3 }, () => 2 * uniform(random) - 1),
    }));
    return rounds[1] as UserLevelMeanRound;
  };

  // Every bound of a true claim is above it with probability below .01; the seeds are fixed.
  test.each([
    ['simulation', {}],
    ['deployment', { grade: 'deployment' }],
  ])('keeps its ε in a %s, and an audit refutes four fifths of it', (_, request) => {
    const parameters = lastOf(request);
    const target = { player, parameters, auditing };
    const options = { trials: 60_000, lastBits: false, twoReports: false } as const;
    const attack = (epsilon: number) =>
      audit({ ...target, claimed: pure(epsilon) }, { ...options, random: seededRandom('residuals') });
    expect(attack(1)).toMatchObject({ verdict: 'consistent', method: 'likelihood ratio' });
    expect(attack(0.8).verdict).toBe('violation');
  });

  test('a deployed report is seen as its codeword, and the Gaussian ratio is that of two normal laws', () => {
    const pair = auditing.pairs(lastOf({}), seededRandom(3))[0];
    const deployed = lastOf({ grade: 'deployment' });
    const report = player.randomize(deployed, pair.first, seededRandom(4));
    expect(auditing.view(deployed, report)).toHaveLength(4);
    const lengthOf = (vector: ArrayLike<number>): number => Math.hypot(...Array.from(vector));
    const again = player.randomize(deployed, pair.first, seededRandom(5));
    expect(lengthOf(auditing.view(deployed, again))).toBeCloseTo(lengthOf(auditing.view(deployed, report)), 9);

    const round = lastOf({ delta: 1e-6, form: 'gaussian' });
    if (round.kind !== 'residual') throw new Error('a round of residuals is needed');
    // Opposite corners are far outside of the clip around a centre near 0: their residuals have length 1.
    const ratio = auditing.logLikelihoodRatio!(round, pair)!;
    const at = (scale: number): number => ratio({ values: Float64Array.from([1, 1, 1], (x) => x * scale) });
    const slope = Math.hypot(1, 1, 1) * (2 / round.sigma! ** 2);
    expect((at(1) - at(0)) / slope).toBeGreaterThan(0.99);
    expect((at(1) - at(0)) / slope).toBeLessThan(1 + 1e-9);
  });
});

test('signs about more coordinates than can be written out have a ratio: the sum over coordinates (by hand)', () => {
  const dimension = 16;
  const round = rounds.first(coordinates({ epsilon: 1, players: 40_000, samples: 14, dimension }));
  if (round.kind !== 'sign') throw new Error('a round of signs is needed');
  const [{ first, second }] = auditing.pairs(round, seededRandom(6));
  expect(auditing.channel!(round, first)).toBeUndefined();
  const ratio = auditing.logLikelihoodRatio!(round, { name: 'corners', first, second })!;
  const { contrast } = round.coin;
  const each = Math.log((1 + contrast) / (1 - contrast));
  const signs = (above: number): Uint32Array => Uint32Array.from({ length: dimension }, (_, j) => Number(j < above));
  // Every threshold lies between the corners: a sign above speaks for the first of them.
  for (const above of [0, 5, 8, 16]) {
    expect(ratio({ values: signs(above) })).toBeCloseTo((2 * above - dimension) * each, 9);
  }
  expect(dimension * each).toBeLessThanOrEqual(1);
  expect(dimension * each).toBeGreaterThan(1 - 1e-9);
});
