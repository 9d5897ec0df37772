// The insurance example on a user's own copy of a public table: which table, what is refused, and what comes of it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { uniform, uniformInteger } from '../../../../src/random/random.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';
import { readOwnRecords } from '../../../evidence/experiment/own-records.ts';
import { insuranceOwnData } from '../../../evidence/online-sgd/reproductions/insurance-own.ts';
import { commandHost } from '../../node/command-host.ts';

const host = commandHost();
const ldpkit = (...words: readonly string[]) => host(tmpdir(), words);

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'own-data-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const HEAD = 'age,sex,bmi,children,smoker,region,charges';
const ROW = '19,female,27.9,0,yes,southwest,16884.92';

/** Made records in the columns of the smaller table: charges are 2000 + 200·(age − 18) + 20000 for smokers + 100 for the southeast. */
function personal(rows: number): string {
  const random = seededRandom('personal');
  const regions = ['northeast', 'northwest', 'southeast', 'southwest'];
  const lines = Array.from({ length: rows }, () => {
    const age = 18 + uniformInteger(48, random);
    const smoker = uniform(random) < 0.3;
    const region = regions[uniformInteger(4, random)];
    const charges = 2000 + 200 * (age - 18) + (smoker ? 20_000 : 0) + (region === 'southeast' ? 100 : 0);
    const sex = uniform(random) < 0.5 ? 'male' : 'female';
    const bmi = (16 + 30 * uniform(random)).toFixed(2);
    return [age, sex, bmi, uniformInteger(6, random), smoker ? 'yes' : 'no', region, charges].join(',');
  });
  return `${HEAD}\n${lines.join('\n')}\n`;
}

describe('a file of a public table', () => {
  test('is read by its header, whatever the order of columns, other columns and the case of words', async () => {
    const text = 'note,charges,region,smoker,children,bmi,sex,age\nx,16884.92,SouthWest,Yes,0,27.9,FEMALE,19\n';
    const { table, rows, columns } = await readOwnRecords(file('order.csv', text), insuranceOwnData);
    expect([table, rows]).toEqual(['medical cost personal', 1]);
    expect(columns.map(([value]) => value)).toEqual([19, 0, 27.9, 0, 1, 3, 16884.92]);
  });

  test('is the table of the papers where its columns are there; a history that is empty is none', async () => {
    const head =
      'age,gender,bmi,children,smoker,region,medical_history,family_medical_history,exercise_frequency,occupation,coverage_level,charges';
    const row = '46,male,21.45,5,yes,southeast,Diabetes,,Never,Blue collar,Premium,20460.30';
    const { table, columns } = await readOwnRecords(file('large.csv', `${head}\n${row}\n`), insuranceOwnData);
    expect(table).toBe('the insurance table of the papers');
    expect(columns.map(([value]) => value)).toEqual([46, 1, 21.45, 5, 1, 2, 0, 0, 2, 2, 20460.3]);
  });

  test.each([
    ['a word that is none of its categories', ROW.replace('yes', 'often'), '"smoker" expected one of no, yes in row 1'],
    ['a number out of its public range', ROW.replace('19', '17'), '"age" expected a number from 18 to 65 in row 1'],
    ['a number that is none', ROW.replace('27.9', 'thin'), '"bmi" expected a finite number in row 1'],
    ['a cell that is empty', ROW.replace('southwest', ''), '"region" expected one of northeast'],
  ])('with %s is refused, without what was found', async (_, row, message) => {
    const error: unknown = await readOwnRecords(file('bad.csv', `${HEAD}\n${row}\n`), insuranceOwnData).catch((e) => e);
    expect(error).toBeInstanceOf(RangeError);
    expect(String(error)).toContain(message);
    expect(String(error)).not.toMatch(/often|17|thin|16884/);
  });

  test.each([
    ['without a header of these columns', `${ROW}\n${ROW}\n`, /expected a header row with the columns of/],
    ['that is empty', '', /expected a file that is not empty/],
  ])('%s is refused, and its first record is not shown', async (_, text, message) => {
    const error: unknown = await readOwnRecords(file('head.csv', text), insuranceOwnData).catch((e) => e);
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toContain('16884');
  });
});

describe('the insurance example on a file', () => {
  test('finds the rule that made the charges by least squares, and near it without privacy', async () => {
    const records = await readOwnRecords(file('made.csv', personal(2000)), insuranceOwnData);
    const [errors, coefficients] = insuranceOwnData.compute(records, 's');
    expect(errors.rows.map(([method]) => method)).toEqual(['OLS', 'μ = 0.5', 'μ = 1', 'μ = 2', 'μ = 3', 'no privacy']);
    // The rule is linear: nothing is left over.
    expect(Number(errors.rows[0][2])).toBeLessThan(1e-4);
    const slope = (name: string): number => Number(coefficients.rows.find(([found]) => found === name)?.[1]);
    // By hand, in units of 16,000 dollars: age 200·√(2303/12)/16000, smoker 20000·½/16000, southeast 100·√(3/16)/16000, children 0.
    expect(slope('age')).toBeCloseTo(0.1732, 3);
    expect(slope('smoker')).toBeCloseTo(0.625, 3);
    expect(slope('southeast')).toBeCloseTo(0.0027, 3);
    expect(slope('children')).toBeCloseTo(0, 3);
    // Errors of the average fall with the budget.
    const average = errors.rows.slice(1).map(([, , cell]) => Number(cell.split(' ')[0]));
    for (let k = 1; k < average.length; k++) expect(average[k]).toBeLessThan(average[k - 1]);
  });

  test('refuses fewer than 100 records', async () => {
    const records = await readOwnRecords(file('few.csv', personal(99)), insuranceOwnData);
    expect(() => insuranceOwnData.compute(records, 's')).toThrow('"data" expected at least 100 records, got 99');
  });
});

describe('npm run reproduce -- insurance --data', () => {
  test('prints the tables as JSON, the same for the same seed', async () => {
    const path = file('command.csv', personal(200));
    const first = await ldpkit('reproduce', 'insurance', '--data', path, '--json');
    expect(first).toMatchObject({ status: 0, stderr: '' });
    const document = JSON.parse(first.stdout);
    expect(document).toMatchObject({ name: 'insurance', table: 'medical cost personal', rows: 200 });
    expect(document.tables).toHaveLength(2);
    expect((await ldpkit('reproduce', 'insurance', '--data', path, '--json')).stdout).toBe(first.stdout);
  });

  test.each([
    ['an experiment without a file', 'budgets', [], '"data" expected none: budgets takes no file'],
    ['a table', 'table-1', [], '"data" expected none: table-1 takes no file'],
    ['a scale', 'insurance', ['--scale', 'full'], '"scale" expected none: a file is computed at once'],
    ['an empty seed', 'insurance', ['--seed', ''], '"seed" expected a text that is not empty'],
  ])('is refused for %s', async (_, name, words, message) => {
    const { status, stdout, stderr } = await ldpkit('reproduce', name, '--data', 'file.csv', ...words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  test('is refused for a file that is not there', async () => {
    const { status, stderr } = await ldpkit('reproduce', 'insurance', '--data', join(folder, 'none.csv'));
    expect(status).toBe(2);
    expect(stderr).toContain('"data" expected a file that can be read');
  });
});
