import { describe, expect, test } from '@jest/globals';
import { edgeBias, printed, twoRound, userLevelMean } from '../../protocols/user-level-mean/index.ts';
import { chosenInterval } from '../../protocols/user-level-mean/scalar/noisy-means.ts';
import { popularBin } from '../../protocols/user-level-mean/scalar/question.ts';
import { normal } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { playRounds } from '../protocols/round-protocol.ts';

// Slides, two-round estimator, round 2: projection on the chosen bin. A mean at the edge of a bin has half of its local means in
// the next one; the projection puts them all on the edge.

const setting = { epsilon: 4, delta: 1e-6, players: 20000, samples: 1000 };
const spread = 0.3;
const deviation = spread / Math.sqrt(setting.samples);
const pilot = printed({ ...setting, calibration: 'exact' }).pilot;
const edge = -1 + (2 / pilot.mechanism.categories) * Math.round(pilot.mechanism.categories / 2);

// Local means on normal quantiles would do; drawn ones are as good: 4000 of them, mean off by s/√(4000m), a sixtieth of s/√m.
const random = seededRandom('edge');
const data = Array.from({ length: 4000 }, () => ({ samples: [edge + deviation * normal(random)] }));
const local = data.reduce((sum, { samples }) => sum + samples[0], 0) / data.length;

/** What the mean of the projected local means is, without any noise: what is left when n grows. */
function projectedMean({ lower, upper }: { readonly lower: number; readonly upper: number }): number {
  return data.reduce((sum, { samples }) => sum + Math.min(upper, Math.max(lower, samples[0])), 0) / data.length;
}

describe('a mean exactly on the edge of a bin', () => {
  test('printed has a bias of .4·s/√m that no n removes', () => {
    const plan = printed({ ...setting, calibration: 'exact' });
    const [{ tally }] = playRounds(userLevelMean, plan, { data, reports: 20000, until: 0 });
    const bias = projectedMean(popularBin(plan.pilot, tally as never, 0)) - local;
    // E max(0, z) from 4000 draws is off by .584/√4000 = .0092 deviations: five of them are .046.
    expect(Math.abs(Math.abs(bias) / edgeBias({ samples: setting.samples, spread }) - 1)).toBeLessThan(0.046 / 0.3989);
    expect(Math.abs(bias) / deviation).toBeGreaterThan(0.35);
  });

  test.each(['pair', 'triple'] as const)('twoRound with interval %s has none', (interval) => {
    const plan = twoRound({ ...setting, interval });
    const [{ tally }] = playRounds(userLevelMean, plan, { data, reports: 20000, until: 0 });
    const bias = projectedMean(chosenInterval(plan, tally as never)) - local;
    expect(Math.abs(bias) / deviation).toBeLessThan(0.001);
  });
});
