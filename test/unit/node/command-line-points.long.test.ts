import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ldpkit as ldpkitIn } from './command-line.ts';
import { scratchFolder } from './scratch.ts';

const ldpkit = (...words: readonly string[]) => ldpkitIn(tmpdir(), words);

const write = scratchFolder();

describe('ldpkit run euclidean-median', () => {
  test('plays on the destinations of the flights, as they are and with a share moved', async () => {
    const command =
      'run euclidean-median --players 20000 --epsilon 4,8 --moved 0,0.2 --variant lifted --degree 1 --json';
    const { status, stdout, stderr } = await ldpkit(...command.split(' '));
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'reading the flights\nplaying euclidean-median\n' });
    const { players, runs } = JSON.parse(stdout);
    expect(players).toBe(20_000);
    expect(runs.map(({ epsilon, moved }: { epsilon: number; moved: number }) => [moved, epsilon])).toEqual([
      [0, 4],
      [0, 8],
      [0.2, 4],
      [0.2, 8],
    ]);
    // At ε = 8 and a fifth moved: the mean is 1,838 km off without any noise.
    const last = runs.at(-1);
    expect(last.plainMean).toBeGreaterThan(1700);
    expect(last.median).toBeLessThan(last.mean / 2);
  });

  test('prints the same table twice', async () => {
    const command = 'run euclidean-median --players 2000 --epsilon 2 --moved 0.2';
    const [first, second] = await Promise.all([1, 2].map(() => ldpkit(...command.split(' '))));
    expect(first.stdout).toMatch(
      /^learnt +The server found [\s\S]*Each of 2,000 players \(destinations of flights\) [\s\S]*\nmoved +variant +ε +private median/,
    );
    expect(first.stdout).toMatch(/although 20 %\sof the players[\s\S]*wrote out\/report\.html\n$/);
    expect(first).toEqual(second);
  });

  test('draws points of a file in kilometres on no map, and tells what is below ten as it is', async () => {
    const rows = Array.from({ length: 300 }, (_, i) => `${(i % 7) / 10},${(i % 11) / 10}`);
    const folder = dirname(write('places.csv', `east,north\n${rows.join('\n')}\n`));
    const bounds = { minimum: 0, maximum: 1 };
    const coordinates = [
      { column: 'east', ...bounds },
      { column: 'north', ...bounds },
    ];
    write('places.json', JSON.stringify({ coordinates, unit: 'km' }));
    const words = 'run euclidean-median --data places.csv --schema places.json --epsilon 4';
    const { status, stdout } = await ldpkitIn(folder, words.split(' '));
    expect(status).toBe(0);
    expect(stdout).toMatch(/^0 +lifted +4 +0\.\d+ km/m);
    expect(readFileSync(join(folder, 'out/report.html'), 'utf8')).not.toContain('Census');
  });

  test.each([
    ['--data file.csv', '"schema" expected a file (--schema) that says what'],
    ['--threads 2', '"threads" expected none: euclidean-median is on points without labels'],
    ['--moved 1', '"moved" expected a share from 0 to below 1, got 1'],
    ['--variant best', '"variant" expected one of lifted, gaussian, copies, printed, got "best"'],
    ['--players 4000000', '"players" expected a whole number from 1 to 3000000, got 4000000'],
    ['--epsilon 0', '"epsilon" expected a finite number > 0, got 0'],
  ])('refuses %s', async (words, message) => {
    const { status, stdout, stderr } = await ldpkit('run', 'euclidean-median', ...words.split(' '));
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

test('records are not moved: the option is for points', async () => {
  const { status, stderr } = await ldpkit('run', 'hinge', '--moved', '0.2');
  expect(status).toBe(2);
  expect(stderr).toContain('"moved" expected none: records are not moved');
});

test('a protocol on points has certificates like any other', async () => {
  const { status, stdout } = await ldpkit('certify', 'euclidean-median', '--variant', 'lifted', '--dimension', '2');
  expect(status).toBe(0);
  expect(stdout).toContain('euclidean-median');
});
