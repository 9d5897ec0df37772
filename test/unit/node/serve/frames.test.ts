import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { framesIn, framesOf, type GrowingFile } from '../../../../src/node/serve/journal.ts';
import { newFolder } from './collector.ts';

/** A disk in memory: what was written, what was flushed, and whether it takes no more. */
function memoryDisk() {
  const disk = { written: Buffer.alloc(0), flushed: Buffer.alloc(0), flushes: 0, room: Infinity, flushFails: false };
  const file = {
    async write(bytes: Uint8Array, at: number, length: number, place: number) {
      await new Promise((resolve) => setImmediate(resolve));
      // A call writes a part only.
      const count = Math.min(length, 5, disk.room - place);
      if (count <= 0) throw new Error('no space');
      const end = Math.max(disk.written.length, place + count);
      const all = Buffer.concat([disk.written, Buffer.alloc(end - disk.written.length)]);
      all.set(bytes.subarray(at, at + count), place);
      disk.written = all;
      return { bytesWritten: count };
    },
    async datasync() {
      await new Promise((resolve) => setImmediate(resolve));
      if (disk.flushFails) throw new Error('the disk is broken');
      disk.flushed = Buffer.from(disk.written);
      disk.flushes++;
    },
    close: async () => undefined,
  };
  return { disk, file: file as unknown as GrowingFile };
}

/** The text that stands in frames. */
async function textOf(bytes: Uint8Array): Promise<string[]> {
  const path = join(newFolder(), 'frames');
  writeFileSync(path, bytes);
  const found: string[] = [];
  for await (const frame of framesOf(path)) found.push(frame.toString());
  return found;
}

describe('frames of a file', () => {
  test('are over when they are flushed and not before, and all that waits is one', async () => {
    const { disk, file } = memoryDisk();
    const frames = framesIn(file);
    const flushedAt: number[] = [];
    const write = async (text: string) => {
      await frames.write(Buffer.from(text));
      flushedAt.push(disk.flushes);
      expect(disk.flushed.includes(text)).toBe(true);
    };
    await Promise.all(['first', 'second', 'third', 'fourth'].map(write));
    expect(flushedAt).toEqual([1, 2, 2, 2]);
    expect(await textOf(disk.flushed)).toEqual(['first', 'secondthirdfourth']);
    // Control: before they are flushed they are not on the disk.
    const late = write('fifth');
    expect(disk.flushed.includes('fifth')).toBe(false);
    await late;
    await frames.shut();
  });

  test('that the disk does not take are refused, and what comes next stands in their place', async () => {
    const { disk, file } = memoryDisk();
    const frames = framesIn(file);
    await frames.write(Buffer.from('first'));
    disk.room = disk.written.length + 36;
    await expect(frames.write(Buffer.from('a long one that is cut short'))).rejects.toThrow('no space');
    disk.room = Infinity;
    disk.flushFails = true;
    await expect(frames.write(Buffer.from('lost'))).rejects.toThrow('broken');
    disk.flushFails = false;
    await frames.write(Buffer.from('of so many bytes as before'));
    await frames.write(Buffer.from('last'));
    await frames.shut();
    expect(await textOf(disk.flushed)).toEqual(['first', 'of so many bytes as before', 'last']);
  });

  test('of which one has changed on the disk are refused, and a last one that was cut short is left out', async () => {
    const { disk, file } = memoryDisk();
    const frames = framesIn(file);
    for (const text of ['first', 'second', 'third']) await frames.write(Buffer.from(text));
    const open = Buffer.from(disk.flushed);
    await frames.shut();
    const whole = Buffer.from(disk.flushed);
    // An empty frame ends the file: only its head.
    expect(whole.length).toBe(open.length + 16);
    const changed = (bytes: Buffer, place: number): Buffer => {
      const other = Buffer.from(bytes);
      other[place] ^= 1;
      return other;
    };
    // Whatever bit it is: letters, length, both sums, or the bytes themselves; also those of the last frame, since the file was ended.
    for (let place = 0; place < open.length; place++) {
      await expect(textOf(changed(whole, place))).rejects.toThrow('a frame is damaged');
    }
    // While the file is open the last frame may be one that was cut short, and nobody can say that it was not.
    const last = open.length - 16 - 'third'.length;
    for (let place = last; place < open.length; place++) {
      expect(await textOf(changed(open, place))).toEqual(['first', 'second']);
    }
    for (let length = last; length < open.length; length++) {
      expect(await textOf(open.subarray(0, length))).toEqual(['first', 'second']);
    }
    // Control: as it was written.
    expect(await textOf(open)).toEqual(['first', 'second', 'third']);
    expect(await textOf(whole)).toEqual(['first', 'second', 'third']);
  });

  test('that are longer than what is read at once are read whole', async () => {
    const { disk, file } = memoryDisk();
    const frames = framesIn({
      ...file,
      write: (async (bytes: Uint8Array) => {
        disk.written = Buffer.concat([disk.written, bytes]);
        return { bytesWritten: bytes.length };
      }) as unknown as GrowingFile['write'],
    });
    const texts = [3, 2_500_000, 1].map((length, at) => 'abc'[at].repeat(length));
    for (const text of texts) await frames.write(Buffer.from(text));
    const found = await textOf(disk.flushed);
    expect(found.map(({ length }) => length)).toEqual([3, 2_500_000, 1]);
    expect(found.map((text, at) => text === texts[at])).toEqual([true, true, true]);
    // A length that says more than the file has does not hide what comes after it.
    const damaged = Buffer.from(disk.flushed);
    damaged[3 + 16 + 16 + 7] = 255;
    await expect(textOf(damaged)).rejects.toThrow('a frame is damaged');
  });
});
