import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ldpkit as ldpkitIn, PEOPLE_SCHEMA, peopleCsv } from './command-line.ts';

let folder: string;
const ldpkit = (words: string) => ldpkitIn(folder, words.split(' '));
const RUN = 'run hinge --data people.csv --schema people.json --epsilon 1,2 --variant lifted --repetitions 2';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ldpkit-parts-'));
  writeFileSync(join(folder, 'people.csv'), peopleCsv(2000));
  writeFileSync(join(folder, 'other.csv'), peopleCsv(1999));
  writeFileSync(join(folder, 'people.json'), JSON.stringify(PEOPLE_SCHEMA));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A document without its times, which are the only numbers that two runs differ in. */
function withoutTimes(json: string): unknown {
  return JSON.parse(json, (key, value) => (/^(?:seconds|reportsPerSecond)$/.test(key) ? undefined : value));
}

test('parts of a run, merged, are the run: the document and the table', async () => {
  for (const part of [1, 2]) {
    const { status, stdout } = await ldpkit(`${RUN} --part ${part}/2 --threads 1 --out part-${part}`);
    expect({ status, stdout }).toEqual({ status: 0, stdout: `wrote part-${part}: part ${part} of 2, 2 jobs\n` });
  }
  const alone = await ldpkit(`${RUN} --json`);
  const merged = await ldpkit('merge part-2 part-1 --json');
  expect(merged.status).toBe(0);
  expect(withoutTimes(merged.stdout)).toEqual(withoutTimes(alone.stdout));
  const shown = await ldpkit('merge part-1 part-2 --out merged');
  expect(shown.stdout).toContain('wrote merged/report.html');
  expect(readFileSync(join(folder, 'merged/report.html'), 'utf8')).toContain('ldpkit run hinge');

  const other = await ldpkit('merge part-1 part-2 --data other.csv');
  expect(other).toMatchObject({ status: 2, stdout: '' });
  expect(other.stderr).toContain('got other content of data');
});

test('a stream has no parts, and a part prints nothing', async () => {
  const stream = await ldpkit('run online-sgd --part 1/2');
  expect(stream.stderr).toContain('"part" expected none: in online-sgd one player comes after the other');
  const printed = await ldpkit(`${RUN} --part 1/2 --json`);
  expect(printed.stderr).toContain('"json" expected none beside --part');
  expect((await ldpkit(`${RUN} --part 3/2`)).stderr).toContain('such as 17/64');
  // Before any work is done for it, and so without a word of progress.
  mkdirSync(join(folder, 'taken'));
  expect((await ldpkit(`${RUN} --part 1/2 --out taken`)).stderr).toBe(
    'ldpkit: "out" expected no folder of this name, got "taken"\n',
  );
});
