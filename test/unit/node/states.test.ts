import { expect, test } from '@jest/globals';
import { readStates } from '../../../src/node/flights.ts';

test('the lines of the states lie within the United States, and are where known borders meet', async () => {
  const lines = await readStates();
  const corners = lines.flat();
  // A page of a run draws all of them.
  expect(corners.length).toBeLessThan(5000);
  expect(corners.every(([, longitude]) => longitude >= -180 && longitude <= 180)).toBe(true);
  expect(corners.every(([latitude]) => latitude > 17 && latitude < 72)).toBe(true);
  const apart = (latitude: number, longitude: number): number =>
    Math.min(...corners.map(([y, x]) => Math.hypot(x - longitude, y - latitude)));
  // Where four states meet, and where three do: corners that laws define by a longitude and a latitude.
  for (const [latitude, longitude] of [
    [37, -109.05],
    [45, -111.05],
    [41, -104.05],
    [42, -114.05],
  ]) {
    expect(apart(latitude, longitude)).toBeLessThan(0.06);
  }
  // The control: nothing meets in the middle of Nebraska.
  expect(apart(41.5, -99.5)).toBeGreaterThan(0.5);
});
