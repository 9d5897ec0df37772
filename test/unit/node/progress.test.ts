import { expect, test } from '@jest/globals';
import { createProgress } from '../../../src/node/progress.ts';

test('without a terminal there is a line for a task, and one for every ten seconds that it takes', () => {
  const lines: string[] = [];
  let seconds = 0;
  const stream = { isTTY: false, write: (text: string) => lines.push(text) } as unknown as NodeJS.WriteStream;
  const { begin, advance, end } = createProgress(stream, () => 1000 * seconds);
  begin('playing', 3_000_000);
  for (const done of [1e5, 1e6, 1.5e6, 2e6, 3e6]) {
    seconds += 6;
    advance(done);
  }
  begin('measuring');
  seconds += 11;
  advance(7);
  end();
  seconds += 11;
  advance(8);
  expect(lines).toEqual([
    'playing\n',
    'playing: 1,000,000 of 3,000,000 (33 %)\n',
    'playing: 2,000,000 of 3,000,000 (66 %)\n',
    'measuring\n',
    'measuring: 7\n',
  ]);
});
