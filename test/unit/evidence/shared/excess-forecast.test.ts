import { expect, test } from '@jest/globals';
import {
  forecastClaim,
  forecastCurves,
  forecastLine,
  forecastName,
  forecastRows,
} from '../../../evidence/shared/excess-forecast.ts';

/** Two chunks of two collections: the mean is 1, and its standard error √(.16/3/4). */
function lineOf(players: number, forecast: number) {
  const setting = { variant: 'lifted', epsilon: 2, dimension: 3, players };
  const chunks = [0.8, 1.2].map((value) => ({ excess: [value, 2 - value], forecast, deviation: forecast }));
  return forecastLine({ cell: { key: '', label: '', setting, chunks: 2 }, chunks }, 100);
}

test('the log-ratio has the errors of both, by hand', () => {
  const { excess, ratio, error } = lineOf(100, 0.5);
  expect(excess.mean).toBeCloseTo(1, 14);
  expect(excess.error).toBeCloseTo(Math.sqrt(0.16 / 12), 14);
  expect(ratio).toBeCloseTo(Math.LN2, 14);
  expect(error).toBeCloseTo(Math.hypot(excess.error, 0.1), 14);
});

test('a forecast is right within a factor 2 and three standard errors, and where enough is known', () => {
  // Three standard errors of .153 make the factor 2·e^.46 = 3.16.
  expect(forecastClaim([lineOf(100, 1), lineOf(400, 0.33)], 0.2).met).toBe(true);
  expect(forecastClaim([lineOf(100, 1), lineOf(400, 0.3)], 0.2).met).toBe(false);
  expect(forecastClaim([lineOf(100, 1), lineOf(400, 3.3)], 0.2).met).toBe(false);
  expect(forecastClaim([lineOf(100, 1)], 0.15).met).toBe(false);
});

test('rows and curves show both, in the order of the players', () => {
  const lines = [lineOf(1600, 0.5), lineOf(100, 2)];
  expect(forecastName(lines[0])).toBe('lifted, ε = 2, p = 3');
  expect(forecastRows(lines)[0]).toEqual(['lifted, ε = 2, p = 3', '1,600', '1 ± 0.12', '0.5', '2 (log ± 0.15)']);
  const [measured, forecast] = forecastCurves('lifted', 1, lines);
  expect([measured.dashed, forecast.dashed]).toEqual([false, true]);
  expect(forecast.points).toEqual([
    { x: 100, y: 2 },
    { x: 1600, y: 0.5 },
  ]);
});
