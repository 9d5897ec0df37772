import { expect, test } from '@jest/globals';
import type { Uncertainty } from '../../../../src/inference/model-interval.ts';
import { uncertaintyNotes } from '../../../../src/node/report/verdict.ts';

const uncertainty = {
  level: 0.95,
  risk: null,
  effect: [1, 2],
  what: 'b is away from 0 by',
  enough: true,
  playersNeeded: null,
} as unknown as Uncertainty;
const run = { name: 'descent', who: 'records', players: 100, uncertainty, figure: String };

test('what the noise leaves open is told of where steps stopped, if they were not seen to end', () => {
  const [whole] = uncertaintyNotes(run);
  expect(whole).toBe('descent: the noise of the reports leaves open (95 % each) that b is away from 0 by 1 to 2');
  expect(uncertaintyNotes({ ...run, unfinished: false })).toEqual([whole]);
  expect(uncertaintyNotes({ ...run, unfinished: true })).toEqual([
    `${whole} (where its steps stopped: they were not seen to come to an end)`,
  ]);
});

test('a risk has a minus sign unless it rounds to nothing', () => {
  const [told] = uncertaintyNotes({ ...run, uncertainty: { ...uncertainty, risk: [-0.0004, 0.2] } });
  expect(told).toContain('that the risk is 0.000 to 0.200, and b is away');
  const [below] = uncertaintyNotes({ ...run, uncertainty: { ...uncertainty, risk: [-0.04, 0.2] } });
  expect(below).toContain('that the risk is −0.040 to 0.200, and b is away');
});

test('intervals of any level are told in per cent, without the error of a product', () => {
  const told = [0.55, 0.95, 0.999].map(
    (level) => uncertaintyNotes({ ...run, uncertainty: { ...uncertainty, level } })[0],
  );
  expect(told.map((text) => /\((.*) each\)/.exec(text)?.[1])).toEqual(['55 %', '95 %', '99.9 %']);
});

test('one record is one, and two are too few as well', () => {
  const few = { ...run, uncertainty: { ...uncertainty, enough: false } };
  const [one, two] = [1, 2].map((players) => uncertaintyNotes({ ...few, players })[1]);
  expect(one).toContain('descent: 1 record is too few to tell');
  expect(two).toContain('descent: 2 records are too few to tell');
  expect(two).toMatch(/, and how many would do cannot be told from an effect that noise alone may have made \(ldpkit /);
});
