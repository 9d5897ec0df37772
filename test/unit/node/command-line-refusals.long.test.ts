import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ldpkit, MAIN, PEOPLE_SCHEMA, peopleCsv, ROOT } from './command-line.ts';
import { scratchFolder } from './scratch.ts';

const scratch = scratchFolder();
const written = new Set<string>();
/** Writes a file that is allowed to be there. */
const write = (name: string, content: string): string => {
  written.add(name);
  return scratch(name, content);
};
const folder = dirname(write('people.csv', peopleCsv(60)));
write('people.json', JSON.stringify(PEOPLE_SCHEMA));
write('zero.json', JSON.stringify({ ...PEOPLE_SCHEMA, features: [] }));
const elsewhere = scratchFolder();
const people = ['run', 'hinge', '--data', 'people.csv', '--schema', 'people.json'];

/** What is in the folder and was not written here. */
const added = (): string[] => readdirSync(folder).filter((name) => !written.has(name));

/**
 * A refusal is one message that begins with what is refused, and nothing else. Others run at once: the folder `.ldpkit-…` that tries
 * whether there is room to write may be theirs.
 */
async function refusalOf(...words: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await ldpkit(folder, words);
  expect({ status, stdout, added: added().filter((name) => !name.startsWith('.ldpkit-')) }).toEqual({
    status: 2,
    stdout: '',
    added: [],
  });
  const [message, ...others] = stderr
    .split('\n')
    .filter((line) => line !== '' && !/^(?:reading|\d+ runs? of)/.test(line));
  expect(others).toEqual([]);
  return message;
}

describe('an option is refused by name', () => {
  test.concurrent.each([
    ['--epsilon 0', 'ldpkit: "epsilon" expected a finite number > 0, got 0'],
    ['--epsilon -1', 'ldpkit: "epsilon" expected a finite number > 0, got -1'],
    ['--epsilon 1,NaN', 'ldpkit: "epsilon" expected a number, got "NaN"'],
    ['--epsilon 1e999', 'ldpkit: "epsilon" expected a finite number > 0, got Infinity'],
    ['--epsilon 1x', 'ldpkit: "epsilon" expected a number, got "1x"'],
    ['--epsilon 1,', 'ldpkit: "epsilon" expected a number, got ""'],
    ['--epsilon 2,2.0', 'ldpkit: "epsilon" expected values that are all different, got 2'],
    ['--epsilon 1 --epsilon 2', 'ldpkit: "epsilon" expected to be typed once, got "2"'],
    ['--delta 0', 'ldpkit: "delta" expected a number strictly between 0 and 1, got 0'],
    ['--delta 1', 'ldpkit: "delta" expected a number strictly between 0 and 1, got 1'],
    ['--degree -1', 'ldpkit: "degree" expected a whole number >= 0, got -1'],
    ['--degree 1.5', 'ldpkit: "degree" expected a whole number >= 0, got 1.5'],
    ['--degree 21', 'ldpkit: "degree" expected a whole number from 0 to 20, got 21'],
    ['--radius 0', 'ldpkit: "radius" expected a number from 1e-6 to 1e6, got 0'],
    [
      '--variant best',
      'ldpkit: "variant" expected one of lifted, gaussian, direct, sampled, copies, printed, got "best"',
    ],
    [
      '--players 51',
      'ldpkit: "players" expected at most 50, since 10 of 60 records are held out to measure on, got 51',
    ],
    ['--players 61', 'ldpkit: "players" expected a whole number from 1 to 50, got 61'],
    ['--players 1.5', 'ldpkit: "players" expected a whole number >= 1, got 1.5'],
    [
      '--train 60',
      'ldpkit: "train" expected a fraction or a whole number that leaves rows on both sides of 60, got 60',
    ],
    [
      '--server sigm',
      'ldpkit: "server" expected newton or none for variant direct: others are for noisy copies, got "sigm"',
    ],
    ['--variant gaussian --decoder signs', 'ldpkit: "decoder" expected none for variant gaussian, which has one only'],
    ['--variant copies --server best', 'ldpkit: "server" expected one of sigm, average, newton, sigm-with-replacement'],
    ['--variant copies --decoder product --server newton', 'ldpkit: "server" expected one that steps report by report'],
    ['--repetitions 0', 'ldpkit: "repetitions" expected a whole number from 1 to 10000, got 0'],
    ['--threads two', 'ldpkit: "threads" expected a number, got "two"'],
    ['--out people.csv', 'ldpkit: "out" expected a folder, got "people.csv"'],
    ['--colour red', "error: unknown option '--colour'"],
    ['--epsilon', "error: option '--epsilon <list>' argument missing"],
  ])('%s', async (words, message) => {
    expect(await refusalOf(...people, ...words.split(' '))).toContain(message);
  });
});

test.concurrent.each(['online-sgd', 'user-level-mean', 'euclidean-median'])(
  '%s has no server to choose',
  async (name) => {
    for (const option of ['server', 'decoder']) {
      expect(await refusalOf('run', name, `--${option}`, 'sigm')).toBe(
        `ldpkit: "${option}" expected none: it is for linear models from noisy copies of records, got "sigm"`,
      );
    }
  },
);

test.concurrent.each(['run', 'forecast'])('%s refuses a radius beyond which a loss is endless', async (command) => {
  const own = command === 'run' ? people.slice(2) : ['--players', '1e5', '--dimension', '3'];
  for (const radius of ['300', '1e6']) {
    const message = await refusalOf(command, 'generalized-linear', '--loss', 'exponential', '--radius', radius, ...own);
    expect(message).toContain('ldpkit: "radius" expected one within which loss and slope are at most 1e+100');
  }
});

test('a loss that reports of a variant cannot serve is refused before the records are read', async () => {
  const words = ['run', 'generalized-linear', '--data', 'none.csv', '--schema', 'people.json'];
  const refused = (...more: string[]) => refusalOf(...words, '--variant', 'sphericalLaplace', '--loss', ...more);
  expect(await refused('hinge')).toContain('ldpkit: "loss" expected one with derivatives of every order');
  expect(await refused('exponential', '--radius', '3')).toMatch(
    /^ldpkit: "radius" expected a number <= 0\.\d+, beyond/,
  );
  // Control: what it can serve fails for the file alone.
  expect(await refused('logistic')).toContain('none.csv');
});

describe('a file is refused by what it lacks, and nothing in it is told', () => {
  const header = 'age,<b>job</b>,happy';
  const fine = '40,z,yes\n50,z,no\n';
  // What must not be told.
  const secret = '86.753';
  test.concurrent.each([
    ['nan.csv', `${header}\n${fine}NaN,z,no`, 'ldpkit: "age" expected a finite number in row 3'],
    ['infinite.csv', `${header}\n${fine}-Infinity,z,no`, 'ldpkit: "age" expected a finite number in row 3'],
    ['far.csv', `${header}\n${fine}9${secret},z,no`, 'ldpkit: "age" expected a number from 0 to 90'],
    ['unknown.csv', `${header}\n${fine}1,${secret},no`, 'ldpkit: "<b>job</b>" expected one of the categories'],
    ['label.csv', `${header}\n${fine}1,z,${secret}`, 'ldpkit: "happy" expected'],
    ['gap.csv', `${header}\n${fine}1,,no`, 'ldpkit: "<b>job</b>" expected a value in row 3'],
    ['column.csv', `age,${secret},happy\n${fine}`, 'ldpkit: "data" expected a column named "<b>job</b>"'],
    ['long.csv', `${header}\n${fine}1,z,no,${secret}`, 'ldpkit: "data" expected 3 fields in row 3'],
    ['empty.csv', '', 'ldpkit: "data" expected a file that is not empty, got "empty.csv"'],
    ['header.csv', `${header}\n`, 'ldpkit: "data" expected a file with one or more records, got "header.csv"'],
    ['one.csv', `${header}\n1,z,no`, 'ldpkit: "data" expected a file with two or more records'],
    ['damaged.parquet', `PAR1${secret}`, 'ldpkit: "data" expected a Parquet file that is not damaged'],
    ['damaged.json', `[{"age": ${secret}`, 'ldpkit: "data" expected'],
    ['people.txt', `${header}\n${fine}`, 'ldpkit: "data" expected a file with the extension'],
  ])('%s', async (name, content, message) => {
    write(name, content);
    const refusal = await refusalOf('run', 'hinge', '--data', name, '--schema', 'people.json', '--out', 'out');
    expect(refusal).toContain(message);
    expect(refusal).not.toContain(secret);
  });

  const features = 'ldpkit: "features" expected a list of one or more features';
  test.concurrent.each([
    ['people.csv --schema none.json', 'ldpkit: "schema" expected a file that can be read, got "none.json"'],
    ['none.csv --schema people.json', 'ldpkit: "data" expected a file that can be read, got "none.csv"'],
    ['people.csv --schema people.csv', 'ldpkit: "schema" expected a JSON file, got "people.csv"'],
    ['people.csv', 'ldpkit: "schema" expected a file (--schema) that says what'],
    ['people.csv --schema zero.json', features],
  ])('--data %s', async (words, message) => {
    expect(await refusalOf('run', 'hinge', '--data', ...words.split(' '))).toContain(message);
  });
});

test('a failed run leaves earlier results as they were', async () => {
  const result = elsewhere('result.json', 'earlier');
  write('late.csv', `age,<b>job</b>,happy\n${'40,z,yes\n'.repeat(5000)}40,z,maybe\n`);
  const words = ['--data', 'late.csv', '--schema', 'people.json', '--out', dirname(result)];
  expect(await refusalOf('run', 'hinge', ...words)).toContain('"happy" expected');
  expect(readdirSync(dirname(result))).toEqual(['result.json']);
  expect(readFileSync(result, 'utf8')).toBe('earlier');
});

test.each([
  ['--schema people.json', 'ldpkit: "data" expected the file (--data) that --schema speaks of, got none'],
  ['--epsilon 0', 'ldpkit: "epsilon" expected a finite number > 0, got 0'],
])('without --data: %s', async (words, message) => {
  expect(await refusalOf('run', 'hinge', ...words.split(' '))).toBe(message);
});

test('when all are refused nothing is left behind', () => {
  expect(added()).toEqual([]);
});

test('an installed package without the flights asks for --data', async () => {
  const place = join(dirname(elsewhere('.keep', '')), 'package');
  mkdirSync(join(place, 'node_modules'), { recursive: true });
  cpSync(join(ROOT, 'dist'), join(place, 'dist'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(place, 'package.json'));
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(place, 'node_modules', name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(place, 'node_modules', name), 'junction');
  }
  const { status, stdout, stderr } = await ldpkit(place, ['run', 'hinge'], join(place, 'dist/src/node/main.js'));
  expect({ status, stdout, stderr }).toEqual({
    status: 2,
    stdout: '',
    stderr: 'ldpkit: "data" expected a file (--data), or the npm package vega-datasets for the flights, got neither\n',
  });
  expect(existsSync(join(place, 'out'))).toBe(false);
});

test('a reader that stops reading is no error', async () => {
  const child = spawn(process.execPath, [MAIN, 'certify', 'hinge'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const status = await new Promise((done) => child.on('close', done));
  expect({ status, complaint }).toEqual({ status: 0, complaint: '' });
});

test('progress that nobody reads ends no run', async () => {
  const words = [MAIN, 'audit', 'hinge', '--trials', '2000', '--threads', '1', '--json'];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stderr.destroy();
  let document = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (document += text));
  expect(await new Promise((done) => child.on('close', done))).toBe(0);
  expect(JSON.parse(document)).toMatchObject({ protocol: 'hinge', verdict: 'consistent' });
});

// A device of Linux that takes nothing, as a disk that is full.
(existsSync('/dev/full') ? test : test.skip)('an output without room is told in one line', async () => {
  const child = spawn(process.execPath, [MAIN, 'certify', 'hinge'], {
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  });
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const status = await new Promise((done) => child.on('close', done));
  expect({ status, complaint }).toEqual({
    status: 2,
    complaint: 'ldpkit: "output" expected a file or a pipe that takes what is printed, got ENOSPC\n',
  });
});
