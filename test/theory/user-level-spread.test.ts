import { expect, test } from '@jest/globals';
import { oneBitError } from '../../protocols/user-level-mean/scalar/one-bit.ts';
import { cellShares, fitSigns } from '../../protocols/user-level-mean/scalar/sign-fit.ts';
import { twoLevels } from '../../src/mechanism/exact-coin.ts';
import { normalMeans, rootMeanSquare, runErrors } from './user-level-runs.ts';

// Spreads that are not stated and far below what the bound makes usual.

test('a deviation below the interval is found down to the floor, and only there', () => {
  const [mu, sigma, n, cells] = [0.3217, 1e-5, 20000, 16];
  const coin = twoLevels(1, 1, 1);
  const ask = (half: number) => {
    const question = { kind: 'sign', lower: mu - half, upper: mu + half, cells, coin } as const;
    const shares = cellShares(question, mu, sigma);
    const counts = new Float64Array(2 * cells);
    for (let i = 0; i < cells; i++) {
      // Exactly as expected: `cellShares` is F, the average of Φ over the thresholds of the cell.
      const yes = 0.5 + coin.contrast * (shares[i] - 0.5);
      counts[2 * i] = (n / cells) * (1 - yes);
      counts[2 * i + 1] = (n / cells) * yes;
    }
    return { question, counts };
  };
  const answers = [ask(0.3), ask(0.003), ask(3e-5)];
  const range = { lower: -1, upper: 1, deviation: [1e-3, 0.1, 1] as const };
  const found = fitSigns(answers, { ...range, floor: 1e-8 });
  expect(Math.abs(found.mean - mu)).toBeLessThan(found.standardError);
  expect(Math.abs(Math.log(found.deviation / sigma))).toBeLessThan(found.deviationError);
  expect(found.deviationError).toBeLessThan(0.2);
  // Control: without the floor the least of the interval is the answer.
  expect(fitSigns(answers, range).deviation).toBeGreaterThan(0.9e-3);
});

test('one bit finds a spread of a thousandth of the bound, and states its error', () => {
  const [spread, runs] = [0.001, 60];
  const setting = { players: 5000, samples: 20, spread };
  const { errors, standardised } = runErrors(
    { variant: 'oneBit', bound: 1, epsilon: 1, players: setting.players, samples: setting.samples },
    {
      runs,
      seed: 'loose bound',
      mean: (run) => -0.9 + (1.8 * run) / runs,
      local: normalMeans(spread / Math.sqrt(setting.samples)),
    },
  );
  // Measured: 2.37 over 300 runs (the rounds are planned for a spread of B/4, the last is not quite centred), and 1.08.
  expect(rootMeanSquare(errors) / oneBitError(setting, 1)).toBeLessThan(3);
  expect(rootMeanSquare(standardised)).toBeLessThan(1.5);
  // Of 300 runs 4 were beyond 3.3 stated errors: 6 or more of 60 come with probability 2e-4 at most.
  expect(standardised.filter((z) => Math.abs(z) > 3.3).length).toBeLessThan(6);
});
