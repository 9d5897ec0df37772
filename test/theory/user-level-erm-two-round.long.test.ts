import { describe, expect, test } from '@jest/globals';
import { descent, userLevelErm } from '../../protocols/user-level-erm/index.ts';
import type { UserLevelErmPlan } from '../../protocols/user-level-erm/parameters.ts';
import { conduct } from '../../src/simulation/runner.ts';
import { exactSlope } from '../../src/testing/claim.ts';
import {
  distance,
  drawRecords,
  minimiser,
  populationOf,
  type Records,
  type SquaresRequest,
  squaresPlan,
} from '../evidence/user-level-erm/validations/records.ts';

const { abs, sqrt } = Math;

// Least squares with E xxᵀ = I: the spread of a coordinate of a gradient is √(1/12) at the minimiser, and .3 is close to it.
const SPREAD = 0.3;
const TRUTH = [0.2, -0.15, 0.1];
const RUNS = 10;

const asked = (change: Partial<SquaresRequest> = {}): SquaresRequest => ({
  ...{ epsilon: 2, players: 72_000, samples: 9, dimension: 3, iterations: 12 },
  ...change,
});

const draw = ({ players, samples }: SquaresRequest): Records =>
  drawRecords(players * samples, TRUTH, `two rounds ${samples}`);

function twoRounds(request: SquaresRequest): UserLevelErmPlan {
  const { objective, strongConvexity, smoothness } = squaresPlan(request);
  const { radius, featureBound } = objective;
  const fixed = { loss: 'squared', gradients: 'two-round', force: true, spread: SPREAD } as const;
  return descent({ ...fixed, ...request, radius, featureBound, strongConvexity, smoothness });
}

const bySigns = (request: SquaresRequest): UserLevelErmPlan => squaresPlan(request, { spread: SPREAD });

/** Root mean square of ‖θ_T − θ̂‖ over runs on the same records, with other coins and other players in each round. */
function error(plan: UserLevelErmPlan, records: Records, runs: number = RUNS): number {
  const best = minimiser(plan.objective, records);
  const population = populationOf(records, plan.players);
  let sum = 0;
  for (let run = 0; run < runs; run++) {
    sum += distance(conduct(userLevelErm, plan, population, { seed: `run ${run}` }).estimate.theta, best) ** 2;
  }
  return sqrt(sum / runs);
}

const errorOf = (change: Partial<SquaresRequest>): number => error(twoRounds(asked(change)), draw(asked(change)));

// A root mean square of 10 runs in 3 dimensions has a relative deviation of 1/√(2·10·3) = .13; three of them, each three times the x of
// the one before, give a slope with the deviation .13/(√2·ln 3) = .083. Within .34: four deviations, 5e-5. A rate of 0 or 1 is outside.
describe('the error of a descent whose gradients have two rounds', () => {
  test('falls like 1/√n', () => {
    const players = [24_000, 72_000, 216_000];
    expect(
      abs(
        exactSlope(
          players,
          players.map((n) => errorOf({ players: n })),
        ) + 0.5,
      ),
    ).toBeLessThan(0.34);
  });

  const samples = [3, 9, 27];

  test('falls like 1/√m', () => {
    expect(
      abs(
        exactSlope(
          samples,
          samples.map((m) => errorOf({ samples: m })),
        ) + 0.5,
      ),
    ).toBeLessThan(0.34);
  });

  test('control: with m copies of one record a player it does not, and the fit says so', () => {
    const { features, responses } = draw(asked({ samples: 1 }));
    const errors = samples.map((m) => {
      const copied = {
        features: Float64Array.from({ length: features.length * m }, (_, i) => {
          const record = Math.floor(i / (3 * m));
          return features[3 * record + (i % 3)];
        }),
        responses: Float64Array.from({ length: responses.length * m }, (_, i) => responses[Math.floor(i / m)]),
      };
      return error(twoRounds(asked({ samples: m })), copied);
    });
    expect(abs(exactSlope(samples, errors) + 0.5)).toBeGreaterThan(0.34);
  });

  test('grows like √T, as players of a gradient become fewer; that of signs, which predict, does not', () => {
    const counts = [12, 36, 108];
    const records = draw(asked({ players: 120_000, samples: 20 }));
    const along = (make: (request: SquaresRequest) => UserLevelErmPlan, runs: number): number[] =>
      counts.map((iterations) => error(make(asked({ players: 120_000, samples: 20, iterations })), records, runs));
    const [two, signs] = [along(twoRounds, RUNS), along(bySigns, 5)];
    expect(abs(exactSlope(counts, two) - 0.5)).toBeLessThan(0.34);
    // The control: the deviation of a slope of 5 runs is .12.
    expect(abs(exactSlope(counts, signs) - 0.5)).toBeGreaterThan(0.2);
    // Ratios of root mean squares of 10 and 5 runs deviate by .22: measured 1.1 and 2.9.
    expect(two[0] / signs[0]).toBeLessThan(2);
    expect(two[2] / signs[2]).toBeGreaterThan(1.5);
  });
});
