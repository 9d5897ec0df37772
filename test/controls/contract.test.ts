// Broken protocols: what the contract is for is shown by what it catches. Every law has a control that it has to notice.
import { describe, expect, test } from '@jest/globals';
import { generalizedLinear } from '../../protocols/generalized-linear/index.ts';
import { hinge } from '../../protocols/hinge/index.ts';
import { completed, refusalOf } from '../../src/testing/contract/law.ts';
import {
  assertContract,
  assertControls,
  CONTROLS,
  checkContract,
  checkControls,
  LAWS,
} from '../../src/testing/contract/laws.ts';
import { generalizedLinearCase } from '../protocols/generalized-linear-cases.ts';
import { type HingeCase, hingeCase } from '../protocols/hinge-cases.ts';

const sound: HingeCase = hingeCase({ variant: 'lifted', epsilon: 2, degree: 1, dimension: 2 });
const deployed: HingeCase = hingeCase({ variant: 'lifted', epsilon: 2, degree: 1, dimension: 2, grade: 'deployment' });
const sampled: HingeCase = hingeCase({ variant: 'sampled', epsilon: 2, degree: 1, dimension: 2 });

test('the sound protocol breaks no law', () => {
  expect(checkContract(hinge, [deployed, sampled])).toEqual([]);
  assertContract(hinge, [sound]);
});

test('every control has something to break on one of the two cases', () => {
  const idle = CONTROLS.filter(({ shows = () => true }) => ![sound, deployed].some((one) => shows(completed(one))));
  expect(idle.map(({ what }) => what)).toEqual([]);
});

describe.each([
  ['simulated', sound],
  ['deployed', deployed],
  ['sampled', sampled],
])('hinge, %s', (_, trial) => {
  test.each(CONTROLS)('$what breaks the law: $law', (control) => {
    expect(checkControls(hinge, [trial], [control])).toEqual([]);
  });
});

test('the controls are noticed in another protocol too', () => {
  const trial = generalizedLinearCase({ variant: 'lifted', epsilon: 2, degree: 1, dimension: 2, grade: 'deployment' });
  assertControls(generalizedLinear, [trial]);
});

test('a case that shows nothing is found out', () => {
  // All data are one: no clip forgets anything, and nobody is slower than others.
  const poor = { ...sound, data: Array.from({ length: 4 }, () => sound.data[0]), refused: {} };
  const unnoticed = `${sound.name}: a player that shows the datum in its refusal breaks no law`;
  const told = refusalOf(() => assertControls(hinge, [poor]))?.message.split('\n');
  expect(told).toEqual(expect.arrayContaining(['the cases of hinge show too little', unnoticed]));
});

test('a case without digits to look for is no test of what refusals show', () => {
  const { 'a text': text, null: nothing } = sound.refused;
  const laws = checkContract(hinge, [{ ...sound, refused: { text, nothing } }]).map(({ law }) => law);
  expect(laws).toEqual(['some refused datum has digits to look for']);
});

test('a call that throws where it should not is a violation, not an accident', () => {
  const throwing = (): never => {
    throw new Error('an accident');
  };
  const broken = { ...hinge, server: { ...hinge.server, empty: throwing } };
  const violations = checkContract(broken, [sound]);
  expect(violations.filter(({ found }) => found.includes('threw Error: an accident')).length).toBeGreaterThan(5);
  expect(() => assertContract(broken, [sound])).toThrow(/^hinge breaks its contract\n.*it does not hold that/);
});

test('every law has a control', () => {
  const caught = new Set([...CONTROLS.map(({ law }) => law), 'some refused datum has digits to look for']);
  expect(LAWS.map(({ sentence }) => sentence).filter((sentence) => !caught.has(sentence))).toEqual([]);
});
