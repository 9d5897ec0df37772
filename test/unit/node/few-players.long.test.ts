import { dirname } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { uniform } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { commandHost } from './command-host.ts';
import { scratchFolder } from './scratch.ts';
import { REGRESSION_SCHEMA, regressionCsv } from './stream/made-up.ts';

const write = scratchFolder();
const folder = dirname(write('readings.csv', regressionCsv(1200)));
write('readings.json', JSON.stringify(REGRESSION_SCHEMA));
const host = commandHost();
/** What a command says, its lines joined. */
async function said(...words: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await host(folder, words);
  expect({ status, refused: stderr.includes('ldpkit:') }).toEqual({ status: 0, refused: false });
  return stdout.replace(/\s+/g, ' ');
}

describe('a stream of few players', () => {
  const run = ['run', 'online-sgd', '--data', 'readings.csv', '--schema', 'readings.json', '--out', 'out', '--players'];

  test('says that its intervals do not hold, and what would be needed', async () => {
    const text = await said(...run, '6');
    expect(text).toContain(
      '6 players are too few for intervals, which hold less often than in 95 %; at least 1,035 are needed',
    );
    expect(text).toContain('Before 1,035 players they do not');
    expect(text).not.toContain('leaves open (95 % each)');
  });

  test('and with more players that the curvature which they found needs more still', async () => {
    const text = await said(...run, '1200');
    // The control: by the plan alone they would be enough.
    expect(text).toContain('1,200 players one after the other');
    expect(text).toMatch(/1,200 players are too few for intervals, .* at least [\d,]+ are needed/);
    expect(text).toContain('Before 1,035 players they do not');
    expect(text).not.toContain('leaves open (95 % each)');
  });

  test('is not said to have learnt, where its model is better than a constant', async () => {
    const text = await said(...run, '200', '--mu', '8');
    expect(text).toContain('came a model, and nothing tells that noise alone has not made it: these are too few');
    expect(text).not.toContain('the server learnt');
  });
});

test('classes that are rare whatever the features are no effect: intercepts are none', async () => {
  const random = seededRandom('classes');
  const rows = Array.from(
    { length: 20_000 },
    () => `${'AAAAAAAABC'[Math.floor(10 * uniform(random))]},${uniform(random)}`,
  );
  write('classes.csv', `y,a\n${rows.join('\n')}\n`);
  const features = [{ column: 'a', minimum: 0, maximum: 1 }];
  write('classes.json', JSON.stringify({ label: { column: 'y', classes: ['A', 'B', 'C'] }, features }));
  const words = ['--model', 'multinomial', '--data', 'classes.csv', '--schema', 'classes.json', '--out', 'classes'];
  const text = await said('run', 'online-sgd', ...words, '--mu', '30', '--gamma', '2');
  expect(text).toMatch(/[BC]: a, the clearest of 2 numbers/);
  expect(text).not.toContain('the server learnt');
});

test('a model of two players is not said to be learnt, although it finds the label of the one other record', async () => {
  write('three.csv', 'a,y\n5,yes\n7,no\n8,no\n');
  const label = { column: 'y', positive: 'yes', negative: 'no' };
  const features = [{ constant: 1 }, { column: 'a', minimum: 0, maximum: 100 }];
  write('three.json', JSON.stringify({ label, features, normalize: 'unit' }));
  const words = [
    '--data',
    'three.csv',
    '--schema',
    'three.json',
    '--variant',
    'lifted',
    '--epsilon',
    '1',
    '--out',
    'three',
  ];
  const text = await said('run', 'hinge', ...words);
  expect(text).toContain('came a model that noise alone may have made: its model finds the label of 100.0 % of');
  expect(text).not.toContain('the server learnt');
});

describe('a forecast for few players', () => {
  test('says that a search for the mean needs more', async () => {
    const words = ['forecast', 'user-level-mean', '--samples', '10000', '--spread', '0.5', '--players'];
    const few = await said(...words, '10');
    expect(few).toContain('user-level-mean: 10 players with 10,000 samples each');
    expect(few).toContain('oneBit: too few players to search for the mean, at least 375 are needed');
    expect(await said(...words, '1000')).not.toContain('too few players');
  });
});

describe('what is said of options', () => {
  const refused = async (...words: readonly string[]): Promise<string> => {
    const { status, stderr } = await host(folder, words);
    expect(status).toBe(2);
    return stderr;
  };

  test('names the field that was typed', async () => {
    expect(await refused('forecast', 'hinge', '--radius', '1e300')).toBe(
      'ldpkit: "radius" expected a number from 1e-6 to 1e6, got 1e+300\n',
    );
    expect(await refused('run', 'mean', '--workers', 'foo')).toContain(
      'ldpkit: "workers" expected addresses such as nats://a:4222,nats://b:4222, got "foo"\n',
    );
  });

  test('counts one player as one, and many in groups of three digits; a long forecast says what it does', async () => {
    expect(await said('forecast', 'mean', '--players', '1')).toContain('mean: 1 player, ');
    expect(await said('forecast', 'mean', '--players', '1e7')).toContain('mean: 10,000,000 players, ');
    const words = 'forecast euclidean-median --players 1e7 --dimension 1 --degree 1 --variant'.split(' ');
    expect((await host(folder, [...words, 'lifted'])).stderr).toBe('');
    const { stdout, stderr } = await host(folder, [...words, 'lifted,gaussian']);
    expect(stdout.replace(/\s+/g, ' ')).toContain('euclidean-median: 10,000,000 players, 1 coordinate, ');
    expect(stderr).toBe('forecasting euclidean-median\n');
  });
});

describe('a run on a file whose schema has no title', () => {
  test('is headed by what is asked, and the file; its sentences name the column', async () => {
    write(
      'people.csv',
      `who,age,happy\n${Array.from({ length: 300 }, (_, i) => `p${i % 60},${20 + (i % 50)},${i % 3 === 0 ? 'yes' : 'no'}`).join('\n')}\n`,
    );
    const age = { column: 'age', minimum: 0, maximum: 90 };
    const label = { column: 'happy', positive: 'yes', negative: 'no' };
    write('happy.json', JSON.stringify({ label, features: [{ constant: 1 }, age], normalize: 'unit' }));
    write('age.json', JSON.stringify({ player: ['who'], coordinates: [age] }));
    const of = (schema: string): string[] => ['--data', 'people.csv', '--schema', schema, '--out', 'out'];
    expect(await said('run', 'hinge', ...of('happy.json'))).toContain('hinge: happy (yes or no), people.csv ');
    const means = await said('run', 'user-level-mean', '--samples', '5', ...of('age.json'));
    expect(means).toContain('the mean of age is ');
    expect(means).toContain('user-level-mean: age, people.csv ');
  });
});

describe('what a guess tells is not learnt', () => {
  const rows = Array.from(
    { length: 3000 },
    (_, i) => `p${Math.floor(i / 2)},${100 + (i % 3)},${90 + (i % 5)},${'xxy'[i % 3]}`,
  );
  write('guess.csv', `who,pressure,low,kind\n${rows.join('\n')}\n`);
  const coordinates = [{ column: 'pressure', minimum: 60, maximum: 220 }];
  write('guess.mean.json', JSON.stringify({ coordinates }));
  write('guess.share.json', JSON.stringify({ label: { column: 'kind', classes: ['x', 'y', 'z'] } }));
  write(
    'guess.two.json',
    JSON.stringify({ player: 'who', coordinates: [...coordinates, { ...coordinates[0], column: 'low' }] }),
  );
  write('guess.user.json', JSON.stringify({ player: 'who', coordinates }));
  const on = (protocol: string, schema: string, epsilon: string): Promise<string> =>
    said('run', protocol, '--data', 'guess.csv', '--schema', schema, '--epsilon', epsilon, '--out', 'guess');

  test.each([
    ['mean', 'guess.mean.json', 'The interval holds the middle of the bounds'],
    ['frequency', 'guess.share.json', 'All intervals of shares hold equal shares'],
  ])('by a survey of a %s', async (protocol, schema, sentence) => {
    const few = await on(protocol, schema, '1e-6');
    expect(few).toContain('learnt A guess would have been as good: from 3,000 players');
    expect(few).toContain(sentence);
    const enough = await on(protocol, schema, '8');
    expect(enough).toContain('learnt From 3,000 players');
    expect(enough).not.toContain(sentence);
  });

  test('by a mean of players whose bounds leave out 0', async () => {
    const few = await on('user-level-mean', 'guess.user.json', '1e-6');
    expect(few).toMatch(/OneBit at ε = 0.000001, first run: 1,500 players are too few to tell/);
    const enough = await on('user-level-mean', 'guess.user.json', '8');
    // 220 and 60 have their middle at 140, and 101 is 39 below it.
    expect(enough).toMatch(/OneBit .* pressure is away from the middle of the bounds by 3[89].\d\d pressure to \d/);
    expect(enough).not.toMatch(/OneBit .* too few to tell/);
  });

  test('and the clearest of several means has the unit of one', async () => {
    const text = await on('user-level-mean', 'guess.two.json', '8');
    expect(text).toMatch(
      /the clearest of 2 numbers .* is away from the middle of the bounds by 0\.\d+ half ranges to 0/,
    );
    expect(text).toContain('half ranges, ℓ₂ over 2 coordinates');
  });
});
