import { expect, test } from '@jest/globals';
import { logSigns, signLikelihood } from '../../../../../protocols/user-level-mean/vector/coordinate-round.ts';
import { normalCdf } from '../../../../../src/numeric/normal.ts';

test.each([0.01, 0.2913, 0.9])('the table of contrast %d is right to 2e-8 for both signs', (contrast) => {
  const table = signLikelihood(contrast);
  let worst = 0;
  for (let z = -6.9; z < 6.9; z += 0.00713) {
    const exact = (sign: number) => Math.log(0.5 + contrast * (normalCdf(sign * z) - 0.5));
    worst = Math.max(
      worst,
      Math.abs(logSigns(table, z, 1, 0) - exact(1)),
      Math.abs(logSigns(table, z, 0, 1) - exact(-1)),
    );
  }
  // Taylor's remainder: a third derivative of at most 2 (at these contrasts), times (1/256)³/6.
  expect(worst).toBeLessThan(2e-8);
});

test('a sign without noise that contradicts has a finite logarithm, and beyond the table nothing changes', () => {
  const table = signLikelihood(1);
  expect(logSigns(table, -7, 1, 0)).toBeLessThan(-20);
  expect(Number.isFinite(logSigns(table, -1e9, 1, 0))).toBe(true);
  expect(logSigns(table, 1e9, 3, 2)).toBe(logSigns(table, 7, 3, 2));
});
