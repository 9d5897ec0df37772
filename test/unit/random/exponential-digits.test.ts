import { expect, test } from '@jest/globals';
import { encloseExponential, floorExponential } from '../../../src/random/gaussian-cells.ts';
import { exactExponential } from './discrete-law.ts';

// Computed with mpmath at 3000 bits.
test.each([
  [1n, 1n, 1n, 64, 6786177901268885274n],
  [22n, 7n, 1000n, 96, 3419432768169760376779962842041n],
  [1n, 10n ** 6n, 1n, 128, 340282026638741683651657899647165175767n],
  [700n, 1n, 3n, 1100, 4017715243887488815126060550n],
  [10n ** 40n + 1n, 10n ** 40n, 1n, 100, 466342594412604466517458581545n],
  [5n, 1n << 200n, 7n, 32, 30064771071n],
  [0n, 3n, 5n, 32, 5n << 32n],
])('digits of a multiple of exp(−%d/%d)', (a, b, factor, places, expected) => {
  expect(floorExponential(a, b, factor, places)).toBe(expected);
});

test('an enclosure holds the value and is at most 3 wide, for 2000 arguments from 1e-6 to 40', () => {
  let wrong = 0;
  for (let i = 1n; i <= 2000n; i++) {
    const a = (i * i * i) % 40_000_003n;
    const b = 1_000_001n + i;
    const places = 8 + Number(i % 90n);
    const [below, above] = encloseExponential(a, b, places);
    const exact = exactExponential(a, b, places);
    if (!(below <= exact && exact <= above && above - below <= 3n)) wrong++;
  }
  expect(wrong).toBe(0);
});

test('the control: one place more or less would be noticed', () => {
  const [below, above] = encloseExponential(3n, 2n, 20);
  const off = exactExponential(3n, 2n, 21);
  expect(off >= below && off <= above).toBe(false);
});
