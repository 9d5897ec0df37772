import { expect, test } from '@jest/globals';
import { ReportError, seededRandom } from 'ldpkit';
import { checkKClosestReport, expandKClosest, kClosest, randomizeKClosest } from 'ldpkit/mechanism';

test('what the entry has suffices for both sides: the mean of checked and expanded reports is the vector', () => {
  const mechanism = kClosest({ epsilon: 3, dimension: 3 });
  const random = seededRandom('k-closest by its entry');
  const report = new Uint32Array(4);
  const vector = new Float64Array(3);
  const unit = [0.48, -0.6, 0.64];
  const reports = 20_000;
  const sum = new Float64Array(3);
  for (let i = 0; i < reports; i++) {
    randomizeKClosest(mechanism, unit, report, random);
    checkKClosestReport(mechanism, report);
    expandKClosest(mechanism, report, vector);
    for (let j = 0; j < 3; j++) sum[j] += vector[j];
  }
  const deviation = Math.sqrt(Math.max(mechanism.alongVariance, mechanism.coordinateVariance) / reports);
  const off = Math.max(...unit.map((u, j) => Math.abs(sum[j] / reports - u))) / deviation;
  // Three coordinates, each off by five standard errors with probability 6e-7 at most.
  expect(off).toBeLessThan(5);
  // The control: the reports say nothing of the opposite vector.
  expect(Math.abs(sum[2] / reports + unit[2]) / deviation).toBeGreaterThan(20);
  report[3] = mechanism.codewords;
  expect(() => checkKClosestReport(mechanism, report)).toThrow(ReportError);
  expect(() => checkKClosestReport(mechanism, report.subarray(1))).toThrow(ReportError);
});
