import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { brief, printable, RefusedValue } from '../../src/check/refusal.ts';
import { jsonText } from '../../src/node/print.ts';
import { createProgress } from '../../src/node/progress.ts';
import { escapeText } from '../../src/node/report/markup.ts';
import { ldpkit } from '../unit/node/command-line.ts';
import { faultsOf, HOSTILE, HOSTILE_WORD } from './obeyed.ts';

const folder = mkdtempSync(join(tmpdir(), 'ldpkit-hostile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string | object): string {
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return name;
}

const LONG = 'x'.repeat(1e6);
const COMMANDS = ['run', 'list', 'certify', 'verify', 'audit', 'forecast', 'reproduce', 'validate'];

describe('the looking-glass of these tests', () => {
  test('sees every character, a forged line and a line without end where they are printed raw', () => {
    const raw = faultsOf(HOSTILE);
    for (const fault of ['U+001b', 'U+009b', 'U+202e', 'U+2066', 'U+200b', 'U+feff', 'U+0000', 'U+d800', 'U+e0001']) {
      expect(raw).toContain(fault);
    }
    expect(raw).toContain('a forged line');
    expect(faultsOf(LONG)).toEqual(['a line of 1000000 characters']);
  });

  test('sees nothing in what is made printable', () => {
    expect(faultsOf(printable(HOSTILE))).toEqual([]);
    expect(printable('\u202e\n\u{e0001}')).toBe('\\u202e\\u000a\\udb40\\udc01');
    expect(printable(printable(HOSTILE))).toBe(printable(HOSTILE));
    expect(printable('für 1.5 µm – ‖w‖₂ ≤ 1, 漢字 😀')).toBe('für 1.5 µm – ‖w‖₂ ≤ 1, 漢字 😀');
  });
});

test('a refusal, a document, a page and progress show outside text escaped', () => {
  const lines: string[] = [];
  const stream = { isTTY: false, write: (text: string) => lines.push(text) } as unknown as NodeJS.WriteStream;
  createProgress(stream).begin(HOSTILE);
  const json = jsonText({ [HOSTILE]: HOSTILE });
  const texts = [new RefusedValue(HOSTILE, HOSTILE, HOSTILE).message, json, escapeText(HOSTILE), lines.join('')];
  for (const text of texts) expect(faultsOf(text)).toEqual([]);
  expect(JSON.parse(json)).toEqual({ [HOSTILE]: HOSTILE });
  expect(new RefusedValue(LONG, 'a word', LONG).message.length).toBeLessThan(300);
  expect(brief(LONG)).toHaveLength(201);
});

/** Runs a command; whatever it says must be clean, and it must say something. */
async function expectClean(words: readonly string[], status: readonly (number | null)[]): Promise<string> {
  const ending = await ldpkit(folder, words);
  const { stdout, stderr } = ending;
  expect({ words: words.map((word) => word.slice(0, 30)), faults: faultsOf(stdout + stderr) }).toEqual({
    words: words.map((word) => word.slice(0, 30)),
    faults: [],
  });
  expect(status).toContain(ending.status);
  // A broken program would print its calls.
  expect(stderr).not.toMatch(/^ +at /m);
  expect(stdout.length + stderr.length).toBeGreaterThan(0);
  return stdout + stderr;
}

describe('hostile words of a command', () => {
  test.each(COMMANDS)('%s: an option, an argument and one too many', async (command) => {
    await expectClean([command, `--${HOSTILE_WORD}`], [2]);
    await expectClean([command, HOSTILE_WORD, 'x'.repeat(1e5)], [2]);
  });

  test.each([
    ['a command', [HOSTILE_WORD]],
    ['a protocol', ['run', HOSTILE_WORD]],
    ['a protocol', ['forecast', HOSTILE_WORD]],
    ['a number', ['run', 'hinge', '--epsilon', HOSTILE_WORD]],
    ['a number', ['audit', 'hinge', '--trials', HOSTILE_WORD]],
    ['a variant', ['certify', 'hinge', '--variant', HOSTILE_WORD]],
    ['a grade', ['certify', 'hinge', '--grade', HOSTILE_WORD]],
    ['a file', ['verify', HOSTILE_WORD]],
    ['a file', ['run', 'hinge', '--data', `${HOSTILE_WORD}.csv`, '--schema', HOSTILE_WORD]],
    ['a state', ['run', 'online-sgd', '--resume', HOSTILE_WORD]],
    ['a folder', ['validate', '--only', HOSTILE_WORD]],
    ['a scale', ['reproduce', 'coverage-table', '--scale', HOSTILE_WORD]],
    ['a very long word', ['run', 'x'.repeat(1e5)]],
  ])('%s: %#', async (_, words) => {
    await expectClean(words, [2]);
  });
});

const PEOPLE = 'age,job,happy\n'.concat(
  Array.from({ length: 60 }, (_, i) => `${i},${i % 3 ? 'a' : 'b'},${i % 2 ? 'yes' : 'no'}`).join('\n'),
);
const SCHEMA = {
  title: 'people',
  label: { column: 'happy', positive: 'yes', negative: 'no' },
  features: [{ constant: 1 }, { column: 'age', minimum: 0, maximum: 90 }, { column: 'job', indicator: ['a'] }],
  normalize: 'unit',
};

describe('hostile files', () => {
  test.each([
    ['an unknown key', { ...SCHEMA, [HOSTILE]: 1 }],
    ['a very long key', { ...SCHEMA, [LONG]: 1 }],
    ['a bound', { ...SCHEMA, features: [{ column: 'age', minimum: HOSTILE, maximum: 90 }] }],
    ['a missing column', { ...SCHEMA, features: [{ column: HOSTILE, minimum: 0, maximum: 90 }] }],
    ['a missing column with a very long name', { ...SCHEMA, features: [{ column: LONG, minimum: 0, maximum: 90 }] }],
    ['a missing label', { ...SCHEMA, label: { ...SCHEMA.label, column: HOSTILE } }],
    ['a label', { ...SCHEMA, label: { ...SCHEMA.label, positive: HOSTILE } }],
    ['a category', { ...SCHEMA, features: [{ column: 'job', indicator: [HOSTILE], categories: ['a', HOSTILE] }] }],
    [
      'a category that is not listed',
      { ...SCHEMA, features: [{ column: 'job', indicator: [HOSTILE], categories: ['a'] }] },
    ],
    ['a part', { ...SCHEMA, features: [{ column: 'age', part: HOSTILE, cycle: 24 }] }],
  ])('a schema with %s', async (_, schema) => {
    const words = ['--data', file('people.csv', PEOPLE), '--schema', file('schema.json', schema), '--out', 'out'];
    await expectClean(['run', 'hinge', ...words], [2]);
  });

  test('names and titles of a run that goes well: on a terminal, as JSON, on the page', async () => {
    const age = HOSTILE.replace(/[\0\p{Cs}"]/gu, '');
    const schema = {
      ...SCHEMA,
      title: HOSTILE,
      features: [
        { constant: 1 },
        { name: HOSTILE, column: age, minimum: 0, maximum: 90 },
        { column: 'job', indicator: ['a'] },
      ],
    };
    const data = file('hostile.csv', PEOPLE.replace('age', `"${age}"`));
    const words = ['run', 'hinge', '--variant', 'gaussian', '--data', data, '--schema', file('schema.json', schema)];
    const out = join(folder, 'a\u202efolder');
    const shown = await expectClean([...words, '--out', out], [0]);
    expect(shown).toContain('\\u001b[2J');
    expect(faultsOf(readFileSync(join(out, 'report.html'), 'utf8'), Infinity)).toEqual([]);
    const json = await ldpkit(folder, [...words, '--json']);
    expect(faultsOf(json.stdout, Infinity)).toEqual([]);
    expect(JSON.parse(json.stdout).title).toBe(HOSTILE);
  });

  test('the label of a stream', async () => {
    const column = `y${HOSTILE.replace(/[\0\p{Cs}"]/gu, '')}`;
    const rows = Array.from({ length: 40 }, (_, i) => `${i},${(i * 7) % 10}`).join('\n');
    const schema = {
      title: HOSTILE,
      label: { column, minimum: 0, maximum: 10 },
      features: [{ column: 'x', minimum: 0, maximum: 40 }],
    };
    const words = ['--data', file('stream.csv', `x,"${column}"\n${rows}\n`), '--schema', file('stream.json', schema)];
    await expectClean(['run', 'online-sgd', ...words, '--out', 'stream'], [0]);
    expect(faultsOf(readFileSync(join(folder, 'stream/report.html'), 'utf8'), Infinity)).toEqual([]);
    await expectClean(['run', 'online-sgd', ...words, '--ndjson'], [0]);
  });

  test('a certificate, wherever in it', async () => {
    const { stdout } = await ldpkit(folder, ['certify', 'hinge', '--variant', 'lifted', '--json']);
    const made = JSON.parse(stdout);
    const hostile = [
      { ...made, [HOSTILE]: 1, [LONG]: LONG },
      { ...made, request: { ...made.request, [HOSTILE]: HOSTILE, variant: HOSTILE } },
      { ...made, notes: [...made.notes, HOSTILE, LONG], digest: HOSTILE, neighbouring: HOSTILE },
      { ...made, protocol: HOSTILE },
      { ...made, variant: HOSTILE, claimed: { kind: HOSTILE } },
    ];
    await expectClean(['verify', file('hostile.json', hostile)], [3]);
    const json = await ldpkit(folder, ['verify', 'hostile.json', '--json']);
    expect(faultsOf(json.stdout, Infinity)).toEqual([]);
    expect(JSON.parse(json.stdout).verified).toBe(false);
    await expectClean(['verify', file('hostile.json', { ...made, request: HOSTILE })], [2]);
    await expectClean(['verify', file('hostile.json', { ...made, schema: HOSTILE })], [2]);
    await expectClean(['verify', file('hostile.json', `${HOSTILE}{`)], [2]);
  });
});
