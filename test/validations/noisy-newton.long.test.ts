// The validations of noisy Newton at the quick scale. False alarms at another seed: slopes and means are held to 4.5 standard
// errors, 7e-6 each if they are normal and below 1e-3 for the shares and squares they are made of; attacks to bounds that fail with
// 2e-4; bounds without noise never. This seed is fixed.
import { validations } from '../evidence/noisy-newton/validations/index.ts';
import { altered, testValidations } from './controls.ts';
import { COMPUTED, controlsOf, noisier } from './noisy-controls.ts';

/** Rows by replication and step, changed. */
const rows = (field: string, change: (row: readonly number[]) => readonly number[]) =>
  altered((chunk) => ({ [field]: (chunk[field] as number[][]).map((row) => [...change(row)]) }));

/** Every gradient half as large, so that the next is twice as much of its square. */
const twice = (row: readonly number[]): readonly number[] => row.map((gradient) => gradient / 2);

testValidations(
  validations,
  'noisy Newton',
  controlsOf('noisy-newton', {
    'noisy-newton-privacy': [
      ['noise that is 5 % too small', 'noise of all iterates', noisier('gradients', 0.95)],
      ['noise that is 5 % too large', 'noise of a step by a noisy Hessian', noisier('hessians', 1.05)],
      ['noise that is 5 % too small', 'noise of the last iterate of the warm-up', noisier('warm-up', 0.95)],
    ],
    'noisy-newton-matrix-noise': [
      ['a pair that is farther apart', 'are at most √2·B̄/n apart', altered(() => ({ random: 1.5 }))],
      ['a supremum that is not reached', 'within 1e-12: √2·B̄/n', altered(() => ({ axes: 1.4 }))],
      ['a printed scale that is exact', 'as printed', altered(() => ({ axes: 2 }))],
      ['a Hessian of rank two', 'condition: the Hessian', altered(() => ({ second: 0.01 }))],
      ['a factor beyond its bound', 'condition: the Hessian', altered(() => ({ largest: 1.01 }))],
      ['a Hessian that is not the derivative', 'central differences', altered(() => ({ slope: 0.01 }))],
    ],
    'noisy-newton-steps': [
      ['steps that only halve', 'every step squares', rows('gradients', (row) => row.map((_, k) => row[0] * 2 ** -k))],
      ['steps that only halve', 'the order is 2', rows('gradients', (row) => row.map((_, k) => row[0] * 2 ** -k))],
      [
        'steps that only halve',
        'after K = ⌈log log n⌉',
        rows('distances', (row) => row.map((_, k) => row[0] * 2 ** -k)),
      ],
      [
        'one step that is enough',
        'and no step less',
        rows('distances', ([first, ...rest]) => [first, ...rest.map(() => 0)]),
      ],
      [
        'two steps at most, whatever n is',
        'after K = ⌈log log n⌉',
        rows('distances', (row) => row.map((d, k) => (k < 2 ? d : row[2]))),
      ],
      ['a bound that is half of what was measured', 'every step squares', rows('gradients', twice)],
      ['a bound that is never reached', 'nearly reached', rows('gradients', (row) => row.map((g) => g * 2))],
      ['a start that is not refused', 'a plan that knows L', altered(() => ({ refused: 0 }))],
    ],
  }),
  COMPUTED,
);
