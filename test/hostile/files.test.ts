import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { essentialRequest } from '../../src/core/certify.ts';
import { canonicalJson, digestOf } from '../../src/core/request.ts';
import { readJsonDocument } from '../../src/node/files.ts';
import { readTable } from '../../src/node/table.ts';
import { commandHost } from '../unit/node/command-host.ts';

const folder = mkdtempSync(join(tmpdir(), 'ldpkit-hostile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ldpkit = commandHost();

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** A value that no message may show. */
const PRIVATE = '47110815';

/** What a table is refused with, without the path; the cells of the first column where it is read. */
async function outcomeOf(name: string, content: string | Uint8Array): Promise<string | unknown[]> {
  const cells: unknown[] = [];
  const add = ({ columns }: { columns: readonly { values: ArrayLike<unknown> }[] }) =>
    void cells.push(...Array.from(columns[0].values));
  try {
    await readTable(file(name, content), ['a', 'b'], { expect: () => {}, add });
    return cells;
  } catch (error) {
    const { message } = error as Error;
    expect(message).not.toContain(PRIVATE);
    return message.replace(/, got "\/.*"$/, '');
  }
}

describe('a key that is there twice', () => {
  test('is refused in a certificate', async () => {
    const { stdout } = await ldpkit(folder, ['certify', 'hinge', '--variant', 'lifted', '--json']);
    file('fine.json', stdout);
    expect((await ldpkit(folder, ['verify', 'fine.json'])).status).toBe(0);
    // Whoever reads the first of the two reads another promise than whoever reads the last.
    file('twice.json', stdout.replace('"claimed": {', '"claimed": { "epsilon": 0.01,'));
    const { status, stderr } = await ldpkit(folder, ['verify', 'twice.json']);
    expect(status).toBe(2);
    expect(stderr).toBe(
      'ldpkit: "certificate" expected a JSON file in which no object has a key twice, got "twice.json"\n',
    );
  });

  test.each([
    ['spelt alike', '{"a": 1, "a": 1}'],
    ['spelt otherwise', '{"a": 1, "\\u0061": 1}'],
    ['far inside', '[{"b": [{"c": {"a": "}", "d": "\\"", "a" : 2}}]}]'],
    ['that is the prototype', '{"__proto__": 1, "__proto__": 2}'],
  ])('%s is refused in any document', async (_, text) => {
    await expect(readJsonDocument('schema', file('any.json', text))).rejects.toThrow('no object has a key twice');
  });

  test.each([
    ['in two objects', '[{"a": 1}, {"a": {"a": 1}}]'],
    ['as a value', '{"a": "b", "b": "a", "c": ["a", "a"]}'],
    ['with quotes in it', '{"a\\"": 1, "a": "\\"a\\": 1"}'],
  ])('is not seen %s', async (_, text) => {
    expect(await readJsonDocument('schema', file('any.json', text))).toEqual(JSON.parse(text));
  });

  test.each(['x.json', 'x.jsonl'])('is refused in the records of %s', async (name) => {
    const record = `{"a": ${PRIVATE}, "b": 1, "a": 2}`;
    expect(await outcomeOf(name, name === 'x.json' ? `[${record}]` : record)).toBe(
      '"data" expected JSON without a key that an object has twice in row 1',
    );
  });
});

describe('a document', () => {
  test.each([
    ['deeper than 100', '['.repeat(101) + ']'.repeat(101), 'nested at most 100 deep'],
    ['a million deep', '{"a":'.repeat(1e6), 'nested at most 100 deep'],
    ['larger than 8 MiB', ' '.repeat(2 ** 23 + 1), 'at most 8 MiB'],
    ['that is not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 'a JSON file in UTF-8'],
    ['cut off', '{"a": "x', 'a JSON file'],
  ])('%s is refused', async (_, content, message) => {
    await expect(readJsonDocument('schema', file('wrong.json', content))).rejects.toThrow(message);
  });

  test('without end is refused', async () => {
    await expect(readJsonDocument('schema', '/dev/zero')).rejects.toThrow('a file of at most 8 MiB');
  });
});

describe('records of JSON', () => {
  // Joined at every piece, 30 MB took half a minute; a test of time would be one of the machine.
  test.each([
    ['a line', 'x.jsonl', `{"a": 1, "b": 2}\n{"a": "${'x'.repeat(3e7)}"}`, 'row 2'],
    ['an element', 'x.json', `[{"a": 1, "b": 2}, {"a": "${'x'.repeat(3e7)}"}]`, 'row 2'],
  ])('%s of 30 MB is refused', async (_, name, content, place) => {
    expect(await outcomeOf(name, content)).toBe(`"data" expected a record of at most 4 MiB in ${place}`);
  });

  test('a line of 4 MB is read, also when it comes in pieces', async () => {
    const [cell] = await outcomeOf('x.jsonl', `{"a": "${'x'.repeat(4e6)}", "b": 1}`);
    expect(cell).toHaveLength(4e6);
  });

  test('an array is read element by element, brackets and quotes within texts included', async () => {
    const values = ['],[', '}"{', '\\', 'é\u2028', [1, [2]], { c: ',' }, null, ''];
    for (const indent of [0, 2]) {
      const text = JSON.stringify(
        values.map((a) => ({ a, b: 1 })),
        undefined,
        indent,
      );
      expect(await outcomeOf('x.json', text)).toEqual(values);
    }
    expect(await outcomeOf('x.json', ' [ ] \n')).toEqual([]);
  });

  test.each(['[{"a":1,"b":1},]', '[,{"a":1,"b":1}]', '[{"a":1,"b":1}', '[{"a":1,"b":1}] x', '[[]', '{}', ''.padEnd(9)])(
    'what is no array is refused: %s',
    async (text) => {
      expect(await outcomeOf('x.json', text)).toMatch(/one array of objects|a JSON object in row/);
    },
  );

  test.each(['x.json', 'x.jsonl'])('in Latin-1 are refused: %s', async (name) => {
    const record = `{"a": "${PRIVATE}\u00e9", "b": 1}`;
    const content = Buffer.from(name === 'x.json' ? `[${record}]` : record, 'latin1');
    expect(await outcomeOf(name, content)).toBe('"data" expected a JSON file in UTF-8');
  });

  test('a million deep are refused', async () => {
    expect(await outcomeOf('x.json', `[${'['.repeat(1e6)}${']'.repeat(1e6)}]`)).toContain(
      'nested at most 100 deep in row 1',
    );
  });
});

describe('a CSV file', () => {
  const header = 'a,b\n1,2\n';
  const utf16 = Buffer.from(`\uFEFFa,b\n${PRIVATE},2\n`, 'utf16le');
  test.each([
    ['a line without end', `${header}${PRIVATE}${'x'.repeat(3e7)}`, 'a record of at most 4 MiB in line 3'],
    ['a million columns, and again', `${header}${'"",'.repeat(2e6)}`, 'a record of at most 4 MiB in line 3'],
    ['a quote that is never closed', `${header}"${`${PRIVATE}\n`.repeat(1e6)}`, 'a record of at most 4 MiB in line 3'],
    ['a quote that the file ends in', `${header}1,"${PRIVATE}\n`, 'closed quotes in line 3'],
    [
      'text behind a quote',
      `${header}"1"${PRIVATE},2\n${'3,4\n'.repeat(9)}`,
      'a comma or the end of the line behind closed quotes in line 3',
    ],
    ['a NUL byte', `${header}${PRIVATE}\0,2\n`, 'a CSV file in UTF-8, without NUL bytes, in line 3'],
    ['UTF-16', utf16, 'a CSV file in UTF-8 in line 1'],
    ['Latin-1', Buffer.from(`${header}${PRIVATE}\u00e9,2\n`, 'latin1'), 'a CSV file in UTF-8 in line 3'],
    [
      'half a pair in UTF-8',
      Uint8Array.of(...Buffer.from(header), 0xed, 0xa0, 0x80, 44, 50),
      'a CSV file in UTF-8 in line 3',
    ],
    [
      'a character that is spelt too long',
      Uint8Array.of(...Buffer.from(header), 0xc0, 0xaf, 44, 50),
      'a CSV file in UTF-8 in line 3',
    ],
    [
      'a character that the file ends in',
      Uint8Array.of(...Buffer.from(header), 49, 44, 0xf0, 0x9f, 0x98),
      'a CSV file in UTF-8 in line 3',
    ],
    ['UTF-16 without a mark', utf16.subarray(2), 'a CSV file in UTF-8, without NUL bytes, in line 1'],
    [
      'two kinds of line ends',
      `a,b\r\n1,2\r\n${PRIVATE},2\n3,4\r\n`,
      'the same kind of line ends as in the lines before in line 3',
    ],
    ['old line ends within', `a,b\n1,2\r${PRIVATE},2\n`, 'the same kind of line ends as in the lines before in line 2'],
  ])('with %s is refused, and where', async (_, content, expected) => {
    expect(await outcomeOf('x.csv', content)).toBe(`"data" expected ${expected}`);
  });

  test('with characters of every length is read, at every place of a piece', async () => {
    const signs = 'a\u00e9\u20ac\ud7ff\ue000\u{1f600}\u{10ffff}';
    const cell = signs.repeat(2 ** 16);
    expect(await outcomeOf('x.csv', `a,b\n${'.'.repeat(3)}${cell},1\n`)).toEqual([`...${cell}`]);
  });

  test('of one record with a million columns is read', async () => {
    const wide = 'x,'.repeat(1e6);
    expect(await outcomeOf('x.csv', `a,b,${wide}\n1,2,${wide}\n`)).toEqual(['1']);
  });

  test('with line ends of another kind within quotes is read', async () => {
    expect(await outcomeOf('x.csv', 'a,b\r\n"1\n2\r3",4\r\n"5""" ,6\r\n')).toEqual(['1\n2\r3', '5"']);
  });
});

test('an essential request is found without making parameters for fields that nobody reads', () => {
  let made = 0;
  const make = (request: object) => {
    made++;
    const { epsilon, delta = 0 } = request as { readonly epsilon: number; readonly delta?: number };
    if (delta < 0) throw new RangeError('"delta" expected a number >= 0, got less');
    return { digest: digestOf({ epsilon }) } as never;
  };
  const unread = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`field${i}`, i]));
  const { request } = essentialRequest(make, { ...unread, epsilon: 1, delta: 0.1 });
  expect(request).toEqual({ epsilon: 1 });
  expect(made).toBeLessThanOrEqual(4);
});

test('a value nested deeper than the stack has no canonical JSON, and is refused by name', () => {
  let deep: readonly unknown[] = [];
  for (let i = 0; i < 1e5; i++) deep = [deep];
  expect(() => canonicalJson(deep as never)).toThrow('"request" expected values nested at most 100 deep');
});
