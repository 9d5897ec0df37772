import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { draftSchema, editorSchema } from '../../../src/node/commands/schema.ts';
import { meantBy, RefusedTogether } from '../../../src/node/refused.ts';
import { parseSchema } from '../../../src/node/schema.ts';
import type { SchemaForm } from '../../../src/node/schema-shape.ts';
import { commandHost } from './command-host.ts';
import { scratchFolder } from './scratch.ts';

const write = scratchFolder();
const folder = dirname(write('empty.csv', ''));
const host = commandHost();
const ldpkit = (words: string) => host(folder, words.split(' '));

/** The messages of a refused schema. */
function partsOf(json: unknown, form?: SchemaForm): readonly string[] {
  try {
    parseSchema(json, form);
  } catch (error) {
    return error instanceof RefusedTogether ? error.parts : [(error as Error).message];
  }
  return [];
}

const label = { column: 'y', positive: 'yes', negative: 'no' };
const age = { column: 'age', minimum: 0, maximum: 90 };
const sound = { label, features: [{ constant: 1 }, age], normalize: 'unit' };

describe('a schema with several mistakes', () => {
  test('is told all mistakes of shape at once, with the key that was meant', () => {
    const features = [
      { constant: 1 },
      { column: 'a', minimun: 0, maximum: 90, maximun: 1 },
      { column: 'b', cicle: 3, minimum: 'x', maximum: 2 },
    ];
    expect([...partsOf({ label, features, normalise: 'unit', colour: 1 })].sort()).toEqual(
      [
        '"features[1].minimun" expected to be absent (there is no such key; did you mean "minimum"?), got 0',
        '"features[1].maximun" expected to be absent (there is no such key; did you mean "maximum"?), got 1',
        '"features[2].cicle" expected to be absent (there is no such key; did you mean "cycle"?), got 3',
        '"normalise" expected to be absent (there is no such key; did you mean "normalize"?), got "unit"',
        '"colour" expected to be absent (there is no such key), got 1',
        '"features[1].minimum" expected to be given, got undefined',
        '"features[2].minimum" expected a finite number, got "x"',
        '"normalize" expected to be given, got undefined',
      ].sort(),
    );
  });

  test('is told all numbers that do not fit together, of the label and of every feature', () => {
    const features = [{ ...age, minimum: 91 }, age, { column: 'b', cycle: 0 }];
    expect(partsOf({ ...sound, label: { column: 'y', positive: 1, negative: 1 }, features })).toEqual([
      '"label.negative" expected another value than label.positive, got 1',
      '"features[0].minimum" expected a number below the maximum 90, got 91',
      '"features[2].cycle" expected a finite number > 0, got 0',
    ]);
  });

  test.each([1e308, -1.7e308, 1e-320])(
    'is told of a number with which a record would overflow or vanish: %d',
    (size) => {
      const features = [{ constant: size }, { ...age, range: [0, Math.abs(size)] }];
      const expected = 'expected 0, or a number of a size from 1e-100 to 1e100, got';
      expect(partsOf({ ...sound, features })).toEqual([
        `"features[0].constant" ${expected} ${size}`,
        `"features[1].range[1]" ${expected} ${Math.abs(size)}`,
      ]);
      expect(partsOf({ ...sound, features: [{ constant: 0 }, { constant: 1e100 }] })).toEqual([]);
    },
  );

  test('is told its open questions, and the mistakes elsewhere', () => {
    const asked = { ...age, minimum: { question: 'How young?', proposed: 10 } };
    expect(partsOf({ ...sound, features: [asked, { ...age, maximum: '9' }] })).toEqual([
      '"features[0].minimum" expected an answer: How young?',
      '"features[1].maximum" expected a finite number, got "9"',
    ]);
    expect(partsOf({ ...sound, label: { question: 'Which?' } })).toEqual(['"label" expected an answer: Which?']);
    expect(partsOf({ ...sound, features: [{ ...age, minimum: 0 }] })).toEqual([]);
  });
});

test.each([
  ['minimun', 'minimum'],
  ['Minimum', 'minimum'],
  ['mni', 'min'],
  ['comment', undefined],
  ['minimum', undefined],
  ['catgeories', 'categories'],
  ['x'.repeat(1e6), undefined],
])('%s: %s was meant', (typed, meant) => {
  expect(meantBy(typed, ['minimum', 'maximum', 'categories', 'min'])).toBe(meant);
});

describe('an editor is told of the same keys as a run', () => {
  const ajv = new Ajv({ allowUnionTypes: true });
  const forms: { readonly [form in SchemaForm]: object } = {
    records: { ...sound, title: 'A', rows: 1, split: '', encoding: '', $schema: './a.json' },
    players: { ...sound, player: ['who', { column: 'date', part: 'hour' }] },
    regression: {
      label: { ...age, column: 'y', unit: 2 },
      order: 'date',
      features: [{ ...age, clip: true, range: [0, 1] }],
    },
    sides: { label: { column: 'y', above: 2 }, features: [{ column: 'date', part: 'hour', cycle: 24 }] },
    classes: {
      label: { column: 'y', bands: [1, 2] },
      features: [{ column: 'b', indicator: ['x'], categories: ['x'] }],
    },
    samples: { player: 'who', coordinates: [age] },
    categories: { label: { column: 'y', edges: [0, 1, 2] } },
    numbers: { coordinates: [age, { ...age, column: 'b' }] },
    points: { unit: 'km', coordinates: [age, { ...age, column: 'b', name: 'B' }] },
  };
  const broken = (json: object): readonly (readonly [what: string, json: object])[] => {
    const { features, coordinates, label: predicted } = json as { [key: string]: object[] };
    const list = features === undefined ? 'coordinates' : 'features';
    if (features === undefined && coordinates === undefined) {
      return [
        ['a key too many', { ...json, colour: 1 }],
        ['no list', { label: { column: 'y', classes: [] } }],
        ['no column', { label: { edges: [0, 1, 2] } }],
        ['a text for a number', { label: { column: 'y', edges: [0, '1', 2] } }],
        ['a question', { label: { column: 'y', classes: { question: 'What?' } } }],
      ];
    }
    return [
      ['a key too many', { ...json, colour: 1 }],
      ['no list', { ...json, [list]: [] }],
      ['no column', { ...json, [list]: [...(features ?? coordinates), { minimum: 0, maximum: 1 }] }],
      ['a text for a number', { ...json, [list]: [{ ...age, maximum: '9' }, age] }],
      [
        'a question',
        {
          ...json,
          [list]: [
            { ...age, maximum: { question: 'What?' } },
            { ...age, column: 'b' },
          ],
        },
      ],
      ...(predicted === undefined ? [] : ([['a label without a column', { ...json, label: { above: 1 } }]] as const)),
    ];
  };

  test.each(Object.entries(forms))('%s', (form, json) => {
    const accepts = ajv.compile(editorSchema(form as SchemaForm));
    expect([accepts(json), partsOf(json, form as SchemaForm)]).toEqual([true, []]);
    for (const [what, wrong] of broken(json)) {
      expect([what, accepts(wrong), partsOf(wrong, form as SchemaForm).length > 0]).toEqual([what, false, true]);
    }
  });

  test('and every key of every form is known to who mistypes it', () => {
    const keysIn = (schema: unknown): readonly string[] => {
      if (typeof schema !== 'object' || schema === null) return [];
      const { properties = {} } = schema as { readonly properties?: object };
      return [...Object.keys(properties), ...Object.values(schema).flatMap(keysIn)];
    };
    const keys = new Set(Object.keys(forms).flatMap((form) => keysIn(editorSchema(form as SchemaForm))));
    expect([...keys]).toEqual(expect.arrayContaining(['order', 'cycle', 'edges', 'part']));
    for (const key of keys) {
      expect(partsOf({ ...sound, [`${key}x`]: 1 })).toEqual([expect.stringContaining(`did you mean "${key}"?`)]);
    }
  });

  test('and all that stands between a draft and a run is its questions', () => {
    const columns = ['who', 'x', 'y', 'when', 'kind'].map((name) => ({
      name,
      kind: name === 'when' ? ('date' as const) : name === 'kind' ? ('text' as const) : ('number' as const),
      proposed: undefined,
    }));
    for (const form of ['records', 'players', 'regression', 'samples', 'categories', 'numbers', 'points'] as const) {
      const draft = draftSchema(form, columns, { title: 'A', label: 'y', player: 'who' });
      const parts = partsOf(draft, form);
      expect(parts.length).toBeGreaterThan(form === 'categories' ? 0 : 1);
      expect(parts.filter((part) => !part.includes('expected an answer'))).toEqual([]);
      const unlabelled = partsOf(draftSchema(form, columns, { title: 'A', label: undefined, player: undefined }), form);
      expect(unlabelled.filter((part) => !part.includes('expected an answer'))).toEqual([]);
    }
  });
});

describe('mistakes in a file', () => {
  const run = async (csv: string, features: readonly object[] = [{ constant: 1 }, age]): Promise<readonly string[]> => {
    write('some.csv', csv);
    write('some.json', JSON.stringify({ label, features, normalize: 'unit' }));
    const { status, stderr } = await ldpkit('run hinge --data some.csv --schema some.json --out out');
    expect(status).toBe(2);
    return stderr.split('\n').filter((line) => line.startsWith('ldpkit: '));
  };

  test('are told together, by row and by the line of the file', async () => {
    // Row 2 begins in line 4: line 3 is empty. The quoted line end of row 3 moves row 4 to line 7.
    const csv = 'age,note,y\n1,a,yes\n\n95,b,no\n3,"c\nd",maybe\n-1,e,no\n5,f,yes\n';
    expect(await run(csv)).toEqual([
      'ldpkit: "age" expected a number from 0 to 90 (or "clip" in the schema) in rows 2 and 4 (lines 4 and 7)',
      'ldpkit: "y" expected one of the two labels in the schema in row 3 (line 5)',
    ]);
  });

  test('are told up to the tenth record', async () => {
    const [only, ...others] = await run(`age,y\n${'x,yes\n'.repeat(50)}`);
    expect(others).toEqual([]);
    expect(only).toContain('in rows 1, 2, 3, 4, 5, 6, 7, 8, 9 and 10 (lines 2,');
    expect(only).toContain('rows after these were not looked at');
  });

  test('of its header name all missing columns, and where a near one stands, without quoting it', async () => {
    const features = [age, { column: 'city', indicator: ['x'] }, { column: 'zip', indicator: ['x'] }];
    expect(await run('Age,ctiy,y\n1,x,yes\n', features)).toEqual([
      'ldpkit: "data" expected a column named "age" in the header row; did you mean column 1, whose name is near?, got "some.csv"',
      'ldpkit: "data" expected a column named "city" in the header row; did you mean column 2, whose name is near?, got "some.csv"',
      'ldpkit: "data" expected a column named "zip" in the header row, got "some.csv"',
    ]);
  });

  test.each([
    [';', 'semicolons'],
    ['\t', 'tabs'],
    ['|', 'vertical bars'],
  ])('a file with %j between its fields is told so', async (sign, name) => {
    expect(await run(`age${sign}y\n1${sign}yes\n`)).toEqual([
      `ldpkit: "data" expected commas between the fields (the header row has none, and ${name}; save the file with commas), got "some.csv"`,
    ]);
  });

  test('of the number of fields are told together', async () => {
    expect(await run('age,y\n1\n\n2,yes\n3,no,4\n')).toEqual([
      'ldpkit: "data" expected 2 fields in row 1 (line 2), as in the header, got "some.csv"',
      'ldpkit: "data" expected 2 fields in row 3 (line 5), as in the header, got "some.csv"',
    ]);
  });
});

describe('ldpkit schema init', () => {
  // No value of the file may be told.
  const csv = 'age,income,hired,city\n31,52413,2019-04-01,Secretville\n47,61977,2001-10-01,Basel\n';

  test('counts one question as one, and speaks of proposed bounds only where there are some', async () => {
    write('one.csv', 'value\n3\n');
    const { stdout } = await ldpkit('schema init one.csv --label value --propose');
    expect(stdout).toContain('\n1 question is open. ');
    expect(stdout).toContain('From the file are the names of 1 column');
    expect(stdout).not.toContain('Proposed bounds');
  });

  test('writes questions, of which a run wants answers, and no value of the file', async () => {
    write('people.csv', csv);
    const { status, stdout, stderr } = await ldpkit('schema init people.csv --label income');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('4 questions are open');
    const written = await import('node:fs').then(({ readFileSync }) =>
      ['people.schema.json', 'ldpkit-records.json'].map((name) => readFileSync(`${folder}/${name}`, 'utf8')),
    );
    for (const secret of ['31', '47', '52413', '61977', 'Secretville', 'Basel', '2019', '2001']) {
      expect([secret, stdout.includes(secret), written.some((text) => text.includes(`${secret}`))]).toEqual([
        secret,
        false,
        false,
      ]);
    }
    const refused = await ldpkit('run hinge --data people.csv --schema people.schema.json');
    expect(refused.status).toBe(2);
    expect(refused.stderr.match(/expected an answer/g)).toHaveLength(4);
    expect((await ldpkit('schema init people.csv')).stderr).toContain('the name of a file that is not there yet');
  });

  test('proposes rounded bounds only where it is asked to, and a run refuses them all the same', async () => {
    write('more.csv', csv);
    const { stdout } = await ldpkit('schema init more.csv --label income --propose --for online-sgd');
    expect(stdout).toContain('Is 30, rounded from the file, also by public knowledge the least "age"?');
    expect(stdout).toContain('rounded from the file: whoever takes one over tells something of its records');
    const { status, stderr } = await ldpkit('run online-sgd --data more.csv --schema more.schema.json');
    expect([status, stderr.includes('expected an answer')]).toEqual([2, true]);
  });

  test('ends with a command that a shell takes, also for a name with a space', async () => {
    write('of people.csv', csv);
    const { stdout } = await host(folder, ['schema', 'init', 'of people.csv', '--label', 'income']);
    const command = "npx ldpkit run hinge --data 'of people.csv' --schema 'of people.schema.json'";
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(`Then: ${command}`);
  });

  test.each([
    ['31,secret\n32,secret\n', 'a name for column 1 in the header row, not a number or a date'],
    ['age,,y\n1,2,3\n', 'a name for column 2 in the header row'],
    ['age,age\n1,2\n', 'a name for column 2 in the header row that no other column has'],
    ['age;y\n1;2\n', 'commas between the fields'],
    ['', 'a CSV file with a header row'],
  ])('refuses %j without quoting it', async (content, message) => {
    write('headless.csv', content);
    const { status, stderr } = await ldpkit('schema init headless.csv');
    expect([status, stderr.includes(message), stderr.includes('secret')]).toEqual([2, true, false]);
  });

  test.each([
    ['people.json', 'a CSV file'],
    ['nobody.csv', 'a file that can be read'],
    ['some.csv --for no-such', '"protocol" expected one of'],
    ['some.csv --label colour', '"label" expected a name of the header row, got "colour"'],
    ['some.csv --label aeg', '"label" expected a name of the header row; did you mean column 1, whose name is near?'],
  ])('refuses %s', async (words, message) => {
    write('some.csv', 'age,y\n1,yes\n');
    const { status, stderr } = await ldpkit(`schema init ${words}`);
    expect([status, stderr.includes(message)]).toEqual([2, true]);
    // The header may be a record.
    expect(stderr).not.toMatch(/\bage\b/);
  });
});

describe('ldpkit schema init', () => {
  test('refuses an answer that no schema of the protocol has a place for', async () => {
    write('two.csv', 'a,y\n1,yes\n');
    const said = async (words: string) => (await ldpkit(`schema init two.csv --out two.json ${words}`)).stderr;
    expect(await said('--player a')).toBe('ldpkit: "player" expected none: in hinge every row is a player, got "a"\n');
    expect(await said('--for user-level-mean --label a')).toBe(
      'ldpkit: "label" expected none: user-level-mean predicts nothing, got "a"\n',
    );
    expect(await said('--for user-level-erm --label a --player a')).toBe(
      'ldpkit: "player" expected another column than that of the label, got "a"\n',
    );
  });

  test.each([
    ['constant', '7\n7\n', [6, 8]],
    ['of zeros', '0\n0\n', [-1, 1]],
    ['endless', '1e308\n-1e308\n', []],
    ['too large to read', '1\n1e400\n', []],
    ['nearly 0', '1e-320\n2e-320\n', []],
  ])('proposes bounds that a schema may have, of a column that is %s', async (name, cells, expected) => {
    const file = write(`${name}.csv`.replaceAll(' ', '-'), `a,b\n${cells.replaceAll('\n', ',x\n')}`);
    const out = `${file}.json`;
    await ldpkit(`schema init ${file} --label b --propose --out ${out}`);
    const { features } = JSON.parse(readFileSync(out, 'utf8'));
    const bounds = [features[1].minimum.proposed, features[1].maximum.proposed];
    expect(bounds.filter((bound) => bound !== undefined)).toEqual(expected);
  });
});
