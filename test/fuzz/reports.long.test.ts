import { test } from '@jest/globals';
import { expectSound } from './fuzzing.ts';
import { trials } from './trial.ts';

const others = [...trials('generalized-linear'), ...trials('euclidean-median')];

test.each(others)('$name: 12000 mutated reports are refused, or are what was sent', expectSound);
