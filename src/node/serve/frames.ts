import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/**
 * A file of frames that only grows. A frame is a head of 16 bytes, and its bytes; all that waits for the disk at once is one frame, and is
 * flushed by one call. The head is four letters, the length of the bytes, their checksum (CRC-32), and one of these
 * and of the place of the frame in the file. An empty frame ends a file.
 */
export interface Frames {
  /**
   * Writes bytes at the end; over when they are on the disk. The event loop goes on meanwhile.
   *
   * @throws whatever the disk says: then what comes next stands in their place.
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Waits for all that was written, says that it is all, and closes the file. */
  shut(): Promise<void>;
}

/** How a frame begins. */
const LETTERS = Buffer.from('ldpj');
/** The bytes before those of a frame. */
const HEAD = 16;
/** A frame takes more until it has so many bytes. */
const FULL = 8 << 20;
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
        const frame = frameOf(
          now.map(({ bytes }) => bytes),
          end,
        );
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

  function write(bytes: Uint8Array): Promise<void> {
    return new Promise((done, failed) => {
      waiting.push({ bytes, done, failed });
      if (!busy) writing = writeAll();
    });
  }

  return {
    write,
    async shut() {
      await writing;
      try {
        await write(new Uint8Array(0));
      } finally {
        await file.close();
      }
    },
  };
}

/**
 * The bytes of the frames of a file in their order, up to the first that is not whole: a write was cut short there, or is
 * under way.
 *
 * @throws Error where a whole frame comes after one that is not, or the file begins in another way: bits have changed on the disk.
 */
export async function* framesOf(path: string): AsyncIterable<Buffer> {
  const damaged = (): Error => new Error(`${path}: a frame is damaged, and not the last one; ${ADVICE}`);
  let rest: Buffer = Buffer.alloc(0);
  /** Where the rest begins in the file. */
  let place = 0;
  let broken = false;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    if (place === 0 && isForeign(rest)) throw damaged();
    let at = 0;
    for (;;) {
      // A length may be what has changed, so a whole frame is looked for everywhere.
      if (broken) at = nextLetters(rest, at);
      if (rest.length < at + HEAD) break;
      const end = at + HEAD + rest.readUInt32LE(at + 4);
      const isHead =
        rest.compare(LETTERS, 0, LETTERS.length, at, at + LETTERS.length) === 0 &&
        rest.readUInt32LE(at + 12) === checkOf(rest.subarray(at, at + 12), place + at);
      if (isHead && rest.length < end) break;
      const bytes = rest.subarray(at + HEAD, end);
      if (isHead && crc32(bytes) === rest.readUInt32LE(at + 8)) {
        if (broken) throw damaged();
        if (bytes.length > 0) yield bytes;
        at = end;
      } else {
        broken = true;
        at++;
      }
    }
    rest = rest.subarray(at);
    place += at;
  }
}

/** Whether a file cannot have been begun here: not with the letters, nor with what a disk shows of a write that it has lost. */
function isForeign(bytes: Buffer): boolean {
  return bytes.length >= 4 && bytes.readUInt32LE() !== 0 && !LETTERS.equals(bytes.subarray(0, 4));
}

/** Where letters are next, or may begin at the end. */
function nextLetters(bytes: Buffer, from: number): number {
  const found = bytes.indexOf(LETTERS, from);
  return found === -1 ? Math.max(from, bytes.length - LETTERS.length + 1) : found;
}

function frameOf(parts: readonly Uint8Array[], place: number): Buffer {
  const frame = Buffer.concat([new Uint8Array(HEAD), ...parts]);
  const bytes = frame.subarray(HEAD);
  frame.set(LETTERS);
  frame.writeUInt32LE(bytes.length, 4);
  frame.writeUInt32LE(crc32(bytes), 8);
  frame.writeUInt32LE(checkOf(frame.subarray(0, 12), place), 12);
  return frame;
}

/** What ends a head, from its first 12 bytes and the place of the frame. */
function checkOf(first: Buffer, place: number): number {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(place);
  return crc32(bytes, crc32(first));
}

/** Writes all of the bytes: a call may write a part of them. */
async function writeAt(file: GrowingFile, bytes: Uint8Array, place: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    at += (await file.write(bytes, at, bytes.length - at, place + at)).bytesWritten;
  }
}
