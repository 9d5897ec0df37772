import { expect, test } from '@jest/globals';
import { stoppedText } from '../../evidence/commands/stoppable.ts';

test('what was stopped says what is kept', () => {
  expect(stoppedText('out', 1)).toBe('stopped; 1 chunk kept in out, the same command goes on');
  expect(stoppedText('out', undefined)).toBe('stopped; finished chunks are kept in out, the same command goes on');
  expect(stoppedText(undefined, 3)).toBe('stopped; nothing is kept, for there is no --out');
});
