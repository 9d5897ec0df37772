import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/**
 * A file of frames that only grows. A frame is its length and checksum (CRC-32), each as 4 bytes, and its bytes; all that waits for the
 * disk at once is one frame, and is flushed by one call.
 */
export interface Frames {
  /**
   * Writes bytes at the end; over when they are on the disk. The event loop goes on meanwhile.
   *
   * @throws whatever the disk says: then what comes next stands in their place.
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Waits for all that was written, and closes the file. */
  shut(): Promise<void>;
}

/** The length and the checksum before a frame. */
const HEAD = 8;
/** A frame takes more until it has so many bytes. */
const FULL = 8 << 20;
/** No frame is longer, in bytes: a batch has 8 MiB, and what is added to a report is less than 30 times the shortest. */
const LONGEST = 512 << 20;
/** So many bytes are read at once. */
const CHUNK = 1 << 20;
/** What can be done where bits have changed. */
const ADVICE = 'put a copy of the file in its place, or move it away to go on without the reports in it';

interface Waiting {
  readonly bytes: Uint8Array;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** What frames need of a file. */
export type GrowingFile = Pick<FileHandle, 'write' | 'datasync' | 'close'>;

/** The frames of a file that is open and empty, and that nobody else writes. */
export function framesIn(file: GrowingFile): Frames {
  const waiting: Waiting[] = [];
  let writing = Promise.resolve();
  let busy = false;
  let end = 0;

  /** Those that go into the next frame. */
  function taken(): Waiting[] {
    let [count, size] = [0, 0];
    while (count < waiting.length && size < FULL) size += waiting[count++].bytes.length;
    return waiting.splice(0, count);
  }

  async function writeAll(): Promise<void> {
    busy = true;
    while (waiting.length > 0) {
      const now = taken();
      try {
        const frame = frameOf(now.map(({ bytes }) => bytes));
        await writeAt(file, frame, end);
        await file.datasync();
        end += frame.length;
        for (const { done } of now) done();
      } catch (error) {
        for (const { failed } of now) failed(error);
      }
    }
    // In the same turn as the last look: nobody who comes now waits for nothing.
    busy = false;
  }

  return {
    write(bytes) {
      return new Promise((done, failed) => {
        waiting.push({ bytes, done, failed });
        if (!busy) writing = writeAll();
      });
    },
    async shut() {
      await writing;
      await file.close();
    },
  };
}

/**
 * The bytes of the frames of a file in their order, up to the first that is not whole: a write was cut short there, or is
 * under way.
 *
 * @throws Error where a whole frame comes after one that is not: bits have changed on the disk.
 */
export async function* framesOf(path: string): AsyncIterable<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let damaged = false;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    let at = 0;
    while (rest.length >= at + HEAD) {
      const [length, sum] = [rest.readUInt32LE(at), rest.readUInt32LE(at + 4)];
      if (length === 0 || length > LONGEST) return;
      const end = at + HEAD + length;
      if (rest.length < end) break;
      const bytes = rest.subarray(at + HEAD, end);
      if (crc32(bytes) === sum) {
        if (damaged) throw new Error(`${path}: a frame is damaged, and a whole one comes after it; ${ADVICE}`);
        yield bytes;
      } else if (damaged) return;
      else damaged = true;
      at = end;
    }
    rest = rest.subarray(at);
  }
}

function frameOf(parts: readonly Uint8Array[]): Buffer {
  const frame = Buffer.concat([new Uint8Array(HEAD), ...parts]);
  const bytes = frame.subarray(HEAD);
  if (bytes.length > LONGEST) throw new Error('a frame is too long');
  frame.writeUInt32LE(bytes.length);
  frame.writeUInt32LE(crc32(bytes), 4);
  return frame;
}

/** Writes all of the bytes: a call may write a part of them. */
async function writeAt(file: GrowingFile, bytes: Uint8Array, place: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    at += (await file.write(bytes, at, bytes.length - at, place + at)).bytesWritten;
  }
}
