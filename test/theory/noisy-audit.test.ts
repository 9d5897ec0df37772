import { describe, expect, test } from '@jest/globals';
import { type CentralRecord, descend, descent } from '../../protocols/noisy-gradient-descent/index.ts';
import { curvatureMoment, meanScore, scoreMoment } from '../../protocols/noisy-gradient-descent/model.ts';
import { auditing, guarantee } from '../../protocols/noisy-gradient-descent/protocol.ts';
import { auditOneRun, guessInclusion } from '../../src/audit/audit.ts';
import { gdpEpsilon } from '../../src/privacy/gaussian.ts';
import { bits } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';

// One run with a canary on every coordinate: the coin of canary i chooses the sign of a response so far away that the score is
// ±√2·c·e_i in every step. Two values of one record, so that the claim is tested at its own neighbours.
const CANARIES = 1000;
const DELTA = 1e-5;

describe('the attack on all that noisy gradient descent releases', () => {
  const model = { kind: 'huber', features: 2 } as const;
  const plan = descent({ mu: 1, records: 9, model, steps: 4, force: true });
  const pairs = auditing.pairs(plan, seededRandom('pairs'));

  /** The log ratio by the densities of every release, each mean over all records. */
  function logRatio(pair: (typeof pairs)[number], fit: ReturnType<typeof descend>): number {
    const { dimension } = plan.model;
    const logDensity = (records: readonly CentralRecord[]): number => {
      let squares = 0;
      const score = new Float64Array(dimension);
      for (let k = 0; k < plan.steps; k++) {
        meanScore(plan.model, records, fit.iterates[k], score);
        for (let i = 0; i < dimension; i++) {
          const released = (fit.iterates[k][i] - fit.iterates[k + 1][i]) / plan.step;
          squares += ((released - score[i]) / plan.noise) ** 2;
        }
      }
      const matrices = [
        [fit.region!.hessian, curvatureMoment(plan.model, records, fit.theta), plan.sandwich!.hessian],
        [fit.region!.scores, scoreMoment(plan.model, records, fit.theta), plan.sandwich!.scores],
      ] as const;
      for (const [released, moment, sigma] of matrices) {
        for (let i = 0, k = 0; i < dimension; i++) {
          for (let j = 0; j <= i; j++, k++) squares += ((released[i * dimension + j] - moment[k]) / sigma) ** 2;
        }
      }
      return -squares / 2;
    };
    return logDensity(pair.first) - logDensity(pair.second);
  }

  test.each(pairs)('knows its likelihood ratio, though it goes through equal records once: $name', (pair) => {
    const ratio = auditing.logLikelihoodRatio!(plan, pair)!;
    const random = seededRandom(pair.name);
    for (let trial = 0; trial < 20; trial++) {
      const fit = descend(plan, trial % 2 === 0 ? pair.first : pair.second, random);
      expect(ratio(fit)).toBeCloseTo(logRatio(pair, fit), 9);
    }
  });

  test('reverses no more than a score: orthogonal features with opposite responses are further apart in all', () => {
    // μ² at a start where all responses are far: the shares .5 of steps and .3 of scores, times the squares of the distances of
    // (1, 1, 0) and −(1, 0, 1), 3 of 4 and 4 of 8. Opposite responses alone have all of the first and nothing of the second.
    const squares = pairs.map(({ first, second }) => {
      const [one, other] = [first, second].map((records) => {
        const score = new Float64Array(plan.model.dimension);
        meanScore(plan.model, records, plan.start, score);
        return [score, scoreMoment(plan.model, records, plan.start)];
      });
      const apart = (at: number, sigma: number): number =>
        one[at].reduce((sum, entry, i) => sum + ((entry - other[at][i]) / sigma) ** 2, 0);
      return plan.steps * apart(0, plan.noise) + apart(1, plan.sandwich!.scores);
    });
    expect(squares[0]).toBeCloseTo(0.5, 9);
    expect(squares[1]).toBeCloseTo(0.525, 9);
  });
});

describe('an audit in one run of the last iterate of noisy gradient descent', () => {
  const random = seededRandom('canaries');
  const coins = Array.from({ length: CANARIES }, () => bits(random) % 2 === 1);
  const records = coins.map((coin, i): CentralRecord => {
    const features = new Float64Array(CANARIES);
    features[i] = Math.SQRT2;
    return { features, response: coin ? 1e9 : -1e9 };
  });
  const plan = descent({
    mu: 0.5,
    records: CANARIES,
    model: { kind: 'huber', features: CANARIES, intercept: false },
    steps: 20,
    regions: false,
    force: true,
  });
  const attack = (noise: number) => {
    const { theta } = descend({ ...plan, noise }, records, seededRandom('one run'));
    const counts = guessInclusion(theta, coins, { in: 100, out: 100 });
    return auditOneRun({ ...counts, claimed: guarantee(plan), delta: DELTA });
  };

  test('finds nothing against the claim, and something of what it allows', () => {
    const { verdict, lowerBound } = attack(plan.noise);
    expect(verdict).toBe('consistent');
    expect(lowerBound).toBeGreaterThan(0.2);
    expect(lowerBound).toBeLessThan(gdpEpsilon(0.5, DELTA));
  });

  test('control: noise that forgets the √K is refuted', () => {
    const { verdict, lowerBound } = attack(plan.noise / Math.sqrt(plan.steps));
    expect(verdict).toBe('violation');
    expect(lowerBound).toBeGreaterThan(gdpEpsilon(0.5, DELTA));
  });
});
