// docs/errata.md, the insurance data of the online papers. Printed: categories are encoded by their numbers from 0, only numerical columns
// are standardised. What holds: the printed coefficients and test error are those of standardised columns, categories too.
import { expect, test } from '@jest/globals';
import {
  fillInsuranceFeatures,
  INSURANCE_COLUMNS,
  insuranceTable,
  insuranceVariance,
} from '../evidence/online-sgd/reproductions/insurance-table.ts';

// Table 3, least squares; the shares of a category's numbers in a variance of uniform categories: (k² − 1)/12 of k of them.
const COEFFICIENTS = [0.0627, 0.1131, 0.1044, 0.0774, 0.5659, 0.4052, 0.4051, 0.1389, 0.1516, 0.4625];
const VARIANCES = [1, 3 / 12, 1, 1, 3 / 12, 15 / 12, 15 / 12, 15 / 12, 15 / 12, 8 / 12];

test('a standardised charge has variance 1: the printed numbers make .999 with standardised columns, .771 with raw codes', () => {
  const squares = COEFFICIENTS.map((entry) => entry * entry);
  const standardised = squares.reduce((sum, entry) => sum + entry, 0.0607);
  const codes = squares.reduce((sum, entry, j) => sum + entry * VARIANCES[j], 0.0607);
  expect(standardised).toBeCloseTo(0.99903, 5);
  expect(codes).toBeCloseTo(0.7706, 4);
  expect(insuranceVariance('standardised')).toBeCloseTo(standardised, 12);
  expect(insuranceVariance('codes')).toBeCloseTo(codes, 12);
});

test('charges of the table, made from standardised columns, have variance .999, and raw codes another one', () => {
  const rows = 40_000;
  const table = insuranceTable(rows, 'variance');
  const variance = (values: ArrayLike<number>): number => {
    let [sum, squares] = [0, 0];
    for (let i = 0; i < values.length; i++) {
      sum += values[i];
      squares += values[i] ** 2;
    }
    return squares / values.length - (sum / values.length) ** 2;
  };
  const x = new Float64Array(INSURANCE_COLUMNS.length);
  const linear = (encoding: 'standardised' | 'codes'): Float64Array =>
    Float64Array.from({ length: rows }, (_, row) => {
      fillInsuranceFeatures(table, row, encoding, x);
      return x.reduce((sum, entry, j) => sum + COEFFICIENTS[j] * entry, 0);
    });
  // A variance over 40,000 rows has a relative standard error of at most √(2/40000) = .7 %; five of them are 3.5 %, false alarm 6e-7.
  expect(Math.abs(variance(linear('standardised')) / (0.99903 - 0.0607) - 1)).toBeLessThan(0.035);
  expect(Math.abs(variance(linear('codes')) / (0.99903 - 0.0607) - 1)).toBeGreaterThan(0.2);
});
