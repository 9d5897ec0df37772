import { expect, test } from '@jest/globals';
import { fuzz } from './fuzzing.ts';
import { trials } from './trial.ts';

// Those of the other protocols that report moments of a record are in reports.long.test.ts.
test.each(trials('hinge'))('$name: 12000 mutated reports are refused, or are what was sent', (trial) => {
  const { tried, accepted, found } = fuzz(trial, 12000, 20);
  expect(found).toBeUndefined();
  expect(tried).toBe(12000);
  // A fuzzer of which nothing arrives, or nothing is refused, tries nothing.
  expect(accepted / tried).toBeGreaterThan(0.1);
  expect(accepted / tried).toBeLessThan(0.9);
});
