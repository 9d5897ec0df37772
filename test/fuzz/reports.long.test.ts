import { test } from '@jest/globals';
import { expectSound } from './fuzzing.ts';
import { trials } from './trial.ts';

const others = ['generalized-linear', 'euclidean-median', 'frequency', 'mean'].flatMap((name) => trials(name));

test.each(others)('$name: 12000 mutated reports are refused, or are what was sent', expectSound);
