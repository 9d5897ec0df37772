import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { ChunkComputer } from '../../../evidence/engine/chunk-threads.ts';
import { keptChunks, NOTHING_KEPT } from '../../../evidence/engine/kept-chunks.ts';
import type { ValidationDocument } from '../../../evidence/validating/document.ts';
import { runValidations } from '../../../evidence/validating/run.ts';
import { validationLines, validationNames } from '../../../evidence/validating/text.ts';
import { withoutScript } from '../../node/page-text.ts';
import { caller, unbalanced } from '../engine/call.ts';
import { computer } from '../engine/experiment.ts';
import { TOYS } from './toys.ts';

const call = caller();
const folder = mkdtempSync(join(tmpdir(), 'ldpkit-validate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ORIGIN = { scale: 'quick', seed: '<s>', version: '1.2.3', command: 'npm run validate' } as const;

/** How many chunks the cells of a toy have. */
const CHUNKS = 5;

function run(place?: string, by: ChunkComputer = computer(), found = TOYS): Promise<ValidationDocument> {
  return runValidations(found, ORIGIN, {
    computer: by,
    keptOf: (name) => (place === undefined ? NOTHING_KEPT : keptChunks(join(folder, place, name))),
    progress: { begin() {}, advance() {}, end() {} },
  });
}

/** All but how the computation went, of the whole and of each validation. */
function withoutEffort({ effort: _, validations, ...rest }: ValidationDocument): string {
  return JSON.stringify({ ...rest, validations: validations.map(({ effort: __, ...one }) => one) });
}

describe('a run of validations', () => {
  test('has them in the order of the papers, with their items and the count of claims', async () => {
    const { validations, claims, effort } = await run();
    const heads = validations.map(({ name, paper, theorems }) => [paper, name, ...theorems]);
    expect(heads).toEqual([
      ['noninteractive', 'hinge-rate', 'Theorem 11'],
      ['slides', 'slide-error', 'A naive estimator, error'],
      ['online-rates', 'rates-bound', 'Theorem 4', 'Corollary 1'],
      ['online-rates', 'rates-last', 'Theorem 11'],
    ]);
    expect(claims).toEqual({ met: 7, open: 0, all: 8 });
    expect(effort).toMatchObject({ computed: 4 * CHUNKS, threadSeconds: 2 * CHUNKS, reused: 0, unfit: 0, threads: 1 });
    expect(validations[0].effort).toEqual({ computed: CHUNKS, threadSeconds: CHUNKS / 2, reused: 0, unfit: 0 });
  });

  test('that was stopped goes on with the chunks that are there, and ends the same', async () => {
    const failing = computer(undefined, ({ chunk, experiment }) => chunk === 1 && experiment === 'slide-error');
    await expect(run('stopped', failing)).rejects.toThrow('chunk 1 of one of slide-error: "x" expected y');
    expect(readdirSync(join(folder, 'stopped')).sort()).toEqual(TOYS.map(({ experiment }) => experiment.name).sort());
    const rest = computer();
    const resumed = await run('stopped', rest);
    expect(rest.tasks.map(({ experiment, chunk }) => [experiment, chunk])).toEqual([
      ['slide-error', 1],
      ['slide-error', 1],
    ]);
    expect(resumed.effort).toMatchObject({ computed: 2, reused: 4 * CHUNKS - 2 });
    expect(withoutEffort(resumed)).toBe(withoutEffort(await run()));
  });

  test('of some goes on with what a run of all has computed', async () => {
    await run('some');
    const { effort } = await run('some', computer(), TOYS.slice(1, 2));
    expect(effort).toMatchObject({ computed: 0, reused: CHUNKS });
  });

  test('computes a damaged chunk again', async () => {
    const whole = await run('damaged');
    const path = join(folder, 'damaged', 'hinge-rate', 'cells', 'one.0.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"result":[2', '"result":[3'));
    const again = await run('damaged');
    expect(again.effort).toMatchObject({ computed: 1, reused: 4 * CHUNKS - 1, unfit: 1 });
    expect(withoutEffort(again)).toBe(withoutEffort(whole));
  });

  test('is a fault of the program where a chunk fails, and not a refusal of what was asked for', async () => {
    const error = await run(
      undefined,
      computer(undefined, () => true),
    ).catch((reason: Error) => reason);
    expect(error).not.toBeInstanceOf(RangeError);
  });
});

describe('what is said of validations', () => {
  test('is a line for each claim, by paper', async () => {
    const lines = validationLines(await run());
    expect(lines[0]).toMatch(/^scale quick, seed <s>; 20 chunks computed in [\d.]+ s on 1 thread$/);
    expect(lines.filter((line) => /^ {2}(?:met {4}|MISSED )/.test(line))).toHaveLength(8);
    expect(lines).toContain('  MISSED that of rates-last: so much');
    expect(lines).toContain('  rates-bound (Theorem 4; Corollary 1)');
    expect(lines.filter((line) => /^\w.*: /.test(line) && !line.startsWith('scale'))).toHaveLength(3);
    expect(lines[lines.length - 1]).toBe('7 of 8 claims met');
  });

  test('is a list of what there is', () => {
    const lines = validationNames(TOYS.map(({ experiment }) => experiment));
    expect(lines.filter((line) => line !== '').map((line) => line.split(/[:(]/)[0].trimEnd())).toEqual([
      'noninteractive',
      '  hinge-rate',
      'slides',
      '  slide-error',
      'online-rates',
      '  rates-bound',
      '  rates-last',
    ]);
  });

  test('is one page that escapes everything, loads nothing and runs nothing', async () => {
    const [page, all] = (await call(
      ['../validating/page', 'validationPage', await run()],
      ['../validating/page', 'validationPage', await run(undefined, computer(), TOYS.slice(0, 3))],
    )) as string[];
    expect(unbalanced(withoutScript(page).replace(/<style[^>]*>.*?<\/style>/gs, ''))).toEqual([]);
    expect(page).toContain('default-src &#39;none&#39;');
    expect(withoutScript(page)).not.toMatch(/<b>Toy|<i>|<script|src=|href="[^#]|NaN|undefined/);
    // Every link of the summary leads to a validation, and no name is there twice.
    const links = Array.from(page.matchAll(/href="#([^"]*)"/g), ([, name]) => name);
    const places = Array.from(page.matchAll(/ id="([^"]*)"/g), ([, name]) => name);
    expect(links).toEqual(['hinge-rate', 'slide-error', 'rates-bound', 'rates-last']);
    expect(places).toEqual(links);
    expect(page.match(/<figure>/g)).toHaveLength(2 * TOYS.length);
    expect(page.match(/<details>/g)).toHaveLength(TOYS.length);
    expect(page.match(/<h2>/g)).toHaveLength(1 + 3 + 1);
    expect(page).toContain('<td class="number missed">1 of 2</td>');
    expect(page).toContain('Not met: 1 of 8 claims, of rates-last.');
    expect(all).toContain('Every claim is met.');
    expect(all).not.toContain('Not met');
  });

  test('is plain data that survives JSON', async () => {
    const found = await run();
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
  });
});
