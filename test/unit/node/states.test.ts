import { expect, test } from '@jest/globals';
import { STATES } from '../../../src/node/kinds/points/states.ts';

const lines = STATES.trim()
  .split(';')
  .map((line) => line.trim().split(/\s+/).map(Number));

/** All corners of the lines, in degrees of longitude and latitude. */
const corners = lines.flatMap((steps) => {
  let [x, y] = [0, 0];
  return Array.from({ length: steps.length / 2 }, (_, i) => [(x += steps[2 * i]) / 100, (y += steps[2 * i + 1]) / 100]);
});

test('the lines of the states are where known borders meet, within their tolerance', () => {
  // Where four states meet, and where three do: corners that laws define by a longitude and a latitude.
  for (const [longitude, latitude] of [
    [-109.05, 37],
    [-111.05, 45],
    [-104.05, 41],
    [-114.05, 42],
  ]) {
    const apart = Math.min(...corners.map(([x, y]) => Math.hypot(x - longitude, y - latitude)));
    expect(apart).toBeLessThan(0.06);
  }
  // The control: nothing meets in the middle of Nebraska.
  expect(Math.min(...corners.map(([x, y]) => Math.hypot(x + 99.5, y - 41.5)))).toBeGreaterThan(0.5);
});

test('lie within the United States, as pairs of whole numbers', () => {
  expect(lines.every((steps) => steps.length % 2 === 0 && steps.every(Number.isInteger))).toBe(true);
  expect(corners.every(([x, y]) => x >= -180 && x <= 180 && y > 17 && y < 72)).toBe(true);
  expect(STATES.length).toBeLessThan(60_000);
});
