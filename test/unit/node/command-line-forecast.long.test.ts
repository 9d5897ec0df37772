import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { forecastMedian } from '../../../protocols/euclidean-median/forecast.ts';
import { euclideanMedianParameters } from '../../../protocols/euclidean-median/index.ts';
import { forecastMargin } from '../../../protocols/generalized-linear/margin/forecast.ts';
import { lifted } from '../../../protocols/hinge/index.ts';
import { normal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { hingeLoss } from '../../../src/risk/margin-loss.ts';
import { printedPlayers } from '../../evidence/hinge/table-1.ts';
import { ldpkit as ldpkitIn } from './command-line.ts';

const ldpkit = (...words: readonly string[]) => ldpkitIn(tmpdir(), words);
const small = ['--dimension', '3', '--degree', '1', '--variant', 'lifted'];

describe('ldpkit forecast', () => {
  test("prints the library's own forecast", async () => {
    const { status, stdout, stderr } = await ldpkit('forecast', 'hinge', ...small, '--players', '2e4', '--json');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { rows, players, loss } = JSON.parse(stdout);
    const { degree: _, ...expected } = forecastMargin(lifted({ epsilon: 1, degree: 1, dimension: 3 }), {
      players: 20_000,
      loss: hingeLoss(),
    });
    expect({ players, loss }).toEqual({ players: 20_000, loss: 'hinge' });
    expect(rows).toEqual([{ variant: 'lifted', degree: 1, ...expected }]);
  });

  test('prints a table for every variant', async () => {
    const { status, stdout } = await ldpkit('forecast', 'hinge', '--dimension', '2', '--degree', '0');
    expect(status).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[2]).toMatch(/^warning: nothing was declared, and this is a default: real labels are seldom fair/);
    expect(lines[4]).toMatch(/^variant +degree +bias +noise +excess risk +floor$/);
    expect(lines.slice(5).map((line) => line.split(' ')[0])).toEqual([
      'lifted',
      'gaussian',
      'direct',
      'sampled',
      'copies',
      'printed',
    ]);
  });

  test('leaves out a variant that cannot serve the loss, says why, and refuses it where it was typed', async () => {
    const words = 'forecast generalized-linear --loss hinge --dimension 2 --degree 1 --players 1000'.split(' ');
    const because = '"loss" expected one with derivatives of every order for sphericalLaplace, got hinge';
    const [{ stdout }, json, typed] = [
      await ldpkit(...words),
      await ldpkit(...words, '--json'),
      await ldpkit(...words, '--variant', 'lifted,sphericalLaplace'),
    ];
    expect(stdout).toContain(`\nwithout sphericalLaplace: ${because}\n`);
    const { rows, without } = JSON.parse(json.stdout);
    expect(rows.map(({ variant }: { readonly variant: string }) => variant)).toEqual(
      'lifted gaussian direct sampled copies printed'.split(' '),
    );
    expect(without).toEqual([{ variant: 'sphericalLaplace', because }]);
    expect([typed.status, typed.stderr]).toEqual([2, expect.stringContaining(`ldpkit: ${because}\n`)]);
  });

  test('names the radius at which a variance cannot be integrated', async () => {
    const words = 'forecast generalized-linear --dimension 2 --players 1000 --variant sphericalLaplace --radius 1e6';
    const { status, stderr } = await ldpkit(...words.split(' '));
    const because = '"radius" expected one at which the variance of sphericalLaplace can be integrated, got 1000000';
    expect([status, stderr]).toEqual([2, expect.stringContaining(`ldpkit: ${because}\n`)]);
  });

  test('has a noise of nearly 0, and no NaN, where ε is as large as 10²⁰', async () => {
    const words = 'forecast hinge --variant copies --epsilon 1e20 --players 1000 --json'.split(' ');
    const [{ noise }] = JSON.parse((await ldpkit(...words)).stdout).rows;
    expect(noise).toBeGreaterThanOrEqual(0);
    expect(noise).toBeLessThan(1e-6);
  });

  test('takes a declared law of margins, and says it in the place of the warning', async () => {
    const words = ['forecast', 'hinge', ...small, '--players', '1e5', '--margins', 'normal:0.3,0.3'];
    const { status, stdout, stderr } = await ldpkit(...words, '--label-noise', '0.2', '--json');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({ margins: 'normal:0.3,0.3', labelNoise: 0.2, dimension: 3 });
    expect(document.assumed).toMatch(/^declared: margins .* 0\.2 of the labels wrong; no data$/);
    expect(document).not.toHaveProperty('warning');
    const { rows } = JSON.parse((await ldpkit(...words, '--json')).stdout);
    // Without wrong labels the same reports are worth more.
    expect(rows[0].excessRisk).toBeLessThan(document.rows[0].excessRisk);
  });

  test('takes public records in the place of the made-up population, and says what would be planned', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'forecast-'));
    const random = seededRandom('public');
    const rows = Array.from({ length: 3000 }, () => {
      const a = normal(random);
      return `${a},${normal(random)},${a + normal(random) > 1 ? 'yes' : 'no'}`;
    });
    writeFileSync(join(folder, 'public.csv'), ['a,b,late', ...rows].join('\n'));
    const bounds = { minimum: -4, maximum: 4 };
    const schema = {
      label: { column: 'late', positive: 'yes', negative: 'no' },
      normalize: 'unit',
      features: [{ constant: 1 }, { column: 'a', ...bounds }, { column: 'b', ...bounds }],
    };
    writeFileSync(join(folder, 'schema.json'), JSON.stringify(schema));
    const file = ['--data', 'public.csv', '--schema', 'schema.json', '--json'];
    const words = ['forecast', 'hinge', '--radius', '2', '--players', '1e5', ...file];
    const { status, stdout, stderr } = await ldpkitIn(folder, words);
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'forecasting hinge\n' });
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({ dimension: 3, publicRecords: 3000, players: 1e5 });
    const { rows: found } = document;
    expect(found.map(({ variant }: { variant: string }) => variant)).toHaveLength(7);
    expect(found[0]).toMatchObject({ planned: true });
    // A quarter of the labels is positive: the constant has a risk of about .25, and the model is told what is constant.
    expect(found[0].excessRisk).toBeLessThan(0.02);
    const { status: both, stderr: why } = await ldpkitIn(folder, [...words, '--margins', 'uniform:0,1']);
    expect({ both, why }).toEqual({
      both: 2,
      why: 'ldpkit: "margins" expected none beside --data, whose records have margins and labels of their own\n',
    });
    const { stderr: named } = await ldpkitIn(folder, [...words, '--dimension', '5']);
    expect(named).toBe('ldpkit: "dimension" expected none beside --data, whose schema names the features, got 5\n');
    // The control: nobody's variant without a plan.
    expect(found.filter(({ planned }: { planned?: true }) => planned)).toHaveLength(1);
  });

  test('writes a floor of next to nothing without a sign', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'forecast-'));
    writeFileSync(
      join(folder, 'two.csv'),
      'a,b,y\n0.6329248216671022,0.6213754137074212,yes\n0.22631027932623204,0.3915267983672074,no\n',
    );
    const bounds = { minimum: 0, maximum: 1 };
    const label = { column: 'y', positive: 'yes', negative: 'no' };
    const features = [{ constant: 1 }, { column: 'a', ...bounds }, { column: 'b', ...bounds }];
    writeFileSync(join(folder, 'two.json'), JSON.stringify({ label, features, normalize: 'unit' }));
    const words = ['forecast', 'hinge', '--degree', '0', '--variant', 'lifted', '--players', '1000'];
    const file = ['--data', 'two.csv', '--schema', 'two.json'];
    const { stdout } = await ldpkitIn(folder, [...words, ...file]);
    // Rounding alone makes it: −1.7e-16.
    const { rows } = JSON.parse((await ldpkitIn(folder, [...words, ...file, '--json'])).stdout);
    expect(Math.abs(rows[0].floor)).toBeLessThan(1e-9);
    expect(stdout).toMatch(/^lifted +0 .* 0\.0000$/m);
    expect(stdout).not.toMatch(/-0\.0000/);
  });

  // Few: what the search for them finds is tested where it is made, in theory/forecast.
  test('prints the players needed for a target', async () => {
    const words = ['--dimension', '2', '--degree', '0', '--target', '0.05', '--variant', 'lifted'];
    const { status, stdout } = await ldpkit('forecast', 'hinge', ...words);
    expect(status).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[4]).toMatch(/^variant +degree +bias +noise +excess risk +floor +players for 0.05$/);
    expect(lines[5]).toMatch(/^lifted +0 .* [1-9]\.\de\+[23]$/);
  });

  test.each([
    ['--players 0', '"players" expected a whole number >= 1, got 0'],
    ['--players x', '"players" expected a number, got "x"'],
    ['--epsilon -1', '"epsilon" expected a finite number > 0, got -1'],
    ['--delta 1', '"delta" expected a number strictly between 0 and 1, got 1'],
    ['--dimension 0', '"dimension" expected a whole number >= 1, got 0'],
    ['--dimension 1001', '"dimension" expected a whole number from 1 to 1000, got 1001'],
    ['--loss no-such-loss', '"loss" expected one of hinge, got "no-such-loss"'],
    ['--signal 2', '"signal" expected a number in (0, 1], got 2'],
    ['--signal 0.5 --label-noise 0.1', '"signal" expected none beside --label-noise, which says the same, got 0.5'],
    ['--label-noise 0.5', '"label-noise" expected a number from 0 to below 0.5, got 0.5'],
    ['--margins even', '"margins" expected normal:MEAN,SD or uniform:LOW,HIGH, got "even"'],
    ['--margins uniform:0,2', '"margins" expected uniform:LOW,HIGH with -1 <= LOW < HIGH <= 1, got uniform:0,2'],
    ['--target 0', '"target" expected a finite number > 0, got 0'],
    ['--variant best', '"variant" expected one of lifted, gaussian, direct, sampled, copies, printed, got "best"'],
  ])('refuses %s', async (words, message) => {
    const { status, stdout, stderr } = await ldpkit('forecast', 'hinge', ...words.split(' '));
    expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: '', stderr: `ldpkit: ${message}\n` });
  });
});

describe('ldpkit forecast of a protocol on points', () => {
  test("prints the library's own forecast", async () => {
    const words = ['--dimension', '2', '--degree', '1', '--players', '2e4', '--variant', 'lifted', '--json'];
    const { status, stdout, stderr } = await ldpkit('forecast', 'euclidean-median', ...words);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const parameters = euclideanMedianParameters({ variant: 'lifted', epsilon: 1, degree: 1, dimension: 2 });
    const { degree: _, ...expected } = forecastMedian(parameters, { players: 20_000 });
    expect(JSON.parse(stdout).rows).toEqual([{ variant: 'lifted', degree: 1, ...expected }]);
  });

  test('prints a table; variants of copies have no degree 0, and of the printed one no number of players suffices', async () => {
    const words = ['--dimension', '2', '--target', '0.1', '--variant', 'printed'];
    const { status, stdout } = await ldpkit('forecast', 'euclidean-median', ...words);
    expect(status).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[1]).toBe(
      'assumed: four fifths of the points uniform in a ball of radius ¼ around 0.7e₁, a fifth at −e₁; no data',
    );
    expect(lines[3]).toMatch(/^variant +degree +bias +noise +excess risk +floor +players for 0.1$/);
    expect(lines[4]).toMatch(/^printed +1 +0.500 +\S+ +0.1512 +0.1512 +none$/);
  });

  test.each([
    ['--loss hinge', '"loss" expected none: euclidean-median is on points without labels, got "hinge"'],
    ['--signal 0.5', '"signal" expected none: euclidean-median is on points without labels, got "0.5"'],
    ['--variant copies --degree 0', '"degree" expected a whole number from 1 to 8, got 0'],
    ['--variant best', '"variant" expected one of lifted, gaussian, copies, printed, got "best"'],
    ['--radius 0', '"radius" expected a number from 1e-6 to 1e6, got 0'],
  ])('refuses %s', async (words, message) => {
    const { status, stdout, stderr } = await ldpkit('forecast', 'euclidean-median', ...words.split(' '));
    expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: '', stderr: `ldpkit: ${message}\n` });
  });
});

describe('npm run reproduce', () => {
  test('refuses a name that no protocol contributes to', async () => {
    const { status, stdout, stderr } = await ldpkit('reproduce', 'table-99');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^ldpkit: "name" expected one of .*table-1.*, got "table-99"\n$/);
  });

  test('the printed algorithm needs more players at a smaller target, and in proportion to p', () => {
    // In logarithms to base 10; p only enters the noise of copy 0, linearly.
    expect(printedPlayers(0.05, 5)).toBeGreaterThan(2 * printedPlayers(0.1, 5));
    expect(printedPlayers(0.1, 50) - printedPlayers(0.1, 5)).toBeCloseTo(1, 2);
  });
});
