import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readTable } from '../../../src/node/table.ts';
import { scratchFolder } from './scratch.ts';

const write = scratchFolder();

/** What a reader hands over, put together: the cells of each column, and how the records came. */
async function read(path: string, columns: readonly string[]) {
  const cells: unknown[][] = columns.map(() => []);
  const batches: number[] = [];
  let expected = -1;
  await readTable(path, columns, {
    expect: (rows) => {
      expected = rows;
    },
    add: (batch) => {
      batches.push(batch.rows);
      for (const [index, { values }] of batch.columns.entries()) {
        for (let i = 0; i < batch.rows; i++) cells[index].push(values[i]);
      }
    },
  });
  return { cells, batches, expected };
}

/** The message of a refusal, without the path at its end. */
const refusalOf = (name: string, content: string, columns: readonly string[] = ['a', 'b']): Promise<string> =>
  read(write(name, content), columns).then(
    () => 'accepted',
    (error: Error) => `${error.name} ${error.message.replace(/, got "\/.*"$/, '')}`,
  );

describe('a CSV file', () => {
  test.each([
    ['line feeds', 'a,b,c\n1,x,9\n2,y,9\n'],
    ['no line end at the end', 'a,b,c\n1,x,9\n2,y,9'],
    ['carriage returns and line feeds', 'a,b,c\r\n1,x,9\r\n2,y,9\r\n'],
    ['carriage returns', 'a,b,c\r1,x,9\r2,y,9\r'],
    ['a byte order mark', '\uFEFFa,b,c\n1,x,9\n2,y,9\n'],
    ['a byte order mark before a quote', '\uFEFF"a","b",c\n1,x,9\n2,"y",9\n'],
    ['empty lines', 'a,b,c\n\n1,x,9\n\n2,y,9\n\n'],
  ])('is read with %s', async (_, content) => {
    expect((await read(write('table.csv', content), ['b', 'a'])).cells).toEqual([
      ['x', 'y'],
      ['1', '2'],
    ]);
  });

  test('may have commas, quotes and line ends within quotes', async () => {
    const path = write('quoted.csv', 'a,b\n"x, ""y""\nz",1\n"",2\n');
    expect((await read(path, ['a', 'b'])).cells).toEqual([
      ['x, "y"\nz', ''],
      ['1', '2'],
    ]);
  });

  test('of one column has no missing value for an empty line, and other quotes are values', async () => {
    const missing = 'RangeError "data" expected a value, or an empty line, and not quotes alone in line';
    expect(await refusalOf('one.csv', 'a\n1\n""\n2\n', ['a'])).toBe(`${missing} 3`);
    expect(await refusalOf('one.csv', 'a\r\n1\r\n"" ', ['a'])).toBe(`${missing} 3`);
    const { cells } = await read(write('one.csv', 'a\n""""\n"\n"\n" "\n\n"x"'), ['a']);
    expect(cells).toEqual([['"', '\n', ' ', 'x']]);
  });

  test('of several pieces is read in batches, and the number of records is known beforehand', async () => {
    const lines = Array.from({ length: 150_000 }, (_, i) => `${i},"text ${i}"`);
    const { cells, batches, expected } = await read(write('large.csv', `a,b\n${lines.join('\n')}\n`), ['a', 'b']);
    expect(batches.length).toBeGreaterThan(2);
    expect(expected).toBeGreaterThanOrEqual(150_000);
    expect(expected).toBeLessThan(150_010);
    expect(cells[0]).toHaveLength(150_000);
    expect(cells[0].every((cell, i) => cell === String(i))).toBe(true);
    expect(cells[1].every((cell, i) => cell === `text ${i}`)).toBe(true);
  });

  test('is refused by the number of the record, also in a later piece', async () => {
    const lines = Array.from({ length: 150_000 }, (_, i) => (i === 149_000 ? `${i}` : `${i},"text ${i}"`));
    expect(await refusalOf('large.csv', `a,b\n${lines.join('\n')}\n`)).toBe(
      'RangeError "data" expected 2 fields in row 149001 (line 149002), as in the header',
    );
  });

  test('with a header only has no records', async () => {
    expect((await read(write('header.csv', 'a,b\n'), ['a', 'b'])).cells).toEqual([[], []]);
  });

  test.each([
    [
      'a record of quotes alone, which is no empty line',
      'a,b\n1,2\n\n""\n3,4\n',
      'RangeError "data" expected a value, or an empty line, and not quotes alone in line 4',
    ],
    ['a missing column', 'a,c\n1,2\n', 'RangeError "data" expected a column named "b" in the header row'],
    ['a column that is there twice', 'a,b,b\n1,2,3\n', 'RangeError "data" expected only one column named "b"'],
    [
      'a short record',
      'a,b,c\n1,2,3\n1,2\n',
      'RangeError "data" expected 3 fields in row 2 (line 3), as in the header',
    ],
    [
      'a long record',
      'a,b\n1,2\n1,2\n1,2,3\n',
      'RangeError "data" expected 2 fields in row 3 (line 4), as in the header',
    ],
    ['an open quote', 'a,b\n1,"x\n2,y\n', 'RangeError "data" expected closed quotes in line 2'],
    ['empty lines only', '\n\n', 'RangeError "data" expected a CSV file with a header row'],
    ['nothing at all', '', 'RangeError "data" expected a file that is not empty'],
  ])('is refused with %s', async (_, content, message) => {
    expect(await refusalOf('wrong.csv', content)).toBe(message);
  });

  test('may have a column twice that nobody asks for', async () => {
    expect((await read(write('twice.csv', 'a,c,c\n1,2,3\n'), ['a'])).cells).toEqual([['1']]);
  });

  test('without a header is refused without quoting its first record', async () => {
    expect(await refusalOf('headless.csv', '31,secret\n32,secret\n')).toBe(
      'RangeError "data" expected a column named "a" in the header row',
    );
  });
});

describe('a JSON file', () => {
  const records = [{ b: 'x', a: 1 }, { a: 2, b: 'y', c: null }, { a: null, b: true }, { a: 4 }];

  test('is an array of objects, in any order of keys; a missing key is an undefined cell', async () => {
    const expected = [
      [1, 2, null, 4],
      ['x', 'y', true, undefined],
    ];
    expect((await read(write('table.json', `\uFEFF${JSON.stringify(records)}`), ['a', 'b'])).cells).toEqual(expected);
    for (const end of ['\n', '\r\n']) {
      const lines = records.map((record) => JSON.stringify(record)).join(end);
      expect((await read(write('table.jsonl', `${lines}${end}`), ['a', 'b'])).cells).toEqual(expected);
      expect((await read(write('table.ndjson', `\uFEFF${lines}${end}${end}`), ['a', 'b'])).cells).toEqual(expected);
    }
  });

  test('of many lines is read in batches', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `{"a": ${i}, "b": "é${i}"}`);
    const { cells, batches, expected } = await read(write('large.jsonl', lines.join('\n')), ['a', 'b']);
    expect(batches).toEqual([8192, 8192, 3616]);
    expect(expected).toBe(20_000);
    expect(cells[1].every((cell, i) => cell === `é${i}`)).toBe(true);
  });

  test('does not take inherited properties for columns', async () => {
    expect(await refusalOf('table.json', '[{"a": 1}]', ['a', 'toString'])).toBe(
      'RangeError "data" expected a key named "toString" in row 1',
    );
  });

  test.each([
    ['one object', 'x.json', '{"a": 1}', 'a JSON file with one array of objects'],
    ['something that is no JSON', 'x.json', 'secret', 'a JSON file with one array of objects'],
    ['an array of numbers', 'x.json', '[1, 2]', 'a JSON object in row 1'],
    ['a missing key in the first object', 'x.json', '[{"a": 1}]', 'a key named "b" in row 1'],
    ['a broken line', 'x.jsonl', '{"a": 1, "b": 2}\n{"a": secret}\n', 'a JSON object in row 2'],
    ['a line that is no object', 'x.jsonl', '{"a": 1, "b": 2}\n["secret"]\n', 'a JSON object in row 2'],
  ])('is refused with %s', async (_, name, content, expected) => {
    expect(await refusalOf(name, content)).toBe(`RangeError "data" expected ${expected}`);
  });
});

describe('a Parquet file', () => {
  const found = JSON.parse(
    execFileSync(process.execPath, [join(__dirname, 'parquet-columns.mjs')], { encoding: 'utf8' }),
  );

  test.each([
    ['decimals', [0.3, null, -0.7, 1.1]],
    ['decimals by the newer name alone', [0.3, null, -0.7]],
    ['dates by the newer name alone', [Date.UTC(2001, 0, 31), null]],
    ['the hour of days', ['"a" expected a date and time such as 2001-01-31 09:30 in row 1']],
    ['the weekday of days', [3]],
    ['the weekday of days without a date', ['"a" expected a date such as 2001-01-31 in row 2']],
    ['the hour of times', [9]],
  ])('has the values that it says: %s', (name, cells) => {
    expect(found[name]).toEqual(cells);
  });
});

test('a file of another kind, or one that is not there, is refused', async () => {
  await expect(readTable('people.xlsx', ['a'], { expect: () => {}, add: () => {} })).rejects.toThrow(
    new RangeError(
      '"data" expected a file with the extension .csv, .json, .jsonl, .ndjson, .parquet, got "people.xlsx"',
    ),
  );
  await expect(readTable('/nowhere/people.CSV', ['a'], { expect: () => {}, add: () => {} })).rejects.toThrow(
    new RangeError('"data" expected a file that can be read, got "/nowhere/people.CSV"'),
  );
});
