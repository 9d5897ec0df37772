import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ldpkit as ldpkitIn } from './command-line.ts';

let folder: string;
const ldpkit = (words: string) => ldpkitIn(folder, words.split(' '));

const SCHEMAS = {
  'job.json': { title: '<b>Jobs</b> & more', label: { column: 'job', classes: ['farmer', 'baker', 'other'] } },
  'month.json': { label: { column: 'hired', part: 'month', classes: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] } },
  'age.json': { label: { column: 'age', edges: [10, 20, 40, 60, 80] } },
  'two.json': {
    coordinates: [
      { column: 'age', minimum: 10, maximum: 80 },
      { name: 'weekly hours', column: 'hours', minimum: 0, maximum: 50 },
    ],
  },
  'falling.json': { label: { column: 'age', edges: [10, 40, 20] } },
  'short.json': { label: { column: 'age', edges: [10, 40] } },
  'label.json': { label: { column: 'job', positive: 'farmer', negative: 'baker' } },
};

// 4,000 people: a half are farmers, a quarter bakers; ages 5, 15, …, 95 are equally frequent, and so are months.
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ldpkit-surveys-'));
  const rows = Array.from({ length: 4000 }, (_, i) => {
    const job = ['farmer', 'farmer', 'baker', 'other'][i % 4];
    const month = String((i % 12) + 1).padStart(2, '0');
    return `${job},${5 + 10 * (Math.floor(i / 4) % 10)},${i % 60},2001-${month}-17`;
  });
  writeFileSync(join(folder, 'people.csv'), `job,age,hours,hired\n${rows.join('\n')}\n`);
  for (const [name, schema] of Object.entries(SCHEMAS)) writeFileSync(join(folder, name), JSON.stringify(schema));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function document(words: string) {
  const { status, stdout, stderr } = await ldpkit(`${words} --json`);
  expect({ status, stderr: stderr.replace(/^(?:reading|playing|attacking) .*\n/gm, '') }).toEqual({
    status: 0,
    stderr: '',
  });
  return JSON.parse(stdout);
}

/** The distance of each estimate from the number in the clear, in halves of its interval. */
function apart(
  { quantities }: { quantities: { value: number; lower: number; upper: number }[] },
  truth: number[],
): number[] {
  return quantities.map(({ value, lower, upper }, i) => Math.abs(value - truth[i]) / ((upper - lower) / 2));
}

describe('ldpkit run of a survey on a file', () => {
  test('estimates the shares of categories', async () => {
    const found = await document('run frequency --data people.csv --schema job.json --epsilon 1,4');
    expect(found.truth).toEqual([0.5, 0.25, 0.25]);
    expect(found.estimate.quantities.map(({ name }: { name: string }) => name)).toEqual(['farmer', 'baker', 'other']);
    expect(found.runs.map(({ epsilon, variant }: never) => [epsilon, variant])).toEqual([
      [1, 'randomizedResponse'],
      [4, 'randomizedResponse'],
    ]);
    // Simultaneous intervals: the halves are 2.4 standard errors; four halves are nine, with probability below 1e-18.
    for (const run of found.runs) expect(Math.max(...apart(run, found.truth))).toBeLessThan(4);
    expect(found.runs[1].metrics.widest).toBeLessThan(found.runs[0].metrics.widest);
  });

  test('reads the part of a date', async () => {
    const found = await document('run frequency --data people.csv --schema month.json --epsilon 8');
    expect(found.truth[0]).toBeCloseTo(334 / 4000, 12);
    expect(Math.max(...apart(found.estimate, found.truth))).toBeLessThan(4);
  });

  test('estimates bins and quartiles, with numbers beyond the edges moved to them', async () => {
    const found = await document(
      'run frequency --data people.csv --schema age.json --epsilon 4 --variant subsetSelection',
    );
    expect(found.truth).toEqual([0.2, 0.2, 0.2, 0.4, 25, 45, 75]);
    expect(found.metrics.held).toBe(7);
    const quartiles = found.estimate.quantities.slice(4);
    expect(quartiles.map(({ name }: { name: string }) => name)).toEqual(['lower quartile', 'median', 'upper quartile']);
    // The interval of a quantile ends at edges.
    expect([quartiles[1].lower, quartiles[1].upper]).toEqual([40, 60]);
  });

  test('estimates means in the units of their columns', async () => {
    const found = await document('run mean --data people.csv --schema two.json --epsilon 1,8 --grade deployment');
    // Ages are cut off at 10 and 80, hours at 50: (10 + 15 + 25 + … + 75 + 80 + 80)/10, and (0 + … + 49 + 10·50)/60, nearly.
    expect(found.truth[0]).toBeCloseTo(48.5, 4);
    expect(found.truth[1]).toBeCloseTo((1225 + 500) / 60, 0);
    expect(found.runs.map(({ variant }: { variant: string }) => variant)).toEqual(['oneBit', 'kClosest']);
    for (const run of found.runs) expect(Math.max(...apart(run, found.truth))).toBeLessThan(4);
    expect(found.certificates.map(({ certificate }: never) => (certificate as { variant: string }).variant)).toEqual([
      'oneBit',
      'kClosest',
    ]);
  });

  test('prints a table and writes a page that shows names and obeys none of them', async () => {
    const { status, stdout } = await ldpkit(
      'run frequency --data people.csv --schema job.json --epsilon 2 --players 1000 --out there',
    );
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^frequency: <b>Jobs<\/b> & more\n[^:]*\sEach\s+of\s+1,000\s+players\s+sends\s+one\s+randomized\s+report\.$/m,
    );
    expect(stdout).toMatch(/\nfarmer +0\.\d+ +0\.\d+ +0\.\d+ +0\.\d+\n/);
    const page = readFileSync(join(folder, 'there/report.html'), 'utf8');
    expect(page).toContain('&lt;b&gt;Jobs&lt;/b&gt; &amp; more');
    expect(page).not.toContain('<b>Jobs');
    // Three categories against ε, a chart each, with an interval and a bar at every place.
    expect(page.match(/class="truth"/g)).toHaveLength(3);
    expect(page.match(/class="error"/g)).toHaveLength(3);
  });

  test.each([
    [
      'run frequency --data people.csv --schema falling.json',
      '"edges[2]" expected a finite number above the one before',
    ],
    ['run frequency --data people.csv --schema short.json', '"label.edges" expected a list of three or more numbers'],
    ['run frequency --data people.csv --schema label.json', '"label.classes" expected to be given'],
    ['run frequency --data people.csv --schema two.json', '"label" expected'],
    ['run frequency --data people.csv', '"schema" expected a file (--schema)'],
    ['run frequency --delta 1e-6', '"delta" expected none: the budget of frequency is pure'],
    ['run frequency --degree 2', '"degree" expected none: frequency asks about one category or a few numbers'],
    ['run mean --data people.csv --schema two.json --variant laplace', '"variant" expected one of oneBit, kClosest'],
    ['run mean --data people.csv --schema two.json --players 5000', '"players" expected a whole number from 1 to 4000'],
    ['forecast mean --epsilon 501', '"epsilon" expected a number from 1e-9 to 500, got 501'],
  ])('%s is refused', async (words, message) => {
    const { status, stdout, stderr } = await ldpkit(words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('from a schema alone, without data,', () => {
  test('a survey has certificates that verify', async () => {
    const listed = await document('certify frequency --schema age.json --grade deployment --epsilon 2');
    expect(listed.map(({ variant, grade }: never) => [variant, grade])).toEqual(
      ['randomizedResponse', 'hadamardResponse', 'subsetSelection'].map((variant) => [variant, 'deployment']),
    );
    expect(listed[0].request.edges).toEqual([10, 20, 40, 60, 80]);
    writeFileSync(join(folder, 'certificates.json'), JSON.stringify(listed));
    expect((await ldpkit('verify certificates.json')).status).toBe(0);
    writeFileSync(
      join(folder, 'smaller.json'),
      JSON.stringify(listed).replaceAll(
        '"claimed":{"kind":"pure","epsilon":2}',
        '"claimed":{"kind":"pure","epsilon":1}',
      ),
    );
    expect((await ldpkit('verify smaller.json')).status).toBe(3);
  });

  test('it is audited', async () => {
    const found = await document('audit mean --schema two.json --epsilon 1 --trials 40000 --threads 1');
    expect(found).toMatchObject({ protocol: 'mean', verdict: 'consistent' });
    expect(found.lowerBound).toBeGreaterThan(0.7);
  });

  test('it is forecast, and the error measured on the file is like it', async () => {
    const { rows } = await document('forecast frequency --schema job.json --players 4000 --epsilon 1');
    expect(rows.map(({ variant }: { variant: string }) => variant)).toHaveLength(3);
    const best = rows.find((row: { default: boolean }) => row.default);
    expect(best.error).toBe(Math.min(...rows.map(({ error }: { error: number }) => error)));
    const { runs } = await document('run frequency --data people.csv --schema job.json --epsilon 1 --repetitions 40');
    const squares = runs.map(({ metrics }: { metrics: { error: number } }) => metrics.error ** 2);
    const measured = Math.sqrt(squares.reduce((sum: number, one: number) => sum + one, 0) / 40);
    // The forecast has the sampling in it, which a simulation with fixed players has not (a tenth of the variance here); forty runs of two free shares
    // give a root with a relative deviation of .08.
    expect(measured / best.error).toBeGreaterThan(0.65);
    expect(measured / best.error).toBeLessThan(1.3);
  });
});
