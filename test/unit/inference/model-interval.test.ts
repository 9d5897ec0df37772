import { describe, expect, test } from '@jest/globals';
import { modelIntervals, uncertaintyOf } from '../../../src/inference/model-interval.ts';
import type { CorrectedMoments } from '../../../src/optimize/corrected-risk.ts';
import { createLift } from '../../../src/polynomial/lift.ts';
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
    expect(asked([-0.1, 0.5])).toMatchObject({ enough: false, level: 0.95 });
    expect(asked([-0.1, 0.5]).playersNeeded).toBeCloseTo(20_250, 6);
    // With 20.25 times the players half the length is .3/4.5: .2 ± .2/3.
    expect(asked([0.2 - 0.2 / 3, 0.2 + 0.2 / 3])).toMatchObject({ enough: true, playersNeeded: null });
  });

  test('are not told where the middle is 0 or below, and never said to be enough there', () => {
    expect(asked([-0.5, 0.5])).toMatchObject({ enough: false, playersNeeded: null });
    expect(asked([-0.5, -0.1])).toMatchObject({ enough: false, playersNeeded: null });
    expect(asked([0, 0])).toMatchObject({ enough: false, playersNeeded: null });
  });
});
