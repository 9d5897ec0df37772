import { describe, expect, test } from '@jest/globals';
import { type UserLevelMeanRequest, userLevelMean, userLevelMeanPlan } from '../../protocols/user-level-mean/index.ts';
import { type UserLevelMeanRound, VARIANTS } from '../../protocols/user-level-mean/parameters.ts';
import { ReportError } from '../../src/check/refusal.ts';
import { certify } from '../../src/core/certify.ts';
import { deployedRoundsPlayer } from '../../src/core/device.ts';
import { createLedger, guaranteeCap, memoryStore, pureCap } from '../../src/core/ledger.ts';
import { uniform } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { conduct } from '../../src/simulation/runner.ts';
import { checkContract, LAWS } from '../../src/testing/contract/laws.ts';
import { playRounds, roundProtocol } from './round-protocol.ts';
import { meanCase, several, users, usersOf } from './user-level-mean-cases.ts';

const base = { epsilon: 1, players: 60000, samples: 20 };

const scalars: readonly UserLevelMeanRequest[] = [
  { variant: 'naive', delta: 1e-6, ...base },
  { variant: 'naive', delta: 1e-6, grade: 'deployment', ...base },
  { variant: 'printedNaive', delta: 1e-6, ...base },
  { variant: 'printed', delta: 1e-6, ...base },
  { variant: 'twoRound', delta: 1e-6, ...base },
  { variant: 'twoRound', delta: 1e-6, samePlayers: true, interval: 'triple', ...base },
  { variant: 'twoRound', delta: 1e-6, grade: 'deployment', samePlayers: true, ...base },
  { variant: 'twoRound', ...base },
  { variant: 'twoRound', samePlayers: true, grade: 'deployment', spread: 0.25, ...base },
  { variant: 'oneBit', ...base },
  { variant: 'oneBit', grade: 'deployment', spread: 0.25, pilot: 'bins', ...base },
  { variant: 'oneBit', skew: 9, ...base },
];

const vectors: readonly UserLevelMeanRequest[] = [
  { variant: 'vector', dimension: 3, form: 'sign', rounds: 3, ...base },
  { variant: 'vector', dimension: 3, form: 'sign', rounds: 3, domain: 'ball', ...base },
  { variant: 'vector', dimension: 3, form: 'unit', rounds: 3, ...base },
  { variant: 'vector', dimension: 3, form: 'unit', rounds: 3, grade: 'deployment', ...base },
  { variant: 'vector', dimension: 3, form: 'gaussian', delta: 1e-5, rounds: 3, ...base },
  { variant: 'vector', dimension: 3, form: 'gaussian', delta: 1e-5, rounds: 3, grade: 'deployment', ...base },
  { variant: 'coordinates', dimension: 3, rounds: 3, ...base },
];

// A bit is the same for three seeds once in four times: for reports that are few whole numbers there is a law of its own below.
const FEW = LAWS.filter(({ sentence }) => !sentence.startsWith('other coins give another report'));

const REFUSED = LAWS.find(({ sentence }) => sentence.startsWith('what is not a datum is refused'))!;

/** Whether a player draws a coordinate before it reads its samples; what it refuses is tested beside the other rounds of vectors. */
const drawsFirst = (round: UserLevelMeanRound): boolean => round.kind === 'sign' && round.answers === 'one';

describe.each([...scalars, ...several, ...vectors])('$variant %#', (request) => {
  const plan = userLevelMeanPlan(request);
  const data = usersOf(request, 'play');
  const finished = playRounds(userLevelMean, plan, { data, reports: 700 });

  test('keeps the contract in every round', () => {
    for (const { round } of finished) {
      const laws = (round.precision === 'uint32' ? FEW : LAWS).filter((law) => !drawsFirst(round) || law !== REFUSED);
      expect(checkContract(roundProtocol(userLevelMean, plan), [meanCase(request, round.round)], laws)).toEqual([]);
    }
  });

  test('counts the reports of all rounds', () => {
    expect(userLevelMean.rounds.estimate(plan, finished).players).toBe(
      finished.reduce((sum, { tally }) => sum + tally.players, 0),
    );
  });

  test('other coins give other reports', () => {
    for (const { round } of finished) {
      const random = seededRandom('other');
      const seen = new Set<number>();
      for (let i = 0; i < 64; i++) seen.add(userLevelMean.player.randomize(round, data[0], random).values[0]);
      // 64 bits of randomized response at ε = 1 are all the same with probability below .74^64 = 4e-9.
      expect(seen.size).toBeGreaterThan(1);
    }
  });

  test('refuses a report of another round, a tally of another round, and an empty group by the size it needs', () => {
    const reports = finished.map(({ round }) =>
      userLevelMean.report.encode(round, userLevelMean.player.randomize(round, data[0], seededRandom(1))),
    );
    for (let i = 0; i < finished.length; i++) {
      for (let j = 0; j < finished.length; j++) {
        if (i !== j) expect(() => userLevelMean.report.decode(finished[i].round, reports[j])).toThrow(ReportError);
      }
    }
    const last = finished.length - 1;
    const empty = finished.with(last, { ...finished[last], tally: userLevelMean.server.empty(finished[last].round) });
    expect(() => userLevelMean.rounds.estimate(plan, empty)).toThrow(/players" expected at least 1 report in round/);
    if (last === 0) return;
    expect(() => userLevelMean.rounds.estimate(plan, finished.slice(0, -1))).toThrow(/^"finished" expected \d+ rounds/);
    const swapped = [{ ...finished[0], tally: finished[last].tally }];
    expect(() => userLevelMean.rounds.next(plan, swapped)).toThrow(/digest/);
    const silent = [{ ...finished[0], tally: userLevelMean.server.empty(finished[0].round) }];
    expect(() => userLevelMean.rounds.next(plan, silent)).toThrow(/players" expected at least 1 report in round/);
  });

  test('makes the same rounds from the same tallies, and remembers its request', () => {
    const again = userLevelMean.make?.(plan.request!);
    expect(again?.digest).toBe(plan.digest);
    const repeated = finished.map((_, i) => userLevelMean.rounds.next(again!, finished.slice(0, i))?.digest);
    expect(repeated).toEqual(finished.map(({ round }) => round.digest));
    expect(userLevelMean.rounds.next(plan, finished)).toBeUndefined();
    expect(certify(userLevelMean, plan).digest).toBe(plan.digest);
  });
});

function made(change: { readonly [field: string]: unknown }, variant: string = 'oneBit'): () => unknown {
  return () => userLevelMeanPlan({ variant, ...base, delta: 1e-6, ...change } as UserLevelMeanRequest);
}

describe.each(['oneBit', 'twoRound', 'naive', 'printed', 'printedNaive'])('%s', (variant) => {
  test.each([
    ['epsilon', 0],
    ['epsilon', NaN],
    ['epsilon', 1e9],
    ['epsilon', '1'],
    ['players', 0],
    ['players', 1.5],
    ['players', undefined],
    ['samples', 0],
    ['samples', -3],
    ['samples', '20'],
    ['bound', 0],
    ['bound', Infinity],
    ['bound', '1'],
    ['dimension', 0],
    ['grade', 'best'],
  ])('refuses %s = %p by name', (field, value) => {
    expect(made({ [field]: value }, variant)).toThrow(new RegExp(`^"${field}" expected `));
  });
});

test.each([
  ['oneBit', { dimension: 2 }],
  ['naive', { dimension: 2 }],
  ['printedNaive', { dimension: 2 }],
  ['naive', { delta: 0 }],
  ['naive', { delta: 1 }],
  ['printed', { delta: undefined }],
  ['printed', { failure: 1 }],
  ['printed', { calibration: 'best' }],
  ['printed', { grade: 'deployment' }],
  ['printedNaive', { grade: 'deployment' }],
  ['twoRound', { delta: 2 }],
  ['twoRound', { spread: 0 }],
  ['twoRound', { spread: 1.1 }],
  ['twoRound', { spread: 1e-9 }],
  ['twoRound', { share: 1e-12, samePlayers: true, delta: undefined }],
  ['twoRound', { share: 1e-12, samePlayers: true, dimension: 2 }],
  ['twoRound', { interval: 'single' }],
  ['twoRound', { share: 1 }],
  ['twoRound', { samePlayers: 'yes' }],
  ['oneBit', { spread: -1 }],
  ['oneBit', { spread: 1.1 }],
  ['vector', { spread: 1e-300 }],
  ['oneBit', { skew: NaN }],
  ['oneBit', { pilot: 'guess' }],
  ['oneBit', { shares: [1] }],
  ['oneBit', { shares: 0.5 }],
  ['oneBit', { shares: [0.5, 0.6] }],
  ['oneBit', { shares: [0.5, 0] }],
  ['twoRound', { failure: 0.1, dimension: 3 }],
  ['twoRound', { interval: 'pair', dimension: 3 }],
  ['twoRound', { form: 'sign', dimension: 3 }],
  ['twoRound', { delta: undefined, form: 'gaussian', dimension: 3 }],
  ['twoRound', { delta: 1, dimension: 3 }],
  ['twoRound', { share: 0, dimension: 3 }],
  ['twoRound', { samePlayers: 1, dimension: 3 }],
  ['twoRound', { domain: 'cube', dimension: 3 }],
  ['twoRound', { seed: 7, dimension: 3 }],
  ['twoRound', { spread: 2, dimension: 3 }],
  ['printed', { calibration: 'best', dimension: 3 }],
  ['printed', { grade: 'deployment', dimension: 3 }],
  ['printed', { failure: 0, dimension: 3 }],
  ['printed', { domain: 'cube', dimension: 3 }],
  ['printed', { delta: undefined, dimension: 3 }],
  ['vector', { rounds: 1, dimension: 3 }],
  ['vector', { rounds: 2, dimension: 3 }],
  ['coordinates', { rounds: 2, dimension: 3 }],
  ['vector', { delta: undefined, form: 'gaussian', dimension: 3 }],
  ['vector', { delta: 1, dimension: 3 }],
  ['vector', { spread: 1.5, dimension: 3 }],
  ['vector', { domain: 'sphere', dimension: 3 }],
  ['vector', { form: 'laplace', dimension: 3 }],
  ['vector', { seed: 3, dimension: 3 }],
  ['vector', { dimension: 0 }],
  ['vector', { epsilon: 0, dimension: 3 }],
  ['best', { variant: 'best' }],
])('%s refuses %p by name', (variant, change) => {
  expect(made(change, variant)).toThrow(new RegExp(`^"${Object.keys(change)[0]}`));
});

test.each([
  [{ variant: 'oneBit' }, { domain: 'ball' }],
  [{ variant: 'oneBit' }, { delta: 1e-6 }],
  [{ variant: 'twoRound' }, { shares: [0.5, 0.5] }],
  [{ variant: 'twoRound' }, { seed: 'another' }],
  [{ variant: 'twoRound', dimension: 2 }, { rounds: 5 }],
  [{ variant: 'vector', dimension: 2 }, { samePlayers: true }],
  [{ variant: 'coordinates', dimension: 2 }, { form: 'unit' }],
  [{ variant: 'naive', delta: 1e-6 }, { spread: 0.1 }],
  [{ variant: 'printed', delta: 1e-6 }, { domain: 'ball' }],
])('%p refuses %p, which it does not read', (request, change) => {
  const plan = (asked: object) => () => userLevelMeanPlan({ ...base, ...asked } as UserLevelMeanRequest);
  expect(plan(request)).not.toThrow();
  expect(plan({ ...request, ...change })).toThrow(
    new RegExp(`^"request" expected no fields but .*, got "${Object.keys(change)[0]}"$`),
  );
});

test('forecasts of noise far above the range, and of the least range, are those of the range; a spread beyond it is refused', () => {
  const forecast = (request: object, spread: number) => {
    const plan = userLevelMeanPlan({ ...base, players: 1, ...request } as UserLevelMeanRequest);
    return userLevelMean.theory.forecast!(plan, { players: 1000, spread }).error;
  };
  // At an end or at the other, from a mean anywhere in the middle half of the range: √(1 + 1/12).
  expect(forecast({ variant: 'printed', epsilon: 1e-6, delta: 1e-300 }, 0.1)).toBeCloseTo(Math.sqrt(13 / 12), 4);
  for (const small of [
    { variant: 'twoRound', players: 2, epsilon: 1e-3, dimension: 2 },
    { variant: 'vector', players: 1000, dimension: 2 },
    { variant: 'coordinates', players: 1000, dimension: 2 },
  ]) {
    expect((1e100 * forecast({ ...small, bound: 1e-100 }, 1e-101)) / forecast(small, 0.1)).toBeCloseTo(1, 9);
  }
  for (const spread of [1e300, 1e-300]) {
    expect(() => forecast({ variant: 'naive', delta: 1e-6 }, spread)).toThrow(
      '"spread" expected a number from 1e-15 to 1',
    );
  }
});

test.each([
  // 29, 51 and 16 % of them missed: reports that are alike, or nearly, showed no error.
  [{ variant: 'naive', delta: 1e-5, epsilon: 4 }, 2],
  [{ variant: 'twoRound', epsilon: 1 }, 5],
  [{ variant: 'twoRound', epsilon: 1, delta: 1e-5, spread: 0.1 }, 5],
])('two standard errors of few players hold the mean: %p of %d', (request, players) => {
  const plan = userLevelMeanPlan({ ...request, players, samples: 20 } as UserLevelMeanRequest);
  const random = seededRandom('few');
  let [missed, control] = [0, 0];
  for (let seed = 0; seed < 300; seed++) {
    const mean = uniform(random) - 0.5;
    const datum = () => ({ samples: [mean + 0.1 * (uniform(random) - 0.5)] });
    const { unprojected, standardError } = conduct(userLevelMean, plan, { players, datum }, { seed }).estimate;
    const off = Math.abs(unprojected[0] - mean) / standardError[0];
    if (off > 1.96) missed++;
    if (off > 0.4) control++;
  }
  // 15 of 300 and a deviation of 3.8 where errors are normal: 34 are five of them, with probability below 1e-6.
  expect(missed).toBeLessThan(34);
  // The control: standard errors a fifth as large.
  expect(control).toBeGreaterThan(34);
});

test('fewer players than groups are refused by the number that is needed', () => {
  expect(made({ players: 9 })).toThrow('"players" expected at least 10, so that each of 7 rounds has one, got 9');
  expect(made({ players: 4, share: 0.2 }, 'twoRound')).toThrow(
    '"players" expected at least 5, so that each of 2 rounds has one, got 4',
  );
  expect(made({ players: 1, samePlayers: true }, 'twoRound')).not.toThrow();
});

test('a deployed player answers one round, once', () => {
  const plan = userLevelMeanPlan({ variant: 'oneBit', grade: 'deployment', ...base });
  const round = userLevelMean.rounds.first(plan);
  const ledger = createLedger({ cap: pureCap(1), store: memoryStore() });
  const player = deployedRoundsPlayer(userLevelMean, plan, { ledger });
  const { values } = userLevelMean.report.decode(round, player.report(round, { samples: [0.5, 0.25] }));
  expect(values).toHaveLength(1);
  expect(() => player.report(round, { samples: [0.5, 0.25] })).toThrow(/asked for once/);
  const simulated = userLevelMeanPlan({ variant: 'oneBit', ...base });
  expect(() => deployedRoundsPlayer(userLevelMean, simulated, { ledger })).toThrow(/^"grade"/);
});

test('16 devices asked in all of eight rounds give 16 answers', () => {
  const plan = userLevelMeanPlan({ variant: 'vector', dimension: 2, form: 'sign', grade: 'deployment', ...base });
  const rounds = playRounds(userLevelMean, plan, { data: users(7, 2, 0.5, 'eight'), reports: 1400 });
  let answers = 0;
  for (let i = 0; i < 16; i++) {
    const ledger = createLedger({ cap: pureCap(8), store: memoryStore() });
    for (const { round } of rounds) {
      // Started again each time: only the store is left.
      const device = deployedRoundsPlayer(userLevelMean, plan, { ledger });
      try {
        device.report(round, { samples: [0.5, 0.25] });
        answers++;
      } catch (error) {
        expect(String(error)).toMatch(/has answered$/);
      }
    }
  }
  expect([rounds.length, answers]).toEqual([8, 16]);
});

test('where the same players answer in both rounds, a device answers each once, in their order', () => {
  const asked = { variant: 'twoRound', samePlayers: true, delta: 1e-6, grade: 'deployment', ...base } as const;
  const plan = userLevelMeanPlan(asked);
  const [first, second] = playRounds(userLevelMean, plan, { data: users(7, 1, 0.5, 'both'), reports: 1400 });
  const cap = guaranteeCap(userLevelMean.theory.guarantee(plan));
  const answered = (order: readonly (typeof first)[]) => {
    const device = deployedRoundsPlayer(userLevelMean, plan, { ledger: createLedger({ cap, store: memoryStore() }) });
    return order.map(({ round }) => {
      try {
        return device.report(round, { samples: [0.5] }).length > 0;
      } catch {
        return false;
      }
    });
  };
  expect(answered([first, first, second, second, first])).toEqual([true, false, true, false, false]);
  expect(answered([second, first, second])).toEqual([true, false, false]);
});

test('every variant is tried', () => {
  const tried = [...scalars, ...several, ...vectors].map(({ variant }) => variant);
  expect([...new Set(tried)].sort()).toEqual([...VARIANTS].sort());
});
