import { describe, expect, test } from '@jest/globals';
import { normalCriticalValue } from '../../../src/inference/critical-value.ts';
import { clearestCoefficient, modelIntervals, uncertaintyOf } from '../../../src/inference/model-interval.ts';
import type { CorrectedMoments } from '../../../src/optimize/corrected-risk.ts';
import { createLift } from '../../../src/polynomial/lift.ts';
import { normal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { hingeLoss } from '../../../src/risk/margin-loss.ts';

const random = () => seededRandom('model intervals');
const loss = hingeLoss();

describe('from one power', () => {
  const moments: CorrectedMoments = {
    lift: createLift(2, 1),
    values: Float64Array.of(0.3, -0.4),
    noise: Float64Array.of(1e-4),
    players: 1000,
  };

  test('the mean margin is ⟨w, T₁⟩ ± √5.991·σ‖w‖, and the risk lies between the kink and the chord', () => {
    const { risk, effect, of } = modelIntervals(moments, { w: Float64Array.of(0.3, -0.4), loss }, random());
    // ⟨w, T₁⟩ = .25, √χ²₂(.95) = 2.4477, σ = .01, ‖w‖ = ½.
    expect(of).toBe('margin');
    expect(effect[0]).toBeCloseTo(0.25 - 0.012239, 5);
    expect(effect[1]).toBeCloseTo(0.25 + 0.012239, 5);
    // (½ − t)₊ is a straight line on [−½, ½], so that Jensen and the chord agree: ½ − mean, over the ends of the mean.
    expect(risk[0]).toBeCloseTo(0.25 - 0.012239, 5);
    expect(risk[1]).toBeCloseTo(0.25 + 0.012239, 5);
  });

  test('a model of zeros has the risk f(0) and no effect', () => {
    expect(modelIntervals(moments, { w: new Float64Array(2), loss }, random())).toEqual({
      risk: [0.5, 0.5],
      effect: [0, 0],
      of: 'margin',
      noise: 0,
    });
  });

  test('a model of another dimension and an intercept that is no coordinate are refused', () => {
    expect(() => modelIntervals(moments, { w: new Float64Array(3), loss }, random())).toThrow('"w"');
    expect(() => modelIntervals(moments, { w: new Float64Array(2), loss, intercept: 2 }, random())).toThrow(
      '"intercept"',
    );
  });
});

describe('players who would do', () => {
  const asked = (effect: readonly [number, number]) => uncertaintyOf(1000, { risk: null, effect, what: 'it is' });

  test('are so many that half the length is a third of the middle: n·(1.5·length/middle)²', () => {
    expect(asked([-0.01, 0.41])).toMatchObject({ enough: false });
    expect(asked([-0.01, 0.41]).playersNeeded).toBeCloseTo(9922.5, 6);
    // With 9.9225 times the players half the length is .21/3.15: .2 ± .2/3.
    expect(asked([0.2 - 0.2 / 3, 0.2 + 0.2 / 3])).toMatchObject({ enough: true, playersNeeded: null });
  });

  test('are not told where the middle is 0 or below, and never said to be enough there', () => {
    expect(asked([-0.5, 0.5])).toMatchObject({ enough: false, playersNeeded: null });
    expect(asked([-0.5, -0.1])).toMatchObject({ enough: false, playersNeeded: null });
    expect(asked([0, 0])).toMatchObject({ enough: false, playersNeeded: null });
  });

  test('are not told of an effect beyond the largest that there can be', () => {
    const middle = (most: number) => uncertaintyOf(1000, { risk: null, effect: [-0.1, 0.9], what: 'it is', most });
    expect(middle(0.39)).toMatchObject({ enough: false, playersNeeded: null });
    expect(middle(0.41).playersNeeded).toBeCloseTo(1000 * (1.5 / 0.4) ** 2, 6);
    const clearest = (most: number) =>
      clearestCoefficient(1000, [{ name: 'a', value: 4.5, half: 5 }], {
        ...{ level: 0.95, critical: normalCriticalValue },
        ...{ origin: 'the middle', most },
      });
    expect(clearest(4.4)).toMatchObject({ what: 'a is away from the middle by', playersNeeded: null });
    expect(clearest(5).playersNeeded).toBeCloseTo(1000 * (15 / 4.5) ** 2, 6);
  });

  test('are told of noise alone in a tenth of all collections only', () => {
    const noise = random();
    const rounds = 4000;
    const told = { fixed: 0, clearest: 0, ellipsoid: 0 };
    for (let k = 0; k < rounds; k++) {
      const middle = normal(noise);
      const { enough, playersNeeded } = asked([middle - 1.96, middle + 1.96]);
      if (enough || playersNeeded !== null) told.fixed++;
      const names = Array.from({ length: 6 }, (_, j) => ({ name: `${j}`, value: normal(noise), half: 1.96 }));
      const clearest = clearestCoefficient(1000, names, { level: 0.95, critical: normalCriticalValue });
      if (clearest.enough || clearest.playersNeeded !== null) told.clearest++;
      const values = Float64Array.of(0.01 * normal(noise), 0.01 * normal(noise));
      const moments: CorrectedMoments = { lift: createLift(2, 1), values, noise: Float64Array.of(1e-4), players: 1000 };
      // The model that the noisy mean itself chooses.
      const query = { w: values.map((entry) => entry / Math.hypot(...values)), loss };
      const found = modelIntervals(moments, query, noise);
      const fitted = uncertaintyOf(1000, { ...found, what: 'it is' });
      if (fitted.enough || fitted.playersNeeded !== null) told.ellipsoid++;
    }
    // A tenth of 4000, five standard errors: a false alarm in 10⁶.
    for (const count of [told.fixed, told.ellipsoid]) expect(Math.abs(count / rounds - 0.1)).toBeLessThan(0.024);
    // Of six, by Bonferroni, at most a tenth: 1 − (1 − .1/6)⁶ = .096.
    expect(Math.abs(told.clearest / rounds - 0.096)).toBeLessThan(0.024);
  });
});
