import { dirname } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { commandHost } from './command-host.ts';
import { scratchFolder } from './scratch.ts';
import { REGRESSION_SCHEMA, regressionCsv } from './stream/made-up.ts';

const write = scratchFolder();
const folder = dirname(write('readings.csv', regressionCsv(300)));
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
      '6 players are too few for intervals, which hold less often than in 95 %; at least 128 are needed',
    );
    expect(text).toContain('Before 128 players they do not');
    expect(text).not.toContain('leaves open (95 % each)');
  });

  test('and with more players only of its first checkpoints', async () => {
    const text = await said(...run, '300');
    expect(text).not.toContain('too few for intervals');
    expect(text).toContain('Before 128 players they do not');
    expect(text).toContain('leaves open (95 % each)');
  });
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
