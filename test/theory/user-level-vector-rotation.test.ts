import { describe, expect, test } from '@jest/globals';
import { createRotation, rotate } from '../../src/protocol/user-level/vector/rotation.ts';
import { rotationBound } from '../../src/protocol/user-level/vector/theory.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { fillSphere } from '../../src/random/sphere.ts';

// Lemma of the slides: ‖HDy‖_∞ = Õ(B/√d) for all players at once. With its constant: B·√(2·ln(2dn/ξ)/d).
describe('the rotation lemma', () => {
  // ξ = 1e-4 for each of 40 seeds: a false alarm with probability 4e-3, and the seeds are fixed.
  test.each([64, 128, 256, 1024])(
    'holds for axes, flat and random vectors in %i dimensions, with its constant',
    (d) => {
      const players = 25;
      const failure = 1e-4;
      const bound = rotationBound(1, d, players, failure);
      const random = seededRandom('vectors');
      const vectors = Array.from({ length: players }, (_, i) => {
        const y = new Float64Array(d);
        if (i === 0) y[0] = 1;
        else if (i === 1) y.fill(1 / Math.sqrt(d));
        else if (i < 10) for (let k = 0; k < 2 ** i && k < d; k++) y[k] = 1 / Math.sqrt(Math.min(d, 2 ** i));
        else fillSphere(y, random);
        return y;
      });
      let largest = 0;
      for (let seed = 0; seed < 40; seed++) {
        const rotation = createRotation(d, `${seed}`);
        for (const y of vectors) for (const x of rotate(rotation, y)) largest = Math.max(largest, Math.abs(x));
      }
      expect(largest).toBeLessThan(bound);
      // The constant is not idle: 40·25·d Rademacher sums reach more than half of the bound.
      expect(largest).toBeGreaterThan(0.5 * bound);
      // Control: without random signs a flat vector becomes an axis, and an axis is one before it is rotated.
      const rotation = { ...createRotation(d, 'none'), signs: new Float64Array(d).fill(1 / Math.sqrt(d)) };
      expect(Math.max(...rotate(rotation, vectors[1]))).toBeGreaterThan(bound);
    },
  );
});
