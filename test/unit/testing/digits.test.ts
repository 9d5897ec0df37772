import { expect, test } from '@jest/globals';
import { digits, plusMinus } from '../../../src/testing/claim.ts';
import { shownMean } from '../../evidence/experiment/statistics.ts';

test('numbers are written with a minus sign, and no more digits than they have', () => {
  expect([digits(-0.12345), digits(12345, 2), digits(1.5e-9)]).toEqual(['−0.123', '12000', '1.5e−9']);
  expect([plusMinus(-0.5123, 0.013), plusMinus(-0.5, 0.01, 1)]).toEqual(['−0.512 ± 0.013', '−0.5 ± 0.0']);
  expect(shownMean({ mean: 12.345, error: 0.0678 })).toBe('12.3 ± 0.068');
});
