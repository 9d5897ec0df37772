import { describe, expect, test } from '@jest/globals';
import { UNIT_TOLERANCE } from '../../../src/check/datum.ts';
import { loadDataset, loadPlayers } from '../../../src/node/records.ts';
import { parseSchema } from '../../../src/node/schema.ts';
import { uniform } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { scratchFolder } from './scratch.ts';

const write = scratchFolder();

/** Loads text as a file with the given name under a schema given as JSON. */
const load = (name: string, content: string, schema: unknown) =>
  loadDataset({ data: write(name, content), schema: parseSchema(schema) });

const label = { column: 'y', positive: 'yes', negative: 'no' };
const schemaOf = (feature: object, normalize = 'ball') => ({ label, features: [{ constant: 1 }, feature], normalize });

/** The one coordinate beside the constant 1, as it was before the record was divided by √2. */
async function coordinates(feature: object, cells: readonly string[]): Promise<number[]> {
  const content = `x,y\n${cells.map((cell) => `"${cell}",no`).join('\n')}`;
  const { features } = await load('column.csv', content, schemaOf({ column: 'x', ...feature }));
  return cells.map((_, i) => features[2 * i + 1] / features[2 * i]);
}

function norms({ features, players, dimension }: { features: Float32Array; players: number; dimension: number }) {
  return Float64Array.from({ length: players }, (_, i) => {
    let squared = 0;
    for (const value of features.subarray(i * dimension, (i + 1) * dimension)) squared += value * value;
    return squared;
  });
}

/** Near enough for a 32-bit float multiplied by 1 − 2⁻²². */
const CLOSE = 1e-6;

function expectClose(actual: ArrayLike<number>, expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  expect(Math.max(...expected.map((value, i) => Math.abs(value - actual[i])))).toBeLessThan(CLOSE);
}

// The encoding of the Adult census records (UCI machine learning repository, CC BY 4.0) and its first two records; the
// third, made up, is at upper bounds.
const adultSchema = {
  title: 'Adult (census income), UCI machine learning repository, CC BY 4.0',
  rows: 30162,
  label: { column: 'income', positive: '>50K', negative: '<=50K' },
  features: [
    { constant: 1 },
    { column: 'age', minimum: 0, maximum: 90 },
    { column: 'education_num', minimum: 1, maximum: 16 },
    { column: 'capital_gain', transform: 'log1p', minimum: 0, maximum: 99999, range: [0, 1] },
    { column: 'capital_loss', transform: 'log1p', minimum: 0, maximum: 4900, range: [0, 1] },
    { column: 'hr_per_week', minimum: 0, maximum: 100 },
    { column: 'sex', indicator: ['Male'] },
    { column: 'marital', indicator: ['Married-civ-spouse'] },
    { column: 'race', indicator: ['White'] },
    { column: 'occupation', indicator: ['Exec-managerial', 'Prof-specialty'] },
  ],
  encoding: 'words',
  split: 'words',
  normalize: 'unit',
};
const adult = [
  'age,education_num,capital_gain,capital_loss,hr_per_week,sex,marital,race,occupation,income',
  '45,5,0,0,40,Male,Married-civ-spouse,White,Farming-fishing,<=50K',
  '28,13,0,0,50,Male,Never-married,White,Protective-serv,<=50K',
  '90,16,99999,69,99,Female,Divorced,Other,Prof-specialty,>50K',
  '',
].join('\r\n');

describe('an encoded record', () => {
  test('of the Adult data is what one computes by hand', async () => {
    const { players, dimension, features, labels, names } = await load('adult.csv', adult, adultSchema);
    expect([players, dimension, names.length]).toEqual([3, 10, 10]);
    expect([...labels]).toEqual([-1, -1, 1]);
    // 45 of [0, 90] is the middle, 5 of [1, 16] is −1 + 2·4/15, log1p(0) is the low end 0, 40 of [0, 100] is −0.2.
    const first = [1, 0, -7 / 15, 0, 0, -0.2, 1, 1, 1, -1];
    const norm = Math.sqrt(6 + 49 / 225 + 0.04 - 1);
    expectClose(
      features.subarray(0, 10),
      first.map((value) => value / norm),
    );
    // 99999 is the maximum, so 1; log1p(69)/log1p(4900) = ln 70 / ln 4901.
    const third = [1, 1, 1, 1, 4.248495242049359 / 8.49719440593229, 0.98, -1, -1, -1, 1];
    const thirdNorm = Math.sqrt(third.reduce((sum, value) => sum + value * value, 0));
    expectClose(
      features.subarray(20),
      third.map((value) => value / thirdNorm),
    );
  });

  test('has a norm of at most 1 exactly, and nearly 1 when each is divided by its own', async () => {
    const random = seededRandom('norms');
    const records = Array.from({ length: 20_000 }, () => {
      const cells = Array.from({ length: 5 }, () => 2 * uniform(random) - 1);
      return `${cells.join(',')},${cells[0] > 0 ? 'yes' : 'no'}`;
    });
    const columns = ['a', 'b', 'c', 'd', 'e'];
    const features = columns.map((column) => ({ column, minimum: -1, maximum: 1 }));
    const content = `${columns.join(',')},y\n${records.join('\n')}`;
    const dataset = await load('random.csv', content, { label, features, normalize: 'unit' });
    const squared = norms(dataset);
    expect(squared).toHaveLength(20_000);
    expect(Math.max(...squared)).toBeLessThanOrEqual(1);
    expect(Math.min(...squared)).toBeGreaterThan(1 - 1e-6);
    // Control: without the shrinking, rounding alone puts some of the same records outside what a player accepts.
    let outside = 0;
    for (let i = 0; i < squared.length; i++) {
      const scale = 1 / Math.sqrt(squared[i]);
      let again = 0;
      for (let j = 0; j < 5; j++) again += Math.fround(dataset.features[5 * i + j] * scale) ** 2;
      if (again > 1 + UNIT_TOLERANCE) outside++;
    }
    expect(outside).toBeGreaterThan(1000);
  });

  test('under "ball" is divided by the largest norm there can be, from the bounds alone', async () => {
    // Largest: √(0.5² + max(0.5², 2²) + 1 + 1²) = √6.25 = 2.5.
    const schema = {
      label,
      features: [
        { constant: 0.5 },
        { column: 'a', minimum: 0, maximum: 10, range: [-0.5, 2] },
        { column: 'b', cycle: 4 },
        { column: 'c', indicator: ['z'] },
      ],
      normalize: 'ball',
    };
    const dataset = await load('ball.csv', 'a,b,c,y\n0,1,z,no\n10,2,w,yes\n', schema);
    expectClose(dataset.features, [0.2, -0.2, 0.4, 0, 0.4, 0.2, 0.8, 0, -0.4, -0.4]);
    const squared = norms(dataset);
    expect(squared[1]).toBeLessThanOrEqual(1);
    expect(squared[1]).toBeGreaterThan(1 - 1e-6);
  });

  test('under "unit" needs a direction', async () => {
    const feature = { column: 'x', minimum: -1, maximum: 1 };
    const schema = { label, features: [feature], normalize: 'unit' };
    await expect(load('zero.csv', 'x,y\n0.5,no\n0,yes\n', schema)).rejects.toThrow(
      new RangeError('"features" expected at least one that is not 0, or nearly in row 2 (line 3)'),
    );
    const near = { ...schema, features: [{ ...feature, minimum: 0, range: [0, 1] }] };
    await expect(load('near.csv', 'x,y\n0.5,no\n1e-160,yes\n', near)).rejects.toThrow(
      '"features" expected at least one',
    );
    expect([...(await load('zero.csv', 'x,y\n0,yes\n', { ...schema, normalize: 'ball' })).features]).toEqual([0]);
  });

  test('is in shared memory, and progress is told', async () => {
    const heard: [number, number][] = [];
    const data = write('adult.csv', adult);
    const { features, labels } = await loadDataset({ data, schema: parseSchema(adultSchema) }, (done, expected) =>
      heard.push([done, expected]),
    );
    expect(features.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(labels.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(features).toHaveLength(30);
    expect(labels).toHaveLength(3);
    // Five lines, counting the header and the empty one after the last line end: never fewer than the records.
    expect(heard).toEqual([[3, 5]]);
  });

  test('is the same whether it comes from CSV, JSON or JSON lines, also across slices of the encoder', async () => {
    const records = Array.from({ length: 5000 }, (_, i) => ({
      x: i % 7,
      s: i % 3 === 0 ? 'a' : 'b',
      y: i % 2 ? 'yes' : 'no',
    }));
    const features = [
      { column: 'x', cycle: 7 },
      { column: 's', indicator: ['a'] },
    ];
    const schema = { label, features, normalize: 'unit' };
    const csv = await load('same.csv', `y,x,s\n${records.map(({ x, s, y }) => `${y},${x},${s}`).join('\n')}`, schema);
    const json = await load('same.json', JSON.stringify(records), schema);
    const lines = await load('same.jsonl', records.map((record) => JSON.stringify(record)).join('\n'), schema);
    expect(csv.players).toBe(5000);
    expect(json.features).toEqual(csv.features);
    expect(lines.features).toEqual(csv.features);
    expect(json.labels).toEqual(csv.labels);
    const wrong = records.findIndex((record, i) => csv.labels[i] > 0 !== (record.y === 'yes'));
    expect(wrong).toBe(-1);
    const turn = (2 * Math.PI) / 7;
    const last = [Math.sin(turn), Math.cos(turn), -1].map((value) => value / Math.SQRT2);
    expect(records[4999]).toEqual({ x: 1, s: 'b', y: 'yes' });
    expectClose(csv.features.subarray(-3), last);
  });
});

describe('a number', () => {
  test('is mapped linearly from its bounds to its range', async () => {
    const cells = ['0', '50', '+1e2', ' 25.0 ', '7.5E1'];
    expectClose(await coordinates({ minimum: 0, maximum: 100, range: [0, 1] }, cells), [0, 0.5, 1, 0.25, 0.75]);
  });

  test('is clipped when the schema says so, and only then', async () => {
    const bounds = { minimum: 0, maximum: 100, range: [0, 1] };
    expectClose(await coordinates({ ...bounds, clip: true }, ['-5', '250', '50']), [0, 1, 0.5]);
    await expect(coordinates(bounds, ['50', '250'])).rejects.toThrow(
      new RangeError('"x" expected a number from 0 to 100 (or "clip" in the schema) in row 2 (line 3)'),
    );
  });

  test.each([
    ['NaN', 'a finite number'],
    ['Infinity', 'a finite number'],
    ['-Infinity', 'a finite number'],
    ['1e999', 'a finite number'],
    ['0x10', 'a finite number'],
    ['1,5', 'a finite number'],
    ['ten', 'a finite number'],
    [' ', 'a finite number'],
    ['', 'a value'],
    ['-1', 'a number from 0 to 100 (or "clip" in the schema)'],
    ['100.01', 'a number from 0 to 100 (or "clip" in the schema)'],
  ])('is not %j; the message does not quote it', async (cell, expected) => {
    await expect(coordinates({ minimum: 0, maximum: 100 }, ['1', '2', cell])).rejects.toThrow(
      new RangeError(`"x" expected ${expected} in row 3 (line 4)`),
    );
  });

  test.each([
    ['null', 'a value'],
    ['true', 'a finite number'],
    ['[1]', 'a finite number'],
    ['"Infinity"', 'a finite number'],
  ])('in JSON is not %s', async (cell, expected) => {
    const content = `[{"x": 1, "y": "no"}, {"x": ${cell}, "y": "no"}]`;
    await expect(load('cell.json', content, schemaOf({ column: 'x', minimum: 0, maximum: 9 }))).rejects.toThrow(
      new RangeError(`"x" expected ${expected} in row 2`),
    );
  });
});

describe('an indicator', () => {
  test('is the high end of its range for a listed value and the low end for any other', async () => {
    expectClose(await coordinates({ indicator: ['a', 'b'] }, ['a', 'b', 'c', ' a']), [1, 1, -1, -1]);
    expectClose(await coordinates({ indicator: ['a'], range: [0, 2] }, ['a', 'c']), [2, 0]);
  });

  test('compares numbers as numbers and texts as texts', async () => {
    expectClose(await coordinates({ indicator: [1, 10] }, ['1', '1.0', '1e1', '2']), [1, 1, 1, -1]);
    expectClose(await coordinates({ indicator: ['1'] }, ['1', '1.0']), [1, -1]);
    const content = '[{"x": 1, "y": "no"}, {"x": true, "y": "no"}, {"x": "1", "y": "no"}]';
    const { features } = await load('types.json', content, schemaOf({ column: 'x', indicator: ['1', 'true'] }));
    expect([1, 3, 5].map((index) => Math.sign(features[index]))).toEqual([1, 1, 1]);
  });

  test('with categories refuses any other value, without quoting it', async () => {
    const feature = { indicator: ['a'], categories: ['a', 'b'] };
    expectClose(await coordinates(feature, ['a', 'b']), [1, -1]);
    await expect(coordinates(feature, ['a', 'secret'])).rejects.toThrow(
      new RangeError('"x" expected one of the categories in the schema in row 2 (line 3)'),
    );
  });

  test('of one column does not know the values that another one lists', async () => {
    const features = [
      { column: 'x', indicator: ['a'] },
      { column: 'x', indicator: ['b'] },
      { column: 'x', indicator: ['c'], categories: ['a', 'b', 'c'] },
    ];
    const { features: coordinates } = await load('x.csv', 'x,y\na,no\nb,no\nc,no\n', {
      label,
      features,
      normalize: 'ball',
    });
    expect([...coordinates].map(Math.sign)).toEqual([1, -1, -1, -1, 1, -1, -1, -1, 1]);
  });

  test('needs a value', async () => {
    await expect(coordinates({ indicator: ['a'] }, ['a', ''])).rejects.toThrow(
      new RangeError('"x" expected a value in row 2 (line 3)'),
    );
  });
});

describe('a part of a date', () => {
  // A day of each month and weekday, with the numbers looked up in a calendar. 2000 was a leap year, 1900 was not.
  const dates = [
    '2001-01-01 00:01',
    '2001/06/30T23:59:59Z',
    '2000-12-31 12:00:00.5',
    '1969-07-20 20:17',
    '1900-03-01 06:30',
  ];
  const parts = {
    hour: [0, 23, 12, 20, 6],
    weekday: [1, 6, 0, 0, 4],
    month: [1, 6, 12, 7, 3],
    dayOfYear: [1, 181, 366, 201, 60],
  };

  test.each(Object.entries(parts))('is the %s in UTC', async (part, expected) => {
    const bounds = { minimum: 0, maximum: 400, range: [0, 400] };
    const { features } = await load(
      'dates.csv',
      `x,y\n${dates.map((date) => `${date},no`).join('\n')}`,
      schemaOf({ column: 'x', part, ...bounds }),
    );
    const found = dates.map((_, i) => Math.round(features[2 * i + 1] / features[2 * i]));
    expect(found).toEqual(expected);
  });

  test('may be cycled or listed', async () => {
    expectClose(await coordinates({ part: 'weekday', indicator: [0, 6] }, dates), [-1, 1, 1, 1, -1]);
    const schema = { label, features: [{ column: 'x', part: 'hour', cycle: 24 }], normalize: 'unit' };
    const { features } = await load('cycle.csv', 'x,y\n2001-01-01 06:59,no\n2001-01-01 16:00,no\n', schema);
    expectClose(features, [1, 0, -Math.sqrt(3) / 2, -0.5]);
  });

  test('other than the hour needs no time of day', async () => {
    expectClose(await coordinates({ part: 'month', indicator: [2] }, ['2000-02-29', '2000-03-01']), [1, -1]);
    await expect(coordinates({ part: 'hour', indicator: [0] }, ['2000-02-29'])).rejects.toThrow(
      new RangeError('"x" expected a date and time such as 2001-01-31 09:30 in row 1 (line 2)'),
    );
  });

  test.each([
    '2001-02-29',
    '2001-13-01',
    '2001-01-01 24:00',
    '2001-01-01 10:60',
    '2001-01-01 10:00:60',
    '0050-01-01',
    '01/02/2001',
    '2001-01-01 10:00+02:00',
    '978307260000',
    'soon',
  ])('is not found in %j', async (cell) => {
    await expect(coordinates({ part: 'month', indicator: [1] }, ['2001-01-01', cell])).rejects.toThrow(
      new RangeError('"x" expected a date such as 2001-01-31 in row 2 (line 3)'),
    );
  });
});

describe('a label', () => {
  const features = [{ constant: 1 }];

  test('is one of two texts or numbers', async () => {
    const { labels } = await load('label.csv', 'y\nno\nyes\nno\n', { label, features, normalize: 'unit' });
    expect([...labels]).toEqual([-1, 1, -1]);
    const numeric = { column: 'y', positive: 1, negative: 0 };
    const { labels: numbers } = await load('label.csv', 'y\n0\n1.0\n', { label: numeric, features, normalize: 'unit' });
    expect([...numbers]).toEqual([-1, 1]);
  });

  test('with a third value is refused, without quoting it', async () => {
    await expect(load('label.csv', 'y\nno\nyes\nsecret\n', { label, features, normalize: 'unit' })).rejects.toThrow(
      new RangeError('"y" expected one of the two labels in the schema in row 3 (line 4)'),
    );
    await expect(load('label.csv', 'a,y\n1,no\n1,\n', { label, features, normalize: 'unit' })).rejects.toThrow(
      new RangeError('"y" expected a value in row 2 (line 3)'),
    );
  });

  test('may say whether a number is strictly above a threshold', async () => {
    const above = { column: 'y', above: 0 };
    const { labels } = await load('label.csv', 'y\n-3\n0\n0.1\n', { label: above, features, normalize: 'unit' });
    expect([...labels]).toEqual([-1, -1, 1]);
  });
});

test('numbers of players that the language cannot tell apart are refused; as texts they are players', async () => {
  const schema = parseSchema({ player: 'id', coordinates: [{ column: 'x', minimum: 0, maximum: 1 }] }, 'samples');
  const playersOf = async (...ids: string[]) => {
    const rows = [...ids, ...ids].map((id) => `{"id": ${id}, "x": 0.5}`);
    return (await loadPlayers({ data: write('ids.json', `[${rows.join(',')}]`), schema })).players;
  };
  expect(await playersOf('9007199254740991', '-9007199254740991', '0.5')).toBe(3);
  expect(await playersOf('"9007199254740992"', '"9007199254740993"')).toBe(2);
  await expect(playersOf('1', '9007199254740993')).rejects.toThrow(
    '"id" expected a text, for the number of a player of more than 15 digits in rows 2 and 4',
  );
});

test('a file without records is refused', async () => {
  const data = write('header.csv', 'x,y\n');
  const schema = parseSchema(schemaOf({ column: 'x', minimum: 0, maximum: 1 }));
  await expect(loadDataset({ data, schema })).rejects.toThrow(
    new RangeError(`"data" expected a file with one or more records, got "${data}"`),
  );
  const array = write('empty.json', '[]');
  await expect(loadDataset({ data: array, schema })).rejects.toThrow('a file with one or more records');
});
