import { expect, test } from '@jest/globals';

test('number loops run at full speed in the test environment (a million Math.imul in well under 50 ms)', () => {
  const start = performance.now();
  let sum = 0;
  for (let i = 0; i < 1e6; i++) sum = (sum + Math.imul(i, 3)) | 0;
  const elapsed = performance.now() - start;
  expect(sum).not.toBe(1);
  expect(elapsed).toBeLessThan(50);
});
