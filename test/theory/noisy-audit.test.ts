import { describe, expect, test } from '@jest/globals';
import { type CentralRecord, descend, descent } from '../../protocols/noisy-gradient-descent/index.ts';
import { guarantee } from '../../protocols/noisy-gradient-descent/protocol.ts';
import { auditOneRun, guessInclusion } from '../../src/audit/audit.ts';
import { gdpEpsilon } from '../../src/privacy/gaussian.ts';
import { bits } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';

// One run with a canary on every coordinate: the coin of canary i chooses the sign of a response so far away that the score is
// ±√2·c·e_i in every step. Two values of one record, so that the claim is tested at its own neighbours.
const CANARIES = 1000;
const DELTA = 1e-5;

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
