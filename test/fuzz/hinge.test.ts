import { test } from '@jest/globals';
import { expectSound } from './fuzzing.ts';
import { trials } from './trial.ts';

// Those of the other protocols that report moments of a record are in reports.long.test.ts.
test.each(trials('hinge'))('$name: 12000 mutated reports are refused, or are what was sent', expectSound);
