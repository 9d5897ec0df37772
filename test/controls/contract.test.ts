// Broken protocols: what the contract is for is shown by what it catches. Every law has a control that only it need notice.
import { expect, test } from '@jest/globals';
import { hinge } from '../../protocols/hinge/index.ts';
import { checkContract, LAWS } from '../protocols/contract.ts';
import { type HingeCase, hingeCase } from '../protocols/hinge-cases.ts';
import { brokenHinge } from './broken.ts';
import { brokenClaims } from './broken-claims.ts';
import { brokenPlayers } from './broken-players.ts';
import { brokenServers } from './broken-servers.ts';
import { brokenWires } from './broken-wires.ts';

const sound: HingeCase = hingeCase({ variant: 'lifted', epsilon: 2, degree: 1, dimension: 2 });
const deployed: HingeCase = hingeCase({ variant: 'lifted', epsilon: 2, degree: 1, dimension: 2, grade: 'deployment' });
const controls = [...brokenClaims, ...brokenPlayers, ...brokenWires, ...brokenServers];

test('the sound protocol breaks no law', () => {
  expect(checkContract(hinge, [sound])).toEqual([]);
});

test.each(controls)('$what breaks the law: $law', (broken) => {
  const { parameters } = broken;
  const trial =
    parameters === undefined
      ? sound
      : { ...sound, make: () => parameters(sound.make()), others: sound.others.map((other) => parameters(other)) };
  const named = LAWS.filter(({ sentence }) => sentence === broken.law);
  const violations = checkContract(brokenHinge(broken), [trial], named);
  expect(violations.map(({ law }) => law)).toEqual([broken.law]);
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
  const violations = checkContract({ ...hinge, server: { ...hinge.server, empty: throwing } }, [sound]);
  expect(violations.filter(({ found }) => found.includes('threw Error: an accident')).length).toBeGreaterThan(5);
});

const DEVICE = 'a device plays what was agreed, or nothing, and whether it answers tells nothing of the datum';

test.each([
  ['makes other parameters from the request that was agreed', { make: () => deployed.others[0] }],
  [
    'refuses what is outside the domain',
    { player: { ...hinge.player, clip: (_: unknown, datum: unknown) => datum as never } },
  ],
])('a protocol whose device %s breaks the law of devices', (_, change) => {
  const believing = { ...hinge, ...change };
  expect(checkContract(hinge, [deployed])).toEqual([]);
  const laws = checkContract(
    believing,
    [deployed],
    LAWS.filter(({ sentence }) => sentence === DEVICE),
  );
  expect(laws.map(({ law }) => law)).toEqual([DEVICE]);
});

test('every law has a control', () => {
  const caught = new Set([...controls.map(({ law }) => law), 'some refused datum has digits to look for', DEVICE]);
  expect(LAWS.map(({ sentence }) => sentence).filter((sentence) => !caught.has(sentence))).toEqual([]);
});
