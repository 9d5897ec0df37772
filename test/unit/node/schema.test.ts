import { describe, expect, test } from '@jest/globals';
import { flightsSchema } from '../../../src/node/flights.ts';
import { interceptOf, parseSchema, readSchema } from '../../../src/node/schema.ts';
import { scratchFolder } from './scratch.ts';

const write = scratchFolder();

const label = { column: 'y', positive: 'yes', negative: 'no' };
const numeric = { column: 'age', minimum: 0, maximum: 90 };

/** The message of what parsing throws, with the class of the error in front. */
function refusalOf(json: unknown): string {
  try {
    parseSchema(json);
  } catch (error) {
    return error instanceof Error ? `${error.name} ${error.message}` : 'not an error';
  }
  return 'accepted';
}

/** A schema that is right but for one feature. */
const withFeature = (feature: unknown): unknown => ({ label, features: [{ constant: 1 }, feature], normalize: 'unit' });

describe('parseSchema', () => {
  test('fills in the defaults: no transform, range [-1, 1], no clipping', () => {
    const schema = parseSchema(withFeature(numeric));
    expect(schema.features).toEqual([
      { kind: 'constant', constant: 1 },
      {
        kind: 'number',
        name: undefined,
        column: 'age',
        part: undefined,
        transform: 'identity',
        minimum: 0,
        maximum: 90,
        range: [-1, 1],
        clip: false,
      },
    ]);
    expect(schema.label).toEqual({ kind: 'classes', ...label });
    expect(schema.normalize).toBe('unit');
  });

  test('counts a cycle as two coordinates and names every coordinate', () => {
    const schema = parseSchema({
      title: 'Flights',
      label: { column: 'delay', above: 0 },
      features: [
        { constant: 1 },
        { column: 'gain', transform: 'log1p', minimum: 0, maximum: 9 },
        { column: 'origin', indicator: ['ATL', 'ORD'] },
        { column: 'date', part: 'hour', cycle: 24 },
        { name: 'weekend', column: 'date', part: 'weekday', indicator: [0, 6] },
        { name: 'year', column: 'date', part: 'dayOfYear', cycle: 366 },
      ],
      normalize: 'ball',
    });
    expect(schema.dimension).toBe(8);
    expect(schema.names).toEqual([
      'constant',
      'log(1 + gain)',
      'origin ∈ {ATL, ORD}',
      'sin hour',
      'cos hour',
      'weekend',
      'sin year',
      'cos year',
    ]);
    expect(schema.label).toEqual({ kind: 'above', column: 'delay', above: 0 });
    expect(schema.title).toBe('Flights');
  });

  test('gives coordinates that would sound alike their long names', () => {
    const cycle = (column: string, period: number) => ({ column, part: 'hour', cycle: period });
    const features = [cycle('start', 24), cycle('start', 12), cycle('end', 24), { column: 'hour', cycle: 7 }];
    const { names } = parseSchema({ label, features, normalize: 'unit' });
    expect(names.filter((name) => name.startsWith('sin'))).toEqual([
      'sin(2π·hour of start/24)',
      'sin(2π·hour of start/12)',
      'sin(2π·hour of end/24)',
      'sin(2π·hour/7)',
    ]);
    expect(new Set(names).size).toBe(8);
  });

  test('accepts the informative keys and no other', () => {
    const json = {
      label,
      features: [numeric],
      normalize: 'unit',
      title: 'A',
      rows: 3,
      encoding: 'words',
      split: 'words',
    };
    expect(parseSchema(json).dimension).toBe(1);
    expect(refusalOf({ ...json, comment: 'x' })).toBe(
      'RangeError "comment" expected to be absent (there is no such key), got "x"',
    );
  });

  test.each<[string, unknown, string]>([
    ['a schema that is a list', [], 'TypeError "schema" expected an object, got an array'],
    ['a schema that is a text', 'adult', 'TypeError "schema" expected an object, got "adult"'],
    ['no label', { features: [numeric], normalize: 'unit' }, 'TypeError "label" expected to be given, got undefined'],
    ['no features', { label, normalize: 'unit' }, 'TypeError "features" expected to be given, got undefined'],
    [
      'an empty list of features',
      { label, features: [], normalize: 'unit' },
      'RangeError "features" expected a list of one or more features, got none',
    ],
    [
      'another normalization',
      { label, features: [numeric], normalize: 'max' },
      'RangeError "normalize" expected unit or ball, got "max"',
    ],
    ['a feature that is no object', withFeature(3), 'TypeError "features[1]" expected an object, got 3'],
  ])('refuses %s and says where', (_, json, message) => {
    expect(refusalOf(json)).toBe(message);
  });

  test.each([
    ['a missing bound', { column: 'age', minimum: 0 }, 'maximum', 'to be given, got undefined'],
    ['a bound that is a text', { ...numeric, minimum: '0' }, 'minimum', 'a finite number, got "0"'],
    ['a range of three', { ...numeric, range: [0, 1, 2] }, 'range[2]', 'a pair [low, high] of finite numbers, got 2'],
  ])('refuses a feature with %s as of another kind', (_, feature, place, said) => {
    expect(refusalOf(withFeature(feature))).toBe(`TypeError "features[1].${place}" expected ${said}`);
  });

  const sex = { column: 'sex' };
  const date = { column: 'date' };
  const absent = 'to be absent (there is no such key)';
  test.each([
    ['an unknown key', { ...numeric, colour: 'red' }, 'colour', `${absent}, got "red"`],
    ['a bound on a cycle', { column: 'hour', cycle: 24, minimum: 0 }, 'minimum', `${absent}, got 0`],
    ['an infinite bound', { ...numeric, maximum: Infinity }, 'maximum', 'a finite number, got Infinity'],
    ['a minimum that is the maximum', { ...numeric, minimum: 90 }, 'minimum', 'a number below the maximum 90, got 90'],
    [
      'a logarithm of 0',
      { ...numeric, minimum: -1, transform: 'log1p' },
      'minimum',
      'a number > -1, for log1p, got -1',
    ],
    ['an unknown transform', { ...numeric, transform: 'sqrt' }, 'transform', 'log1p, got "sqrt"'],
    ['an inverted range', { ...numeric, range: [1, 0] }, 'range', 'a pair [low, high] with low < high, got "[1, 0]"'],
    ['a cycle of no length', { column: 'hour', cycle: 0 }, 'cycle', 'a finite number > 0, got 0'],
    ['an indicator of nothing', { ...sex, indicator: [] }, 'indicator', 'a list of one or more values, got none'],
    ['texts and numbers', { ...sex, indicator: ['a', 1] }, 'indicator', 'values of one type, got an array'],
    ['a value twice', { ...sex, indicator: ['a', 'a'] }, 'indicator', 'values that are all different, got an array'],
    ['the missing value', { ...sex, indicator: ['a', ''] }, 'indicator[1]', 'a name, got ""'],
    [
      'an indicator outside the categories',
      { ...sex, indicator: ['a'], categories: ['b', 'c'] },
      'indicator[0]',
      'one of features[1].categories, got "a"',
    ],
    [
      'a weekday 7',
      { ...date, part: 'weekday', indicator: [0, 7] },
      'indicator[1]',
      'a whole number from 0 to 6, got 7',
    ],
    [
      'a month by name',
      { ...date, part: 'month', indicator: ['June'] },
      'indicator[0]',
      'a whole number from 1 to 12, got "June"',
    ],
    [
      'an unknown part of a date',
      { ...date, part: 'year', cycle: 4 },
      'part',
      'one of hour, weekday, month, dayOfYear, got "year"',
    ],
    [
      'the column of the label',
      { column: 'y', indicator: ['yes'] },
      'column',
      'another column than that of the label, got "y"',
    ],
  ])('refuses a feature with %s', (_, feature, place, said) => {
    expect(refusalOf(withFeature(feature))).toBe(`RangeError "features[1].${place}" expected ${said}`);
  });

  test.each([
    [
      'two classes that are one',
      { ...label, negative: 'yes' },
      'RangeError',
      'another value than label.positive, got "yes"',
    ],
    ['classes of two types', { ...label, negative: 0 }, 'RangeError', 'a string, as label.positive, got 0'],
    ['one class', { column: 'y', positive: 'yes' }, 'TypeError', 'to be given, got undefined'],
  ])('refuses a label with %s', (_, wrong, kind, said) => {
    const json = { label: wrong, features: [numeric], normalize: 'unit' };
    expect(refusalOf(json)).toBe(`${kind} "label.negative" expected ${said}`);
  });
});

describe('readSchema', () => {
  test('reads a JSON file, with or without a byte order mark', async () => {
    const path = write('schema.json', `\uFEFF${JSON.stringify({ label, features: [numeric], normalize: 'unit' })}`);
    expect((await readSchema(path)).dimension).toBe(1);
  });

  test('never quotes a file that is not JSON, for it may be the data', async () => {
    const path = write('secret.csv', 'age,y\n31,yes\n');
    await expect(readSchema(path)).rejects.toThrow(new RangeError(`"schema" expected a JSON file, got "${path}"`));
    await expect(readSchema('/nowhere/schema.json')).rejects.toThrow(
      '"schema" expected a file that can be read, got "/nowhere/schema.json"',
    );
  });
});

test('the built-in schema of the flights has 14 coordinates with 14 different names', () => {
  const { dimension, names } = flightsSchema();
  expect(dimension).toBe(14);
  expect(new Set(names).size).toBe(14);
});

test('the intercept is the place of the constant, where it is positive', () => {
  const features = [{ column: 'hour', cycle: 24 }, { constant: 0.5 }, { column: 'a', minimum: 0, maximum: 1 }];
  const schema = (some: readonly object[]) =>
    parseSchema({ label: { column: 'y', positive: 'yes', negative: 'no' }, features: some, normalize: 'unit' });
  expect(interceptOf(schema(features))).toBe(2);
  expect(interceptOf(schema([...features].reverse()))).toBe(1);
  expect(interceptOf(schema([{ constant: -1 }, ...features]))).toBe(3);
  expect(interceptOf(schema([features[2]]))).toBeUndefined();
  expect(interceptOf(flightsSchema())).toBe(0);
});
