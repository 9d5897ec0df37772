import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { locateFlights } from '../../src/node/flights.ts';

const folder = mkdtempSync(join(tmpdir(), 'ldpkit-parquet-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const flights = readFileSync(locateFlights());
const length = flights.readUInt32LE(flights.length - 8);
const footer = flights.subarray(flights.length - 8 - length, flights.length - 8);
const data = flights.subarray(0, flights.length - 8 - length);

/** A whole number as the footer has it: zigzag, seven bits a byte. */
function varint(value: bigint): Buffer {
  let rest = value < 0n ? -2n * value - 1n : 2n * value;
  const bytes: number[] = [];
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

/** The flights with another footer. */
function withFooter(changed: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(changed.length);
  return Buffer.concat([data, changed, size, Buffer.from('PAR1')]);
}

/** The footer with the first field 3 of that many rows saying something else: the rows of the file, before those of its groups. */
function withRows(rows: bigint): Buffer {
  const field = Buffer.concat([Buffer.from([0x16]), varint(3_000_000n)]);
  const at = footer.indexOf(field);
  if (at < 0) throw new Error('the footer has no such field');
  return Buffer.concat([footer.subarray(0, at + 1), varint(rows), footer.subarray(at + field.length)]);
}

function outcomeOf(content: Buffer): string {
  const path = join(folder, 'x.parquet');
  writeFileSync(path, content);
  const words = [resolve(__dirname, 'table.mjs'), path, 'delay'];
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.replace(/, got "\/.*"$/, '');
}

const DAMAGED = '"data" expected a Parquet file that is not damaged';

describe('a Parquet file', () => {
  test('is read where nothing was changed', () => {
    expect(outcomeOf(withFooter(withRows(3_000_000n)))).toBe('3000000 rows');
  });

  test.each([2n ** 50n, -5n, 0n, 3_000_001n, 2n ** 63n, 2n ** 200n])('that says it has %s rows is refused', (rows) => {
    expect(outcomeOf(withFooter(withRows(rows)))).toBe(DAMAGED);
  });

  test.each([
    ['no data', Buffer.concat([Buffer.from('PAR1'), withFooter(footer).subarray(data.length)])],
    ['half a footer', withFooter(footer.subarray(0, length >> 1))],
    ['half a footer, the other half', withFooter(footer.subarray(length >> 1))],
    ['an empty footer', withFooter(Buffer.alloc(0))],
    ['a number of a megabyte', withFooter(Buffer.concat([Buffer.from([0x16]), Buffer.alloc(2 ** 20, 0xff), footer]))],
    ['its marks only', Buffer.from('PAR1PAR1')],
    ['a footer longer than the file', Buffer.from('PAR1\xff\xff\xff\x00PAR1', 'latin1')],
  ])('with %s is refused', (_, content) => {
    expect(outcomeOf(content)).toBe(DAMAGED);
  });

  test('whose pages say other things than they are is refused', () => {
    // The column that is read begins somewhere in the data; whichever byte of it lies is found or changes a value, and breaks nothing.
    for (let i = 0; i < 3; i++) {
      const damaged = Buffer.from(data);
      damaged.fill(0xff, 4 + i, 5 + i);
      const size = flights.subarray(data.length);
      expect(outcomeOf(Buffer.concat([damaged, size]))).toMatch(/not damaged|3000000 rows/);
    }
  });
});
