import { describe, expect, test } from '@jest/globals';
import { inOptionWords, namingOptions } from '../../../../src/node/commands/option-words.ts';
import { stoppedText } from '../../../evidence/commands/stoppable.ts';

describe('a refusal', () => {
  test.each([
    ['"decay" expected below 1, got 1', '"alpha" expected below 1, got 1'],
    ['"rate" expected a finite number > 0, got 0', '"gamma" expected a finite number > 0, got 0'],
    ['"hessianFloor" expected a number > 0', '"hessian-floor" expected a number > 0'],
    ['"method" expected random scaling, got "batch means"', '"method" expected random-scaling, got "batch-means"'],
    ['"method" expected one, got "disjoint batch means"', '"method" expected one, got "disjoint-batch-means"'],
    ['"players" expected more, got 1', '"players" expected more, got 1'],
    // The name of a file, and a field within a schema, are nobody's option.
    ['"data" expected a file, got "batch means.csv"', '"data" expected a file, got "batch means.csv"'],
    ['"features[0].decay" expected a number', '"features[0].decay" expected a number'],
    ['out of memory', 'out of memory'],
  ])('%s names the option', (message, expected) => {
    expect(inOptionWords(message)).toBe(expected);
  });

  test('keeps its kind, and a fault of the program its words', async () => {
    const failing = (error: Error) => namingOptions(async () => Promise.reject(error))();
    await expect(failing(new RangeError('"burnIn" expected fewer'))).rejects.toThrow(
      new RangeError('"burn-in" expected fewer'),
    );
    await expect(failing(new Error('"decay" broke'))).rejects.toThrow('"decay" broke');
  });
});

test('what was stopped says what is kept', () => {
  expect(stoppedText('out', 1)).toBe('stopped; 1 part kept in out, the same command goes on');
  expect(stoppedText('out', undefined)).toBe('stopped; finished parts are kept in out, the same command goes on');
  expect(stoppedText(undefined, 3)).toBe('stopped; nothing is kept, for there is no --out');
});
