import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { Progress } from '../../../../src/node/progress.ts';
import type { ChunkComputer } from '../../../evidence/engine/chunk-threads.ts';
import { type ExperimentDocument, runExperimentCells } from '../../../evidence/engine/experiment-run.ts';
import { type KeptChunks, keptChunks, NOTHING_KEPT } from '../../../evidence/engine/kept-chunks.ts';
import type { PaperExperiment, Scale } from '../../../evidence/experiment/experiment.ts';
import { computer, TOY, toyChunk } from './experiment.ts';

const folder = mkdtempSync(join(tmpdir(), 'ldpkit-reproduce-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const silent: Progress = { begin() {}, advance() {}, end() {} };

function run(
  kept: KeptChunks,
  by: ChunkComputer = computer(),
  seed: string = 's',
  scale: Scale = 'quick',
  experiment: PaperExperiment = TOY,
) {
  const request = { protocol: 'toys', experiment, scale, seed, version: '1.2.3', command: 'npm run reproduce -- toy' };
  return runExperimentCells(request, { computer: by, kept, progress: silent });
}

/** All but how the computation went. */
function withoutEffort({ effort: _, ...rest }: ExperimentDocument): string {
  return JSON.stringify(rest);
}

describe('the cells of an experiment', () => {
  test('are reported in their order, whatever chunk is ready first', async () => {
    const forwards = await run(NOTHING_KEPT);
    const backwards = await run(
      NOTHING_KEPT,
      computer(({ chunk }) => 5 - chunk),
    );
    expect(withoutEffort(backwards)).toBe(withoutEffort(forwards));
    expect(forwards.data).toEqual([
      [0, 1].map((chunk) => toyChunk({ factor: 2 }, chunk, 's')),
      [0, 1, 2].map((chunk) => toyChunk({ factor: 5 }, chunk, 's')),
    ]);
    expect(forwards.effort).toMatchObject({ computed: 5, reused: 0, unfit: 0 });
  });

  test('that failed leave the finished chunks behind, and the next run computes the others alone', async () => {
    const place = join(folder, 'resumed');
    const failing = computer(undefined, ({ chunk }) => chunk === 1);
    await expect(run(keptChunks(place), failing)).rejects.toThrow('stopped');
    expect(readdirSync(join(place, 'cells')).sort()).toEqual(['one.0.json', 'two.0.json', 'two.2.json']);
    const rest = computer();
    const resumed = await run(keptChunks(place), rest);
    expect(rest.tasks.map(({ chunk }) => chunk)).toEqual([1, 1]);
    expect(resumed.effort).toMatchObject({ computed: 2, reused: 3, unfit: 0 });
    expect(withoutEffort(resumed)).toBe(withoutEffort(await run(NOTHING_KEPT)));
  });

  test('of a larger scale go on from those of a smaller one', async () => {
    const place = join(folder, 'scales');
    await run(keptChunks(place));
    const { effort } = await run(keptChunks(place), computer(), 's', 'full');
    expect(effort).toMatchObject({ computed: 1, reused: 5 });
  });

  test('are computed again with another seed', async () => {
    const place = join(folder, 'seeds');
    await run(keptChunks(place));
    const { effort, data } = await run(keptChunks(place), computer(), 'another seed');
    expect(effort).toMatchObject({ computed: 5, reused: 0, unfit: 5 });
    expect(data).toEqual((await run(NOTHING_KEPT, computer(), 'another seed')).data);
  });
});

test('what an experiment refuses is a fault of the experiment, which is named', async () => {
  const refuse = () => {
    throw new RangeError('"steps" expected a whole number >= 1, got 0');
  };
  const smallRun = run(NOTHING_KEPT, computer(), 's', 'quick', { ...TOY, smallRun: refuse });
  await expect(smallRun).rejects.toThrow(/^the small run of one of toy: "steps" expected/);
  const reporting = run(NOTHING_KEPT, computer(), 's', 'quick', { ...TOY, report: refuse });
  await expect(reporting).rejects.toThrow(/^the report of toy: "steps"/);
});

test('a figure that cannot be drawn is told when the chunks are done', async () => {
  const report = TOY.report([]);
  const wrong: PaperExperiment = {
    ...TOY,
    report: () => ({ ...report, figures: [...report.figures, ...report.figures] }),
  };
  await expect(run(NOTHING_KEPT, computer(), 's', 'quick', wrong)).rejects.toThrow(
    'toy: figure figure-1: its name is taken; figure figure-2: its name is taken',
  );
});

test('chunks of code that computes other numbers are computed again', async () => {
  const place = join(folder, 'marks');
  await run(keptChunks(place));
  const changed: PaperExperiment = { ...TOY, chunk: (setting, chunk, seed) => [toyChunk(setting, chunk, seed), 1] };
  const { effort } = await run(keptChunks(place), computer(), 's', 'quick', changed);
  expect(effort).toMatchObject({ computed: 5, reused: 0, unfit: 5 });
});

describe('a kept chunk', () => {
  const identity = {
    experiment: 'toy',
    version: 3,
    package: '1',
    seed: 's',
    key: 'k',
    setting: { a: [1] },
    mark: 'm',
    chunk: 0,
  };

  test('comes back as it was, to the last bit', async () => {
    const kept = keptChunks(join(folder, 'bits'));
    const result = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, { text: 'ψ' }];
    expect(await kept.read(identity)).toBe('absent');
    await kept.write(identity, result);
    expect(await kept.read(identity)).toEqual({ result });
  });

  test('is refused when anything that its numbers depend on differs', async () => {
    const kept = keptChunks(join(folder, 'heads'));
    await kept.write(identity, [1]);
    const others = [
      { experiment: 'other' },
      { version: 4 },
      { package: '2' },
      { seed: 't' },
      { setting: { a: [2] } },
      { mark: 'n' },
      { setting: { a: [1], b: 0 } },
    ];
    const answers = await Promise.all(others.map((other) => kept.read({ ...identity, ...other })));
    expect(answers).toEqual(others.map(() => 'unfit'));
    expect(await kept.read({ ...identity, chunk: 1 })).toBe('absent');
  });

  test('is refused when its file is damaged anywhere', async () => {
    const place = join(folder, 'damage');
    const kept = keptChunks(place);
    await kept.write(identity, [1.5, 2.5]);
    const path = join(place, 'cells', 'k.0.json');
    const whole = readFileSync(path, 'utf8');
    const answers: unknown[] = [];
    for (const text of ['', '{', 'null', '[]', whole.slice(0, -10), whole.replace('2.5', '2.25')]) {
      writeFileSync(path, text);
      answers.push(await kept.read(identity));
    }
    expect(answers).toEqual(new Array(6).fill('unfit'));
    writeFileSync(path, whole);
    expect(await kept.read(identity)).toEqual({ result: [1.5, 2.5] });
  });

  test('that cannot be written names the option', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    await expect(keptChunks(file).write(identity, [])).rejects.toThrow(
      '"out" expected a folder that can be written to',
    );
    expect(existsSync(join(file, 'cells'))).toBe(false);
  });
});
