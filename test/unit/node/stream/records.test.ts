import { describe, expect, test } from '@jest/globals';
import { flightDelaySchema } from '../../../../src/node/flights.ts';
import { firstPlayers, loadStream, streamPopulation } from '../../../../src/node/records.ts';
import { parseSchema } from '../../../../src/node/schema.ts';
import { scratchFolder } from '../scratch.ts';
import { REGRESSION_SCHEMA } from './made-up.ts';

const write = scratchFolder();
const parseRegression = (json: unknown) => parseSchema(json, 'regression');
const schema = parseRegression(REGRESSION_SCHEMA);

const LINES = [
  'kind,taken,reading,speed',
  'a,2020-01-03,10,25',
  'b,2020-01-01,-50,0',
  'b,2020-01-02,41,50',
  'a,2020-01-01,3,12.5',
];

describe('records of a stream', () => {
  test('come in the order of their time, those of one moment in that of the file; responses are cut off and in units', async () => {
    const records = await loadStream({ data: write('mixed.csv', LINES.join('\n')), schema });
    expect([records.players, records.width, records.sorted]).toEqual([4, 2, true]);
    expect(Array.from(records.responses)).toEqual([-15, 1.5, 20, 5]);
    expect(Array.from(records.features)).toEqual([-1, -0.5, -0.5, 0.5, 1, -0.5, 0, 0.5]);
    expect(records.times?.[2]).toBe(Date.UTC(2020, 0, 2));
    const { datum, players } = streamPopulation(firstPlayers(records, 2));
    expect(players).toBe(2);
    const { features, response } = datum(1);
    expect([Array.from(features), response]).toEqual([[-0.5, 0.5], 1.5]);
  });

  test('of one second are told apart by what is behind its point', async () => {
    const moments = ['12:00:00.75', '12:00:00.250001', '12:00:00.25', '12:00:00'];
    const lines = moments.map((moment, i) => `a,2020-01-01 ${moment},${2 * i},25`);
    const { responses, sorted } = await loadStream({
      data: write('moments.csv', [LINES[0], ...lines].join('\n')),
      schema,
    });
    expect([sorted, Array.from(responses)]).toEqual([true, [3, 2, 1, 0]]);
  });

  test('stay where they are without an order, or where the file has it already', async () => {
    const { order: _, ...without } = REGRESSION_SCHEMA as { readonly order: string };
    const data = write('plain.csv', LINES.join('\n'));
    const plain = await loadStream({ data, schema: parseRegression(without) });
    expect([plain.sorted, plain.times, plain.responses[0]]).toEqual([false, undefined, 5]);
    const ordered = [LINES[0], LINES[2], LINES[4], LINES[3], LINES[1]].join('\n');
    expect((await loadStream({ data: write('ordered.csv', ordered), schema })).sorted).toBe(false);
  });

  test.each([
    ['a,2020-01-03,x,25', '"reading" expected a finite number in row 1 (line 2)'],
    ['a,2020-01-03,1,51', '"speed" expected a number from 0 to 50 (or "clip" in the schema) in row 1 (line 2)'],
    ['c,2020-01-03,1,5', '"kind" expected one of the categories in the schema in row 1 (line 2)'],
    ['a,soon,1,5', '"taken" expected a date such as 2001-01-31 in row 1 (line 2)'],
  ])('are refused by column and row, without what is there: %s', async (line, message) => {
    const data = write('bad.csv', `${LINES[0]}\n${line}\n`);
    await expect(loadStream({ data, schema })).rejects.toThrow(new RangeError(message));
  });

  test('are one or more', async () => {
    await expect(loadStream({ data: write('none.csv', `${LINES[0]}\n`), schema })).rejects.toThrow(
      'one or more records',
    );
  });
});

describe('the schema of a regression', () => {
  test('fills in the unit, a twentieth of the range', () => {
    expect(parseRegression({ ...REGRESSION_SCHEMA, label: { column: 'y', minimum: 0, maximum: 5 } }).label).toEqual({
      kind: 'number',
      column: 'y',
      minimum: 0,
      maximum: 5,
      unit: 0.25,
    });
    expect(schema.names).toEqual(['speed', 'kind a']);
    expect(flightDelaySchema().dimension).toBe(5);
  });

  test.each([
    [{ label: { column: 'y', above: 3 } }, '"label.minimum" expected to be given'],
    [
      { label: { column: 'y', minimum: 3, maximum: 3 } },
      '"label.minimum" expected a number below the maximum 3, got 3',
    ],
    [{ label: { column: 'y', minimum: 0, maximum: 3, unit: 0 } }, '"label.unit" expected a finite number > 0, got 0'],
    [{ features: [{ constant: 1 }] }, '"features[0]" expected no constant: a regression has its own intercept'],
    [{ features: [] }, '"features" expected a list of one or more features'],
    [
      { features: [{ column: 'reading', minimum: 0, maximum: 1 }] },
      '"features[0].column" expected another column than that of the label, got "reading"',
    ],
    [{ normalize: 'unit' }, '"normalize" expected to be absent'],
    [{ order: 3 }, '"order" expected a name, got 3'],
  ])('refuses %j', (part, message) => {
    expect(() => parseRegression({ ...REGRESSION_SCHEMA, ...part })).toThrow(message);
  });
});
