import { describe, expect, test } from '@jest/globals';
import { descent, userLevelErm } from '../../../../protocols/user-level-erm/index.ts';
import { auditing } from '../../../../protocols/user-level-erm/protocol.ts';
import { type Over as FinishedOver, roundsBy } from '../../../../protocols/user-level-mean/course.ts';
import {
  naive,
  oneBit,
  printed,
  twoRound,
  userLevelMean,
  vector,
} from '../../../../protocols/user-level-mean/index.ts';
import type { UserLevelMeanPlan } from '../../../../protocols/user-level-mean/parameters.ts';
import type { FoundMean } from '../../../../protocols/user-level-mean/shape.ts';
import type { SignRound } from '../../../../protocols/user-level-mean/vector/coordinate-round.ts';
import type { ResidualRound } from '../../../../protocols/user-level-mean/vector/residual-round.ts';
import { type VectorPlan, vector as vectors } from '../../../../protocols/user-level-mean/vector/vector.ts';
import type { PublicParameters } from '../../../../src/core/contract.ts';
import type { FinishedRound, RoundParameters, RoundsProtocol } from '../../../../src/core/interactive.ts';
import { twoLevels } from '../../../../src/mechanism/exact-coin.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';
import { conduct, type Population } from '../../../../src/simulation/runner.ts';
import { populationOf } from '../../../evidence/user-level-erm/validations/records.ts';
import { drawRecords, roundOf, smallRequest, smallTwoRoundRequest } from '../../../protocols/user-level-erm-cases.ts';

const { abs, log, max, sqrt } = Math;

type Over = readonly FinishedRound<RoundParameters, { readonly digest: string }>[];

/** A plan that was played, and one that is like it but for ε. */
interface Played {
  readonly finished: Over;
  readonly strangers: Over;
  readonly next: (finished: Over) => unknown;
  readonly estimate: (finished: Over) => unknown;
  readonly empty: (round: RoundParameters) => { readonly digest: string };
}

function played<Plan extends PublicParameters, Round extends RoundParameters, Datum, Report, Tally, Estimate>(
  protocol: RoundsProtocol<Plan, Round, Datum, Report, Tally, Estimate>,
  make: (epsilon: number) => Plan,
  population: Population<Datum>,
): Played {
  type Rounds = readonly FinishedRound<Round, Tally>[];
  const [plan, other] = [make(2), make(1.9)];
  const play = (one: Plan) => conduct(protocol, one, population, { seed: 1 }).finished as unknown as Over;
  return {
    finished: play(plan),
    strangers: play(other),
    next: (finished) => protocol.rounds.next(plan, finished as unknown as Rounds),
    estimate: (finished) => protocol.rounds.estimate(plan, finished as unknown as Rounds),
    empty: (round) => protocol.server.empty(round as unknown as Round) as { readonly digest: string },
  };
}

function mean(make: (epsilon: number) => UserLevelMeanPlan, dimension = 1): Played {
  const samples = Float64Array.from({ length: 20 * dimension }, (_, i) => 0.3 + 0.2 * Math.sin(i));
  return played(userLevelMean, make, { players: 2000, datum: () => ({ samples }) });
}

const common = { players: 2000, samples: 20 };
const records = drawRecords({ loss: 'logistic', players: 3000, samples: 4, truth: [0.5, 0.3, 0.1], seed: 'over' });
const cases: readonly (readonly [string, Played])[] = [
  ['naive', mean((epsilon) => naive({ ...common, epsilon, delta: 1e-5 }))],
  ['printed', mean((epsilon) => printed({ ...common, epsilon, delta: 1e-5 }))],
  ['twoRound', mean((epsilon) => twoRound({ ...common, epsilon }))],
  ['twoRound, same players', mean((epsilon) => twoRound({ ...common, epsilon, delta: 1e-5, samePlayers: true }))],
  ['twoRound, several dimensions', mean((epsilon) => twoRound({ ...common, epsilon, dimension: 3 }), 3)],
  ['printed, several dimensions', mean((epsilon) => printed({ ...common, epsilon, delta: 1e-5, dimension: 3 }), 3)],
  ['oneBit', mean((epsilon) => oneBit({ ...common, epsilon }))],
  ['vector of signs', mean((epsilon) => vector({ ...common, epsilon, dimension: 3, form: 'sign' }), 3)],
  ['vector of residuals', mean((epsilon) => vector({ ...common, epsilon, dimension: 3, form: 'unit' }), 3)],
  [
    'descent',
    played(userLevelErm, (epsilon) => descent(smallRequest('logistic', { epsilon })), populationOf(records, 3000)),
  ],
  [
    'descent in two rounds a gradient',
    played(
      userLevelErm,
      (epsilon) => descent(smallTwoRoundRequest('logistic', { epsilon })),
      populationOf(records, 3000),
    ),
  ],
];

describe.each(cases)('finished rounds of a plan: %s', (_, { finished, strangers, next, estimate, empty }) => {
  const last = finished.length - 1;
  const both = (wrong: Over, message: RegExp): void => {
    expect(() => next(wrong)).toThrow(RangeError);
    expect(() => next(wrong)).toThrow(message);
    expect(() => estimate(wrong)).toThrow(RangeError);
  };

  test('are believed in their order, also after a journey', () => {
    const copy = structuredClone(finished);
    expect(next(copy)).toBeUndefined();
    expect(estimate(copy)).toEqual(estimate(finished));
  });

  test('are refused in any other order, twice, or where there are too many', () => {
    both([...finished, finished[last]], /^"finished" expected at most \d+ rounds/);
    if (last === 0) return;
    both(finished.toReversed(), new RegExp(`^"finished\\[0\\].round.round" expected 0, got ${last}`));
    both(finished.with(1, finished[0]), /^"finished\[1\].round.round" expected 1, got 0/);
  });

  test('are refused where one is missing, or brought no report', () => {
    expect(() => estimate(finished.slice(0, -1))).toThrow(/^"finished" expected/);
    for (let i = 0; i <= last; i++) {
      const { round } = finished[i];
      both(
        finished.with(i, { round, tally: empty(round) }),
        new RegExp(`^"finished\\[${i}\\].tally.players" expected`),
      );
    }
  });

  test('are refused where one is of a plan with another ε, or of another variant', () => {
    for (const i of [0, last]) {
      if (strangers[i]?.round.round !== i) continue;
      both(finished.with(i, strangers[i]), new RegExp(`^"finished\\[${i}\\].round.digest" expected that of a round`));
    }
    for (const [, foreign] of cases) {
      if (foreign.finished[0] === finished[0]) continue;
      both(finished.with(0, foreign.finished[0]), /^"finished\[0\].round(.digest)?" expected (that of )?a round of/);
    }
  });
});

test('a round is made again once, however many rounds follow it', () => {
  let made = 0;
  const remake: typeof vectors.remake = (...given) => {
    made++;
    return vectors.remake(...given);
  };
  const rounds = roundsBy<VectorPlan, SignRound | ResidualRound, FoundMean>(() => ({ ...vectors, remake }));
  const plan = vector({ ...common, epsilon: 2, dimension: 3, form: 'sign', rounds: 8 }) as VectorPlan;
  const finished: FinishedOver<SignRound | ResidualRound>[] = [];
  const sums = new Float64Array(4 * plan.size).fill(4);
  for (let round = rounds.next(plan, []); round !== undefined; round = rounds.next(plan, finished)) {
    finished.push({ round, tally: { ...userLevelMean.server.empty(round), players: 64, sums } });
  }
  expect([finished.length, made]).toEqual([8, 8]);
  // Those of a file are other objects, and each is looked at.
  rounds.estimate(plan, structuredClone(finished));
  expect(made).toBe(16);
});

test('a scalar report is not added to the tally of another round', () => {
  const plan = twoRound({ ...common, epsilon: 2 });
  const round = userLevelMean.rounds.first(plan);
  const other = userLevelMean.rounds.first(twoRound({ ...common, epsilon: 1.9 }));
  const report = userLevelMean.player.randomize(round, { samples: [0.2] }, seededRandom(1));
  const { add, empty } = userLevelMean.server;
  expect(() => add(round, empty(other), report)).toThrow(/^"tally.digest" expected the digest of this round/);
  const tally = empty(round);
  add(round, tally, report);
  expect(tally.players).toBe(1);
});

describe('the pairs of an audit of a descent with features up to √8', () => {
  const plan = descent(smallRequest('logistic', { featureBound: sqrt(8) }));
  const worst = (round: ReturnType<typeof roundOf>): number => {
    let found = 0;
    for (const { first, second } of auditing.pairs(round, seededRandom('pairs'))) {
      const [p, q] = [first, second].map((datum) => auditing.channel!(round, datum)!);
      for (let i = 0; i < p.length; i++) found = max(found, abs(log(p[i] / q[i])));
    }
    return found;
  };

  test('find all of ε, and a coin that spends a hundredth more', () => {
    // Exact ratios of finite channels: no chance is involved.
    const round = roundOf(plan, 0);
    expect(worst(round)).toBeGreaterThan(0.99 * 2);
    expect(worst(round)).toBeLessThanOrEqual(2 * (1 + 1e-12));
    const loose = { ...round, asked: { ...round.asked, coin: twoLevels(1.01 * 2, 1, 1) } };
    expect(worst(loose)).toBeGreaterThan(2);
  });

  test('find it with thresholds that only the largest gradients along one axis pass', () => {
    const round = roundOf(plan, 0);
    // At θ = 0 gradients are −x·y/2 of norm up to √2; of d = 3 in D = 4 coordinates one holds at most √(3/4) of it.
    const thresholds = round.asked.thresholds.map((_, q) => (q === 5 ? 1.2 : 1.3));
    const distant = { ...round, asked: { ...round.asked, thresholds } };
    expect(worst(distant)).toBeGreaterThan(0.99 * 2);
    // Control: beyond the largest gradient nothing is told.
    const beyond = round.asked.thresholds.map(() => 1.3);
    expect(worst({ ...round, asked: { ...round.asked, thresholds: beyond } })).toBe(0);
  });
});
