import { describe, expect, test } from '@jest/globals';
import { type FinishedErm, requiredPlayers } from '../../protocols/user-level-erm/descent.ts';
import {
  descent,
  type ErmRequest,
  fillGradient,
  userLevelErm,
  userLevelErmPlan,
} from '../../protocols/user-level-erm/index.ts';
import { LOSSES } from '../../protocols/user-level-erm/objective.ts';
import type { UserLevelErmRequest, UserLevelErmRound } from '../../protocols/user-level-erm/parameters.ts';
import { auditing, shortfall, theory } from '../../protocols/user-level-erm/protocol.ts';
import { certify, verifyCertificate } from '../../src/core/certify.ts';
import { deployedRoundsPlayer } from '../../src/core/device.ts';
import { createLedger, memoryStore, pureCap } from '../../src/core/ledger.ts';
import { pureToGdpMu } from '../../src/privacy/conversion.ts';
import { gdpMu } from '../../src/privacy/gaussian.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { conduct } from '../../src/simulation/runner.ts';
import { checkContract, LAWS } from '../../src/testing/contract/laws.ts';
import { populationOf } from '../evidence/user-level-erm/validations/records.ts';
import { chiSquareStatistic } from '../statistics/chi-square.ts';
import { roundProtocol } from './round-protocol.ts';
import { drawRecords, ermCase, roundOf, smallRequest } from './user-level-erm-cases.ts';

const { abs, exp, hypot, log, max, SQRT2 } = Math;

/** A plan of a request that is wrong in some field; the types would not let it through. */
function made(change: { readonly [field: string]: unknown }): () => unknown {
  return () => descent({ ...smallRequest('logistic'), ...change } as ErmRequest);
}

test('the contract is kept in the first round, in the first that is predicted, and in deployment', () => {
  const request = smallRequest('logistic');
  const later = descent(request).rounds[0];
  const cases = [ermCase(request, 0), ermCase(request, later), ermCase({ ...request, grade: 'deployment' }, later)];
  expect(checkContract(roundProtocol(userLevelErm, descent(request)), cases)).toEqual([]);
});

describe.each([...LOSSES])('%s', (loss) => {
  // All three rounds of every loss are in contract-grids.long.test.ts.
  test('keeps the contract in the first round that is predicted', () => {
    const request = smallRequest(loss);
    const later = ermCase(request, descent(request).rounds[0]);
    expect(checkContract(roundProtocol(userLevelErm, descent(request)), [later])).toEqual([]);
  });

  test('no gradient of a player is longer than B, whatever its records', () => {
    const plan = descent(smallRequest(loss));
    const { gradientBound, radius, dimension } = plan.objective;
    const random = seededRandom(`norm ${loss}`);
    const round = roundOf(plan, plan.rounds[0]);
    let largest = 0;
    for (const { first, second } of auditing.pairs(round, random)) {
      for (const datum of [first, second]) {
        for (const sign of [-1, 0, 1]) {
          // Where the gradient of one of them is largest: along its own features, at the edge of the ball.
          const theta = Float64Array.from({ length: dimension }, (_, i) => sign * datum.features[i]);
          const scale = radius / hypot(...Array.from({ length: dimension }, (_, i) => datum.features[i]));
          const gradient = new Float64Array(dimension);
          const at = theta.map((coordinate) => coordinate * scale);
          userLevelErm.player.randomize({ ...round, theta: at }, datum, random);
          fillGradient(plan.objective, at, datum, gradient);
          largest = max(largest, hypot(...gradient));
        }
      }
    }
    expect(largest).toBeLessThanOrEqual(gradientBound * (1 + 1e-12));
    expect(largest).toBeGreaterThan(0.7 * gradientBound);
  });
});

describe('the variant', () => {
  test.each([0, -1, NaN, Infinity, '1', undefined, 1n, 501, 1e-7])('refuses ε = %p by name', (epsilon) => {
    expect(made({ epsilon })).toThrow(/^"epsilon" expected /);
  });

  test.each(['players', 'samples', 'dimension', 'iterations'])(
    'refuses what is not a number of %s by name',
    (field) => {
      for (const value of [0, -3, 1.5, NaN, '3', Infinity]) {
        expect(made({ [field]: value })).toThrow(new RegExp(`^"${field}" expected `));
      }
    },
  );

  test.each(['radius', 'strongConvexity', 'smoothness', 'step', 'featureBound', 'spread'])(
    'refuses what is not a positive %s by name',
    (field) => {
      for (const value of [0, -1, NaN, '1', Infinity]) {
        expect(made({ [field]: value })).toThrow(new RegExp(`^"${field}" expected `));
      }
    },
  );

  test.each(['samePlayers', 'predict', 'force'])('refuses a %s that is neither true nor false', (field) => {
    expect(made({ [field]: 1 })).toThrow(new RegExp(`^"${field}" expected true or false, got 1`));
  });

  test('refuses a loss whose gradient is not Lipschitz, and fields of another loss', () => {
    expect(made({ loss: 'hinge' })).toThrow(/^"loss" expected one of logistic, /);
    expect(made({ scale: 2 })).toThrow(/^"scale" expected nothing for the loss logistic, got 2/);
    expect(made({ loss: 'huber', featureBound: 2 })).toThrow(/^"featureBound" expected nothing for the loss huber/);
  });

  test('refuses by its name what no bound on gradients follows from', () => {
    for (const featureBound of [1e-100, 1e101, 1e300]) {
      expect(made({ featureBound, strongConvexity: 1e-220 })).toThrow(/^"featureBound" expected one with a bound on/);
    }
    expect(made({ loss: 'squared', radius: 1e200 })).toThrow(/^"radius" expected one with a bound on gradients from/);
    expect(made({ loss: 'huber', threshold: 1e-300 })).toThrow(/^"threshold" expected one with a bound on gradients/);
  });

  test('refuses a convexity above the smoothness, and a step that may not contract', () => {
    expect(made({ strongConvexity: 0.3, smoothness: 0.2 })).toThrow(
      /^"strongConvexity" expected at most the smoothness/,
    );
    expect(made({ step: 4.1 })).toThrow(/^"step" expected at most 1\/τ₂ = 4/);
    expect(made({ step: 4 })).not.toThrow();
  });

  test('refuses a δ where one bit is pure anyway', () => {
    expect(made({ delta: 1e-6 })).toThrow(/^"delta" expected nothing where players are fresh/);
    expect(made({ delta: 2, samePlayers: true })).toThrow(/^"delta" expected a number strictly between 0 and 1/);
  });

  test('refuses fewer players than groups or rounds even where it is forced', () => {
    expect(made({ players: 7 })).toThrow(/^"players" expected at least 8, two for each of 4 groups, got 7/);
    expect(made({ players: 100, iterations: 1000 })).toThrow(
      /^"players" expected at least \d+, one in each of \d+ rounds/,
    );
  });

  test('steps by the rule of the theorem: η = ½·min(1/τ₂, 1)', () => {
    expect(descent(smallRequest('logistic', { smoothness: 4 })).step).toBe(0.125);
    expect(descent(smallRequest('logistic', { smoothness: 0.25 })).step).toBe(0.5);
    expect(descent(smallRequest('logistic')).smoothness).toBe(0.25);
    expect(descent(smallRequest('huber', { scale: 0.5 })).smoothness).toBe(4);
  });

  test('takes O(log n) iterations: ½·log 10⁴/(−log(1 − ητ₁)) more for 10⁴ times the players', () => {
    const { iterations: _, ...rest } = smallRequest('logistic', { strongConvexity: 0.1, smoothness: 0.25 });
    const [few, many] = [1e4, 1e8].map((players) => descent({ ...rest, players }).iterations);
    // Rounded up once each.
    expect(abs(many - few - (0.5 * log(1e4)) / -log(1 - 0.05))).toBeLessThanOrEqual(1);
    expect(few).toBeGreaterThan(10);
  });

  test('binds reports to every number of the request, and refuses a field that it does not read', () => {
    const { digest } = descent(smallRequest('logistic'));
    expect(made({ note: 'stray' })).toThrow(/^"request" expected no fields but .*, got "note"$/);
    const changes: readonly Partial<ErmRequest>[] = [
      { players: 3001 },
      { samples: 5 },
      { strongConvexity: 0.11 },
      { smoothness: 0.26 },
      { iterations: 7 },
      { seed: 'another' },
      { samePlayers: true },
      { predict: false },
      { spread: 0.2 },
    ];
    const digests = changes.map((change) => descent(smallRequest('logistic', change)).digest);
    expect(new Set([digest, ...digests]).size).toBe(changes.length + 1);
  });

  test('makes the same plan from plain JSON, with what the plan remembers', () => {
    const plan = descent(smallRequest('huber'));
    expect(userLevelErmPlan(JSON.parse(JSON.stringify(plan.request)) as UserLevelErmRequest)).toEqual(plan);
    expect(() => userLevelErmPlan({ ...smallRequest('huber'), variant: 'other' as 'descent' })).toThrow(
      /^"variant" expected one of descent/,
    );
  });
});

describe('the condition on the number of players', () => {
  const request = {
    epsilon: 1,
    samples: 50,
    dimension: 8,
    loss: 'huber',
    threshold: 1.5,
    radius: 2,
    strongConvexity: 0.1,
  } as const;
  // By hand: B = 1.5·√2, (Bd²/(ε·τ₁R))²/m = (2.1213·64/0.2)²/50 = 9216 (exactly 2·2.25·4096/0.04/50).
  const needed = 9216;

  test('is √(mn) ≥ Bd²/(ε·τ₁R), computed by hand', () => {
    const plan = descent({ ...request, players: needed + 1 });
    const { epsilon, samples, dimension, strongConvexity, radius } = request;
    const fields = { epsilon, samples, dimension, strongConvexity, radius, gradientBound: 1.5 * SQRT2 };
    expect(abs(requiredPlayers(fields) - needed)).toBeLessThanOrEqual(1);
    expect(shortfall(plan)).toBe(0);
    expect(abs(requiredPlayers({ ...fields, samples: 100 }) - needed / 2)).toBeLessThanOrEqual(1);
    // With many samples it is the rounds that need players: 60·8/κ² at κ = tanh(½), 2247.8 by hand.
    expect(requiredPlayers({ ...fields, samples: 1e9 })).toBe(2248);
  });

  test('is refused below, naming the shortfall, unless it is forced', () => {
    const refused = () => descent({ ...request, players: 9000 });
    expect(refused).toThrow(/^"players" expected at least 921[67], which .* \(21[67] more; "force" .*\), got 9000$/);
    const forced = descent({ ...request, players: 9000, force: true });
    expect(abs(shortfall(forced) - 216)).toBeLessThanOrEqual(1);
  });
});

test('keeps the contract in dimension 4, and in dimension 1, where three seeds may well give one of four reports', () => {
  const coins = LAWS.filter(({ sentence }) => !sentence.startsWith('other coins give another report'));
  expect(coins.length).toBe(LAWS.length - 1);
  for (const [dimension, laws] of [[1, coins] as const, [4, LAWS] as const]) {
    const request = smallRequest('logistic', { dimension });
    const cases = [ermCase(request, 0), ermCase(request, descent(request).rounds[0])];
    expect(checkContract(roundProtocol(userLevelErm, descent(request)), cases, laws)).toEqual([]);
  }
});

describe('what is claimed', () => {
  test('is certified in a document that anybody can compute again', () => {
    for (const change of [{}, { samePlayers: true, delta: 1e-6 }, { predict: false }]) {
      const plan = descent(smallRequest('huber', change));
      const document = certify(userLevelErm, plan);
      expect(document.digest).toBe(plan.digest);
      expect(verifyCertificate(userLevelErm, JSON.parse(JSON.stringify(document))).verified).toBe(true);
    }
  });

  test('fresh players answer once: one bit of ε, however many rounds', () => {
    const plan = descent(smallRequest('logistic'));
    expect(theory.guarantee(plan)).toEqual({ kind: 'pure', epsilon: 2 });
    const { releases, totals } = theory.certificate(plan);
    expect(releases.map(({ count }) => count)).toEqual([1]);
    expect(totals[0]).toMatchObject({ accounting: 'pure', withinClaim: true });
    expect(plan.shares.length).toBe(plan.rounds[0] + 5);
    expect(abs(plan.shares.reduce((sum, share) => sum + share, 0) - 1)).toBeLessThan(1e-12);
  });

  test('the same players answer in every round: their bits add up to ε', () => {
    const plan = descent(smallRequest('logistic', { samePlayers: true }));
    const { releases, totals } = theory.certificate(plan);
    const rounds = plan.shares.length;
    expect(releases[0].count).toBe(rounds);
    const total = totals[0].guarantee;
    expect(total.kind === 'pure' && total.epsilon <= 2 && total.epsilon > 2 - 1e-9).toBe(true);
    expect(totals[0].withinClaim).toBe(true);
  });

  test('with a δ they add up as Gaussian releases do, within (ε, δ) and close to it', () => {
    const asked = { epsilon: 1, delta: 1e-4, samePlayers: true, iterations: 60 };
    const plan = descent(smallRequest('logistic', asked));
    const rounds = plan.shares.length;
    const { totals } = theory.certificate(plan);
    expect(totals.find(({ accounting }) => accounting === 'gdp')?.withinClaim).toBe(true);
    const spent = Math.sqrt(rounds) * pureToGdpMu(plan.gradient.coin.exactEpsilon);
    expect(spent).toBeLessThanOrEqual(gdpMu(asked));
    expect(spent).toBeGreaterThan(0.999 * gdpMu(asked));
    // More than basic composition would leave for a bit.
    expect(plan.gradient.coin.exactEpsilon).toBeGreaterThan(1 / rounds);
  });

  test('every output of a round is at most e^ε times likelier under one datum than under another, and some is', () => {
    const plan = descent(smallRequest('logistic'));
    for (const at of [0, plan.rounds[0]]) {
      const round = roundOf(plan, at);
      let worst = 0;
      for (const { first, second } of auditing.pairs(round, seededRandom('pairs'))) {
        const [p, q] = [first, second].map((datum) => auditing.channel?.(round, datum) as Float64Array);
        expect(abs(p.reduce((sum, share) => sum + share, 0) - 1)).toBeLessThan(1e-12);
        for (let i = 0; i < p.length; i++) worst = max(worst, p[i] / q[i], q[i] / p[i]);
      }
      expect(worst).toBeLessThanOrEqual(exp(2) * (1 + 1e-12));
      expect(worst).toBeGreaterThan(exp(2) * (1 - 1e-9));
    }
  });

  test('the channel is the law of the player: χ² of 40,000 reports', () => {
    const round = roundOf(descent(smallRequest('squared')), 0);
    const { first } = auditing.pairs(round, seededRandom('pairs'))[0];
    const expected = auditing.channel?.(round, first) as Float64Array;
    const counts = new Float64Array(expected.length);
    const random = seededRandom('channel');
    for (let i = 0; i < 40_000; i++) counts[userLevelErm.player.randomize(round, first, random).values[0]]++;
    // 15 degrees of freedom: beyond 50 with probability 1.2e-5. Control: the two levels exchanged.
    expect(chiSquareStatistic(counts, expected)).toBeLessThan(50);
    expect(
      chiSquareStatistic(
        counts,
        expected.map((_, i) => expected[i ^ 1]),
      ),
    ).toBeGreaterThan(1000);
  });
});

describe('rounds', () => {
  const request = smallRequest('squared', { players: 6000, epsilon: 3 });
  const plan = descent(request);
  const records = drawRecords({ loss: 'squared', players: 6000, samples: 4, truth: [0.4, -0.3, 0.2], seed: 'rounds' });
  const population = populationOf(records, 6000);
  const { finished, estimate } = conduct(userLevelErm, plan, population, { seed: 1 });

  test('go on from T gradients to T + 1 iterates in the ball, each a step from the one before', () => {
    expect(finished.length).toBe(plan.shares.length);
    expect(estimate.iterates.length).toBe(plan.iterations + 1);
    expect(estimate.players).toBe(6000);
    const far = estimate.iterates.map((theta) => hypot(...theta));
    expect(max(...far)).toBeLessThanOrEqual(request.radius * (1 + 1e-12));
    expect(estimate.theta).toEqual(estimate.iterates[plan.iterations]);
  });

  test('say the same when reports travel as bytes', () => {
    expect(conduct(userLevelErm, plan, population, { seed: 1, wire: true }).estimate).toEqual(estimate);
  });

  test('take no report of another round or plan', () => {
    const { player, report } = userLevelErm;
    const bytes = report.encode(
      finished[0].round,
      player.randomize(finished[0].round, population.datum(0), seededRandom(1)),
    );
    expect(() => report.decode(finished[1].round, bytes)).toThrow(/^"report" expected the digest of these parameters/);
    const wrong: FinishedErm<UserLevelErmRound>[] = [{ round: finished[1].round, tally: finished[0].tally }];
    expect(() => userLevelErm.rounds.next(plan, wrong)).toThrow(/^"finished\[0\].tally.digest" expected/);
    expect(() => userLevelErm.rounds.next(plan, finished.slice(1, 2))).toThrow(
      /^"finished\[0\].round.round" expected 0, got 1/,
    );
  });

  test('refuse a round without reports, and an estimate before the end', () => {
    const empty = [{ round: finished[0].round, tally: userLevelErm.server.empty(finished[0].round) }];
    expect(() => userLevelErm.rounds.next(plan, empty)).toThrow(
      /^"finished\[0\].tally.players" expected at least 1 report in round 0 \(\d+ players in all\), got 0/,
    );
    expect(() => userLevelErm.rounds.estimate(plan, finished.slice(1))).toThrow(/^"finished" expected \d+ rounds, got/);
  });

  test('refuse to descend from a gradient of which a group of coordinates says nothing, naming how many it takes', () => {
    const short = finished.slice(0, plan.rounds[0]).map(({ round, tally }) => ({
      round,
      tally: { ...tally, sums: tally.sums.map((count, i) => (i >> 2 === 2 ? 0 : count)) },
    }));
    expect(() => userLevelErm.rounds.next(plan, short)).toThrow(
      /^"players" expected enough for reports of each of 4 groups .* \(about \d+ in all\), got none of group 2/,
    );
  });

  test('lose nothing but players when a third drops out of later rounds', () => {
    // Who is left is no other population, so that the minimiser is the same.
    const out = conduct(userLevelErm, plan, population, { seed: 1, vanishes: (i, round) => round >= 4 && i % 3 === 0 });
    expect(out.estimate.players).toBeLessThan(4700);
    expect(out.estimate.players).toBeGreaterThan(3900);
    const apart = hypot(...out.estimate.theta.map((coordinate, i) => coordinate - estimate.theta[i]));
    // Both are within their own distance of the minimiser.
    expect(apart).toBeLessThan(out.estimate.distance + estimate.distance);
  });

  test('with the same players everybody answers in every round', () => {
    const same = descent(smallRequest('squared', { players: 500, epsilon: 40, samePlayers: true }));
    const few = populationOf(records, 6000);
    const { estimate: found, finished: over } = conduct(
      userLevelErm,
      same,
      { players: 500, datum: few.datum },
      { seed: 2 },
    );
    expect(found.players).toBe(500 * same.shares.length);
    expect(over.every(({ round }) => (round.repeats === true) === round.round > 0)).toBe(true);
  });

  test('a deployed player answers once, with a whole number of four bytes', () => {
    const plan = descent({ ...request, grade: 'deployment' });
    const round = roundOf(plan, 0);
    const ledger = createLedger({ cap: pureCap(plan.epsilon), store: memoryStore() });
    const device = deployedRoundsPlayer(userLevelErm, plan, { ledger });
    const bytes = device.report(round, population.datum(0));
    expect(userLevelErm.report.decode(round, bytes).values[0]).toBeLessThan(16);
    // Players are fresh in every round: one who has answered says nothing in any other.
    for (const other of [round, roundOf(plan, 1)]) {
      expect(() => device.report(other, population.datum(0))).toThrow(/^"report" expected to be asked for once/);
    }
  });
});
