// Every player here is audited with its own claim. A broken one must be refuted; its honest twin must not be, which at a
// confidence of 99.9 % fails for one seed in a thousand, and was checked for this one.
import { describe, expect, test } from '@jest/globals';
import { audit } from '../../../src/audit/audit.ts';
import { claimedParameter } from '../../../src/audit/claim.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { type BrokenRandomizer, brokenRandomizers, type Randomizer } from './broken-randomizers.ts';

function attack({ claimed, pair }: BrokenRandomizer, player: Randomizer, trials: number) {
  const random = seededRandom('controls');
  return audit({ player, parameters: undefined, claimed }, { pair, trials, random, confidence: 0.999 });
}

describe.each(brokenRandomizers)('$what', (control) => {
  test('is a violation of the claim', () => {
    const result = attack(control, control.broken, control.trials ?? 20_000);
    expect(result.verdict).toBe('violation');
    expect(result.claims[0].lowerBound).toBeGreaterThan(claimedParameter(control.claimed));
    expect(result.evidence).toContain(control.evidence ?? '');
    expect(result.method).toBe('learned score');
  });

  test('is not there in the honest twin, whose bound comes near the claim', () => {
    const result = attack(control, control.honest, 100_000);
    expect(result.verdict).toBe('consistent');
    expect(result.claims[0].lowerBound).toBeGreaterThan(0.7 * claimedParameter(control.claimed));
  });
});

test('there are a dozen controls', () => {
  expect(brokenRandomizers.length).toBe(12);
});
