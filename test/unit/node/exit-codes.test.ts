import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildSync } from 'esbuild';
import { ldpkit as ldpkitIn, PEOPLE_SCHEMA, peopleCsv, ROOT } from './command-line.ts';
import { scratchFolder } from './scratch.ts';

const write = scratchFolder();
const folder = dirname(write('people.json', JSON.stringify(PEOPLE_SCHEMA)));
const ldpkit = (words: string) => ldpkitIn(folder, words.split(' '));

/** One line, and nothing else. */
const refused = (message: string) => ({ status: 2, stdout: '', stderr: `ldpkit: ${message}\n` });

const REQUEST = '--request {"epsilon":2,"categories":4}';
const AUDIT = `${REQUEST} --trials 2000 --threads 1`;

/** The language says of a text that it is no symbol, and begins with this text. */
const MISTAKE = 'Symbol.keyFor(\'"epsilon"\')';

/** Modules that bring their own copy of the package along, as a designer's bundler makes them, and break in one place. */
const BROKEN = {
  'make.mjs': "make() { throw new RangeError('not today') }",
  'make-kind.mjs': 'make() { throw new TypeError(\'"request" expected another\') }',
  'player.mjs': 'player: { ...bits.player, randomize() { throw new RangeError(\'"datum" expected another\') } }',
  'thread-player.mjs': `player: { ...bits.player, randomize(...given) { if (!isMainThread) throw new RangeError('"datum" expected another'); return bits.player.randomize(...given) } }`,
  'own-refusal.mjs':
    'theory: { ...bits.theory, certificate() { throw new RefusedKind(\'"theory" expected another\') } }',
  'mistake.mjs': `theory: { ...bits.theory, certificate() { ${MISTAKE} } }`,
  'plain.mjs': 'theory: { ...bits.theory, certificate() { throw new RangeError(\'"a" expected b, got c\') } }',
  'thread.mjs': `theory: { ...bits.theory, guarantee(of) { if (!isMainThread) ${MISTAKE}; return bits.theory.guarantee(of) } }`,
  'thread-refusal.mjs':
    'theory: { ...bits.theory, guarantee(of) { if (!isMainThread) throw new RefusedValue(\'"theory" expected another\'); return bits.theory.guarantee(of) } }',
};

beforeAll(() => {
  const resolveDir = ROOT;
  const contents =
    "export { bits } from './test/protocols/defined/bits.ts'; export { RefusedKind, RefusedValue } from 'ldpkit';";
  buildSync({
    stdin: { contents, resolveDir, loader: 'ts' },
    outfile: join(folder, 'copy.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    alias: {
      ldpkit: join(ROOT, 'dist/src/index.js'),
      'ldpkit/mechanism': join(ROOT, 'dist/src/mechanism/index.js'),
      'ldpkit/privacy': join(ROOT, 'dist/src/privacy/index.js'),
    },
    mainFields: ['module', 'main'],
  });
  for (const [name, change] of Object.entries(BROKEN)) {
    const imports =
      "import { isMainThread } from 'node:worker_threads';\nimport { bits, RefusedKind, RefusedValue } from './copy.mjs';";
    write(name, `${imports}\nexport default { ...bits, ${change} };\n`);
  }
  write('old.csv', peopleCsv(3).replace(/\n\d+,/, '\n1000,'));
});

describe('a refusal ends with the exit code 2 and one line', () => {
  test.each([
    ['run hinge --epsilon 0', '"epsilon" expected a finite number > 0, got 0'],
    [`certify ./make.mjs ${REQUEST}`, 'not today'],
    [`audit ./make-kind.mjs ${AUDIT}`, '"request" expected another'],
    [`audit ./player.mjs ${AUDIT}`, '"datum" expected another'],
    [`certify ./own-refusal.mjs ${REQUEST}`, '"theory" expected another'],
  ])('in the main program: %s', async (words, message) => {
    expect(await ldpkit(words)).toEqual(refused(message));
  });

  test.each([
    [`audit ./thread-player.mjs ${AUDIT}`, '"datum" expected another'],
    [`audit ./thread-refusal.mjs ${AUDIT}`, '"theory" expected another'],
    [
      'run hinge --data old.csv --schema people.json',
      '"age" expected a number from 0 to 90 (or "clip" in the schema) in row 1 (line 2)',
    ],
  ])('in a thread: %s', async (words, message) => {
    const { status, stdout, stderr } = await ldpkit(words);
    // What a thread was doing may be said before.
    expect({ status, stdout, stderr: stderr.replace(/^(?:reading|counting|attacking).*\n/gm, '') }).toEqual(
      refused(message),
    );
  });
});

test.each(['await new Promise(() => {});', 'process.exit(0);'])(
  'a module that never loads or ends the process is told, and is no success: %s',
  async (text) => {
    write('never.mjs', text);
    expect(await ldpkit('certify ./never.mjs')).toEqual(
      refused('ended before the command was done: a module waits for what never comes, or ended the process'),
    );
  },
);

describe('a mistake in a program ends with the exit code 1 and the calls that led there, although its text begins with a quote,', () => {
  test.each([
    [`certify ./mistake.mjs ${REQUEST}`, 'TypeError: "epsilon" is not a symbol', 'certificate'],
    [`certify ./plain.mjs ${REQUEST}`, 'RangeError: "a" expected b, got c', 'certificate'],
    [`audit ./thread.mjs ${AUDIT}`, 'TypeError: "epsilon" is not a symbol', 'guarantee'],
  ])('%s', async (words, message, place) => {
    const { status, stdout, stderr } = await ldpkit(words);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr.split('\n')).toContain(message);
    expect(stderr).toMatch(new RegExp(`^ +at .*\\b${place} `, 'm'));
  });
});
