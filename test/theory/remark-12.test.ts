// Remark 12 of Wang, Smith, Xu 2020: advanced composition gains, and composition of Gaussian DP gains more. What each certifies for k
// releases, and what simulated transcripts spend, is the validation hinge-remark-12; its control is in test/validations/hinge.
import { expect, test } from '@jest/globals';
import { composition } from '../evidence/hinge/validations/composition.ts';
import { failing, SEED } from '../validations/claims.ts';
import { runQuick } from '../validations/run.ts';

test('remark 12: slopes in k, the least ε, few releases, the noise of algorithm 1 and the δ that transcripts spend are as claimed', () => {
  const report = runQuick(composition, SEED);
  expect(report.claims.length).toBeGreaterThanOrEqual(5);
  expect(failing(report)).toEqual([]);
});
