import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  commonMarks,
  createMarks,
  type Marks,
  markOf,
  playerMark,
  restoreMarks,
  saveMarks,
} from '../../../src/core/door.ts';

/** The marks of these ids. */
function marksOf(ids: Iterable<string | number | bigint>): Marks {
  const marks = createMarks();
  for (const id of ids) marks.add(playerMark(id));
  return marks;
}

const texts = (marks: Marks): string[] => Array.from(marks.values(), (mark) => mark.join(' ')).sort();

test('a set of marks is the set of what was marked, as it grows and as often as one is added', () => {
  const marks = createMarks();
  const known = new Set<string>();
  // Some 80 in each of the 256 tables: every table grows four times or more.
  for (let i = 0; i < 20_000; i++) {
    const mark = playerMark(`player ${i}`);
    if (marks.has(mark)) throw new Error(`player ${i} was there before`);
    marks.add(mark);
    if (i % 3 === 0) marks.add(mark);
    known.add(mark.join(' '));
  }
  expect(marks.size).toBe(20_000);
  expect(texts(marks)).toEqual([...known].sort());
  for (let i = 0; i < 20_000; i++) if (!marks.has(playerMark(`player ${i}`))) throw new Error(`player ${i} is missing`);
  for (let i = 20_000; i < 40_000; i++)
    if (marks.has(playerMark(`player ${i}`))) throw new Error(`player ${i} is there`);
});

test('marks that meet in one slot, and at the end of a table, are kept apart', () => {
  // The first word is the slot and the last the table: all of these fall together, and run over the end.
  const crowd = Array.from({ length: 500 }, (_, i) => Uint32Array.of(2 ** 32 - 1, i % 7, i, 256));
  const marks = createMarks();
  for (const mark of crowd) marks.add(mark);
  expect([marks.size, crowd.every((mark) => marks.has(mark))]).toEqual([500, true]);
  for (const at of [0, 1, 2, 3]) {
    const other = Uint32Array.from(crowd[0]);
    other[at] += at === 3 ? 256 : 1000;
    expect(marks.has(other)).toBe(false);
  }
});

test('the marks that two sets have in common', () => {
  const [few, many] = [marksOf([1, 2, 3]), marksOf(['2', 3n, 4, 5, 6])];
  expect([commonMarks(few, many), commonMarks(many, few), commonMarks(few, createMarks())]).toEqual([2, 2, 0]);
});

test('two ids have one mark only when they are one text, lone surrogates and all encodings included', () => {
  const ids = [
    '\ud800',
    '\udfff',
    '\ufffd',
    '\ud800\udc00',
    'é',
    'e\u0301',
    'Ã©',
    '\u0101',
    '\u0001\u0001',
    'a',
    '\u0061\u0000',
  ];
  expect(new Set(ids.map((id) => playerMark(id).join())).size).toBe(ids.length);
  // What TextEncoder makes of lone surrogates, and the low bytes alone, are not what is marked: both would be one here.
  expect(new TextEncoder().encode('\ud800')).toEqual(new TextEncoder().encode('\udfff'));
  const unit = fc.integer({ min: 0, max: 65535 }).map((code) => String.fromCharCode(code));
  const near = fc.constantFrom('\ud800', '\udc00', '\u0100', '\u0000', '\u0001', 'a', '\u00ff');
  const id = fc.array(fc.oneof(unit, near), { minLength: 1, maxLength: 4 }).map((units) => units.join(''));
  fc.assert(
    fc.property(id, id, (left, right) => (playerMark(left).join() === playerMark(right).join()) === (left === right)),
    { numRuns: 2000, seed: 13 },
  );
});

test('a mark is the first half of a SHA-256', () => {
  // The published example: "abc".
  const hex = Buffer.from(markOf(new Uint8Array([97, 98, 99])).buffer).toString('hex');
  expect(hex).toBe('ba7816bf8f01cfea414140de5dae2223');
});

test('saved marks come back, without a trace of the ids', () => {
  const ids = Array.from({ length: 1000 }, (_, i) => `player ${i}`);
  const marks = marksOf(ids);
  const saved = saveMarks(marks, 'plan');
  expect(saved.length).toBe(16 * 1001);
  expect(Buffer.from(saved).includes('player')).toBe(false);
  // From memory that is not aligned too.
  const shifted = new Uint8Array(saved.length + 1);
  shifted.set(saved, 1);
  for (const bytes of [saved, shifted.subarray(1)]) {
    const restored = restoreMarks('saved', bytes, 'plan');
    expect([restored.size, commonMarks(restored, marks)]).toEqual([1000, 1000]);
  }
  expect(restoreMarks('saved', saveMarks(createMarks(), 'plan'), 'plan').size).toBe(0);
});

test('marks that were not saved so, or for others, are refused', () => {
  const saved = saveMarks(marksOf([1, 2, 3]), 'plan');
  for (let i = 0; i < saved.length; i++) {
    const damaged = saved.slice();
    damaged[i] ^= 1 << (i % 8);
    expect(() => restoreMarks('answered', damaged, 'plan')).toThrow(/^"answered" expected the bytes that were saved/);
  }
  const one = saveMarks(marksOf([1]), 'plan');
  const lies = [
    new Uint8Array(0),
    saved.slice(1),
    saved.slice(16),
    new Uint8Array(16),
    new Uint8Array([...saved, ...saved]),
  ];
  for (const bytes of [...lies, saved.slice(0, -16), one.subarray(0, 16)]) {
    expect(() => restoreMarks('answered', bytes, 'plan')).toThrow(/^"answered" expected the bytes that were saved/);
  }
  expect(() => restoreMarks('answered', saved, 'other plan')).toThrow(/^"answered" expected the bytes that were saved/);
  for (const strange of [null, 'text', [...saved], new Proxy(saved, {})]) {
    expect(() => restoreMarks('answered', strange, 'plan')).toThrow('"answered" expected a Uint8Array');
  }
});
