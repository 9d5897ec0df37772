import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ValidationDocument } from '../../../evidence/validating/document.ts';
import { ldpkit, ROOT } from '../../node/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'ldpkit-validate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Two validations that are over in a moment. */
const ONLY = ['--only', 'hinge-lemma-9', 'hinge-theorem-11-degree'];
const run = (...words: readonly string[]) => ldpkit(folder, ['validate', ...words]);

/** What is the same for every number of threads, stopped and gone on with or not. */
function numbers({ effort: _, command: __, validations, ...rest }: ValidationDocument): object {
  return { ...rest, validations: validations.map(({ effort: ___, ...one }) => one) };
}

describe('npm run validate', () => {
  test.each<[string, readonly string[], RegExp]>([
    [
      'what nothing answers to',
      ['--only', 'Theorem 999'],
      /"only" expected a paper .*no validation measures this item; npm run theory .*close are "Theorem .*, got "Theorem 999"/,
    ],
    ['another scale', ['--scale', 'huge'], /"scale" expected .*quick.*full.*, got "huge"/],
    ['no threads', ['--threads', '0'], /"threads" expected .*, got 0/],
    ['a folder that is a file', ['--out', join(ROOT, 'package.json')], /"out" expected a folder/],
    ['a folder below a file', ['--out', join(ROOT, 'package.json', 'out')], /"out" expected a folder, got/],
    ['an empty seed', ['--seed', ''], /"seed" expected a text that is not empty, got ""/],
    ['a seed for a list', ['--list', '--seed', 's'], /"seed" expected none: --list computes nothing, got "s"/],
  ])('refuses %s', async (_, words, message) => {
    const { status, stdout, stderr } = await run(...words);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(existsSync(join(folder, 'out'))).toBe(false);
  });

  test('lists what there is, and computes nothing', async () => {
    const [text, json] = await Promise.all([
      run('--list'),
      run('--list', '--json', '--only', 'noninteractive lemma 9'),
    ]);
    expect([text.status, text.stderr]).toEqual([0, '']);
    expect(text.stdout).toMatch(/^noninteractive: Wang, Smith, Xu 2020.*\n {2}[a-z0-9-]+ \(.+\): \w/m);
    expect(JSON.parse(json.stdout)).toEqual([
      expect.objectContaining({ name: 'hinge-lemma-9', paper: 'noninteractive', protocol: 'hinge' }),
    ]);
    expect(existsSync(join(folder, 'out'))).toBe(false);
  });

  test('writes one document and one page, and goes on with what it finds', async () => {
    const first = await run(...ONLY, '--threads', '1');
    expect(first.status).toBe(0);
    expect(first.stdout).toMatch(/^(\d+) of \1 claims met$/m);
    const place = join(folder, 'out/validate');
    expect(readdirSync(place).sort()).toEqual([
      'hinge-lemma-9',
      'hinge-theorem-11-degree',
      'report.html',
      'result.json',
    ]);
    const figures = readdirSync(join(place, 'hinge-lemma-9'));
    expect(figures).toContain('cells');
    expect(figures.filter((name) => name.endsWith('.svg')).length).toBeGreaterThan(0);
    const document: ValidationDocument = JSON.parse(readFileSync(join(place, 'result.json'), 'utf8'));

    // One chunk is gone and one is damaged: both are computed again, and all numbers are the same, on other threads.
    const cells = join(place, 'hinge-lemma-9', 'cells');
    const [gone, damaged] = readdirSync(cells);
    rmSync(join(cells, gone));
    writeFileSync(join(cells, damaged), '{}');
    const second = await run(...ONLY, '--threads', '2', '--json', '--out', place);
    const again: ValidationDocument = JSON.parse(second.stdout);
    expect(again.effort).toMatchObject({ computed: 2, reused: document.effort.computed - 2, unfit: 1, threads: 2 });
    expect(numbers(again)).toEqual(numbers(document));
    expect(JSON.parse(readFileSync(join(place, 'result.json'), 'utf8'))).toEqual(again);
  });

  test('prints one document with its seed, and writes nothing, with --json alone', async () => {
    const empty = mkdtempSync(join(folder, 'json-'));
    const words = ['validate', '--only', 'hinge-lemma-9', '--json', '--seed'];
    const [one, two] = await Promise.all([ldpkit(empty, [...words, 'a']), ldpkit(empty, [...words, 'b'])]);
    const documents = [one, two].map(({ stdout }) => JSON.parse(stdout) as ValidationDocument);
    expect(documents.map(({ seed, scale }) => [seed, scale])).toEqual([
      ['a', 'quick'],
      ['b', 'quick'],
    ]);
    expect(readdirSync(empty)).toEqual([]);
  });
});

/** Chunks before one that takes all the time there is, so that whoever means to end the run before its end does. */
const HOLD = 5;
const HELD = { ...process.env, HOLD: String(HOLD) };

/**
 * A protocol made up: a claim that is not met, chunks that take their time (all of it from number HOLD on), and a figure
 * that tries to leave its page.
 */
const MADE_UP = `
const hold = Number(process.env.HOLD ?? Infinity);
const wait = (time) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, time);
const axis = { label: '<n>', logarithmic: false };
const curves = ['measured', 'claimed'].map((name, style) => ({ name, style, dashed: style === 1, points: [{ x: 1, y: 2 }, { x: 2, y: 3 }] }));
export const validations = [{
  name: 'made-up', paper: 'slides', theorems: ['Nothing'], title: 'Made up', source: 'nowhere', summary: 'Made up', version: 1,
  cells: () => [{ key: 'only', label: 'only', setting: { time: 1 }, chunks: 20 }],
  smallRun: () => ({ time: 0 }),
  chunk: ({ time }, chunk, seed) => (wait(chunk < hold ? time : 1e9 * time), [chunk, seed]),
  report: ([{ chunks }]) => ({
    claims: [{ asked: 'much', measured: 'little', met: false }],
    tables: [], data: chunks,
    figures: [{ kind: 'curves', name: 'figure', title: 'Figure', x: axis, y: axis, curves, levels: [] }],
  }),
}];
`;

describe('a validation that is found by its folder alone', () => {
  const copy = join(folder, 'copy');
  const program = join(copy, 'test/evidence/run.mjs');
  const room = join(copy, 'test/evidence/made-up/validations');
  const words = ['validate', '--only', 'made-up', '--threads', '1', '--json'];
  beforeAll(() => {
    for (const place of ['dist', 'test/evidence']) cpSync(join(ROOT, place), join(copy, place), { recursive: true });
    cpSync(join(ROOT, 'package.json'), join(copy, 'package.json'));
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
    mkdirSync(room, { recursive: true });
    writeFileSync(join(room, 'index.ts'), MADE_UP);
  });

  let whole: ValidationDocument;

  test('ends with 3 where a claim is not met', async () => {
    const { status, stdout } = await ldpkit(folder, words, program);
    expect(status).toBe(3);
    whole = JSON.parse(stdout);
    expect(whole).toMatchObject({ claims: { met: 0, all: 1 }, validations: [{ protocol: 'made-up' }] });
  });

  test('goes on after it was killed, and ends the same', async () => {
    const out = join(folder, 'killed');
    const child = spawn(process.execPath, [program, ...words, '--out', out], { env: HELD, stdio: 'ignore' });
    const ended = new Promise((done) => child.on('close', done));
    const cells = join(out, 'made-up/cells');
    const kept = () => (existsSync(cells) ? readdirSync(cells).filter((name) => name.endsWith('.json')) : []);
    while (kept().length < 3) await new Promise((done) => setTimeout(done, 20));
    child.kill('SIGKILL');
    await ended;
    const before = kept().length;
    expect(before).toBeLessThanOrEqual(HOLD);
    const { stdout: resumed } = await ldpkit(folder, [...words, '--out', out], program);
    const document: ValidationDocument = JSON.parse(resumed);
    expect(document.effort).toMatchObject({ computed: 20 - before, reused: before });
    expect(numbers(document)).toEqual(numbers(whole));
  });

  test('says what is kept where it is interrupted', async () => {
    const out = join(folder, 'interrupted');
    const child = spawn(process.execPath, [program, ...words, '--out', out], {
      env: HELD,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const ended = new Promise((done) => child.on('close', done));
    const cells = join(out, 'made-up/cells');
    const kept = () => (existsSync(cells) ? readdirSync(cells).filter((name) => name.endsWith('.json')) : []);
    while (kept().length < 3) await new Promise((done) => setTimeout(done, 20));
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    const [, count] = /stopped; (\d+) chunks kept in .*interrupted, the same command goes on\n$/.exec(said) ?? [];
    expect(Number(count)).toBeGreaterThanOrEqual(3 - 1);
    // A file may be there before it is counted, never the other way round.
    expect(Number(count)).toBeLessThanOrEqual(kept().length);
    expect(kept().length).toBeLessThanOrEqual(HOLD);
    const { stdout } = await ldpkit(folder, [...words, '--out', out], program);
    expect(numbers(JSON.parse(stdout))).toEqual(numbers(whole));
  });

  test('is a fault of the program where its name is taken', async () => {
    writeFileSync(join(room, 'index.ts'), MADE_UP.replace("name: 'made-up'", "name: 'hinge-lemma-9'"));
    const { status, stdout, stderr } = await ldpkit(folder, words, program);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('hinge and made-up both have an experiment hinge-lemma-9');
  });
});
