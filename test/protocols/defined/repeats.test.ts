import { expect, test } from '@jest/globals';
import { checkPositive, createRoundsCollector, defineRounds, open, seededRandom, verifyCertificate } from 'ldpkit';
import { audit, transcriptTarget } from 'ldpkit/audit';
import { COIN_UNITS, clipNumber, exactCoin, twoLevels } from 'ldpkit/mechanism';
import { pure } from 'ldpkit/privacy';
import { conduct } from 'ldpkit/simulate';
import { assertContract, assertControls } from 'ldpkit/testing';

const ROUNDS = 2;

/** The probability of a 1, from 1 − p at 0 to p at 1, in units of 2⁻⁵³. */
const unitsOf = (keep: number, datum: number) => COIN_UNITS - keep + Math.floor((2 * keep - COIN_UNITS) * datum);

/** The mean of numbers in [0, 1], from one noisy bit of the same players in every round: each has its part of ε. `claims` is the ε that is claimed of all. */
const twiceOf = (claims: (epsilon: number) => number) =>
  defineRounds({
    name: 'bit-twice',
    version: 1,
    make(request) {
      const epsilon = checkPositive('epsilon', request.epsilon);
      return { epsilon, keep: twoLevels(epsilon / ROUNDS, 1, 1).keep };
    },
    rounds: {
      count: () => ROUNDS,
      repeats: () => true,
      first: () => ({}),
      next: () => ({}),
      accepts: () => true,
    },
    datum: {
      expected: 'a number from 0 to 1',
      accepts: (_, value): value is number => typeof value === 'number' && value >= 0 && value <= 1,
      clip: (_, value) => Math.max(0, clipNumber(value, 1)),
    },
    report: { values: 'uint32', length: () => 1, accepts: (_, [value = 0]) => value < 2 },
    channel: {
      deployment({ keep }, datum, random, report) {
        report[0] = exactCoin(unitsOf(keep, datum), random) ? 1 : 0;
      },
    },
    tally: {
      sums: () => ({ counts: 2 }),
      add(_, { counts }, [value = 0]) {
        counts[value] = (counts[value] ?? 0) + 1;
      },
    },
    estimate({ keep }, finished) {
      const p = keep / COIN_UNITS;
      const shares = finished.map(({ tally }) => (tally.sums.counts[1] ?? 0) / tally.players);
      const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
      return { share: (mean - (1 - p)) / (2 * p - 1) };
    },
    privacy: {
      guarantee: ({ epsilon }) => pure(claims(epsilon)),
      releases: ({ epsilon }) => [
        {
          what: 'a bit',
          count: ROUNDS,
          mechanism: 'randomized response',
          sensitivity: 1,
          scale: ROUNDS / epsilon,
          guarantee: pure(epsilon / ROUNDS),
        },
      ],
      neighbourDistance: () => Math.SQRT2,
    },
    audit: {
      pairs: () => [{ name: 'both', first: 0, second: 1 }],
      channel({ keep }, datum) {
        const one = unitsOf(keep, datum) / COIN_UNITS;
        return [1 - one, one];
      },
    },
  });

const twice = twiceOf((epsilon) => epsilon);
const REQUEST = { epsilon: 2, grade: 'deployment' };
/** Little noise, so that another datum is another report under the same coins. */
const CLEAR = { epsilon: 12, grade: 'deployment' };
const cases = [
  {
    name: 'the same players in two rounds',
    make: () => twice.make(CLEAR),
    others: [twice.make({ ...CLEAR, epsilon: 1 }), twice.make({ epsilon: 12 })],
    data: Array.from({ length: 12 }, (_, i) => (i + 0.5) / 12),
    refused: {
      null: null,
      'a text': '3.16227766',
      negative: -2.2360679,
      'too much': 1234567.5,
      NaN,
      'a list': [0.31622776],
    },
  },
];

test('rounds that the same players answer keep all laws', () => {
  assertContract(twice, cases);
});

test('their cases notice every control', () => {
  assertControls(twice, cases);
});

test('every round says that it repeats, and asks all players', () => {
  const plan = twice.make(REQUEST);
  expect(twice.rounds.answers(plan)).toBe(ROUNDS);
  const asked = new Map<number, number>();
  const datum = (i: number): number => {
    asked.set(i, (asked.get(i) ?? 0) + 1);
    return i % 4 === 0 ? 1 : 0;
  };
  const players = 4000;
  const { finished, estimate } = conduct(twice, plan, { players, datum }, { seed: 'twice' });
  expect(finished.map(({ round }) => [round.repeats, round.share])).toEqual([
    [true, 1],
    [true, 1],
  ]);
  expect([asked.size, ...new Set(asked.values())]).toEqual([players, ROUNDS]);
  // Two bits a player at ε = 1 each: a standard error below .5/(√8000·.46) = .0122. Five of them: below 6e-7.
  expect(Math.abs(estimate.share - 0.25)).toBeLessThan(0.061);
  // The control: the share that the bits have without correction.
  expect(Math.abs(0.25 * 0.731 + 0.75 * 0.269 - 0.25)).toBeGreaterThan(0.061);
});

test('a device answers each round once, and a collector counts it once a round', () => {
  const survey = open(twice, REQUEST);
  const collector = createRoundsCollector(twice, survey.parameters);
  const device = survey.device({ random: seededRandom('device') });
  for (let round = 0; round < ROUNDS; round++) {
    const now = JSON.parse(JSON.stringify(collector.round));
    const bytes = device.report(now, 1);
    expect(collector.receive(bytes, 'one')).toEqual({ outcome: 'counted' });
    expect(collector.receive(bytes, 'one')).toMatchObject({ outcome: 'duplicate' });
    expect(() => device.report(now, 1)).toThrow();
    collector.close();
  }
});

test('the certificate adds both answers up, and verifies', () => {
  const certificate = JSON.parse(JSON.stringify(open(twice, REQUEST).certificate()));
  expect(certificate).not.toHaveProperty('alternatives');
  expect(certificate.releases).toMatchObject([{ count: ROUNDS, guarantee: pure(1) }]);
  expect(verifyCertificate(twice, certificate)).toMatchObject({ verified: true });
});

test('an audit of both answers refutes a claim for one of them (control), and not that for both', () => {
  const verdictOf = (protocol: typeof twice) => {
    const plan = protocol.make(REQUEST);
    const first = protocol.rounds.first(plan);
    const { finished } = conduct(protocol, plan, { players: 100, datum: (i) => i % 2 }, { seed: 'audit' });
    const rounds = [first, ...finished.slice(1).map(({ round }) => round)];
    return audit(transcriptTarget(protocol, plan, rounds), { trials: 100_000, random: seededRandom('audit') }).verdict;
  };
  // Bounds hold with probability .99.
  expect(verdictOf(twice)).toBe('consistent');
  expect(verdictOf(twiceOf((epsilon) => epsilon / ROUNDS))).toBe('violation');
});
