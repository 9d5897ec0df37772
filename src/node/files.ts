import { createReadStream } from 'node:fs';
import { lstat, mkdir, mkdtemp, realpath, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { brief, printable, RefusedValue } from '../check/refusal.ts';

/** Longest path that is shown, in characters: the longest that a path can be. */
const LONGEST_PATH = 4096;

/**
 * An error about a file, with its whole path: `"data" expected a file that is not empty, got "people.csv"`. `expected`
 * must not quote the file.
 */
export function fileRefusal(name: string, expected: string, path: string): RefusedValue {
  return new RefusedValue(
    `"${name}" expected ${printable(expected)}, got ${brief(JSON.stringify(path), LONGEST_PATH)}`,
  );
}

/** Largest size of a JSON document that an option names, in bytes: thousands of times a schema or a certificate. */
const LARGEST_DOCUMENT = 2 ** 23;

/** The content of a JSON file that an option names. A refusal does not quote it: it may be the data file by mistake. */
export async function readJsonDocument(option: string, path: string): Promise<unknown> {
  const bytes = await readBytes(option, path, LARGEST_DOCUMENT);
  const parsed = parseJson(utf8Text(option, path, bytes, 'JSON').replace(/^\uFEFF/, ''));
  if ('fault' in parsed) throw fileRefusal(option, FAULTS[parsed.fault], path);
  return parsed.value;
}

const FAULTS: Readonly<Record<JsonFault, string>> = {
  JSON: 'a JSON file',
  'JSON without a key that an object has twice': 'a JSON file in which no object has a key twice',
  'JSON nested at most 100 deep': 'a JSON file nested at most 100 deep',
};

/** The bytes of a file that an option names; at most `most`, since the file may be a pipe, which has any length. */
export async function readBytes(option: string, path: string, most: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of createReadStream(path, { end: most })) {
      pieces.push(piece);
      length += (piece as Uint8Array).length;
    }
  } catch {
    throw fileRefusal(option, 'a file that can be read', path);
  }
  if (length > most) throw fileRefusal(option, `a file of at most ${most / 2 ** 20} MiB`, path);
  return Buffer.concat(pieces);
}

/** The bytes of a file as text. What is not UTF-8 is refused: one sign would take its place, and two texts could become one. */
export function utf8Text(option: string, path: string, bytes: Uint8Array, kind: string = 'text'): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw fileRefusal(option, `a ${kind} file in UTF-8`, path);
  }
}

/** Whether a value of JSON is an object, and no list. */
export function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Deepest nesting of values: many times that of any document of this program, and no risk for any stack. */
const DEEPEST = 100;

/** What is wrong with a text that should be JSON, in the words of an error message. */
export type JsonFault = 'JSON' | 'JSON without a key that an object has twice' | 'JSON nested at most 100 deep';

/** A value of JSON, or what was expected instead. */
export type ParsedJson = { readonly value: unknown } | { readonly fault: JsonFault };

/**
 * Parses JSON in which no object has a key twice. Readers differ in which of the two counts, so two people would read
 * two different documents. Time and memory are proportional to the text. An error never quotes the text, which may be
 * private.
 */
export function parseJson(text: string): ParsedJson {
  try {
    // Before the parser runs, since it would build values of any depth.
    const fault = structureFault(text);
    return fault === undefined ? { value: JSON.parse(text) } : { fault };
  } catch {
    return { fault: 'JSON' };
  }
}

const [QUOTE, BACKSLASH, COLON] = [34, 92, 58];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** Looks only at braces and keys; the parser checks whether the rest is JSON. */
function structureFault(text: string): JsonFault | undefined {
  // The keys of the objects that are open, `undefined` for a list.
  const open: (Set<string> | undefined)[] = [];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === OPEN_OBJECT || unit === OPEN_LIST) {
      if (open.length === DEEPEST) return 'JSON nested at most 100 deep';
      open.push(unit === OPEN_OBJECT ? new Set() : undefined);
    } else if (unit === CLOSE_OBJECT || unit === CLOSE_LIST) open.pop();
    else if (unit === QUOTE) {
      const start = i + 1;
      let escaped = false;
      for (i = start; i < text.length && text.charCodeAt(i) !== QUOTE; i++) {
        if (text.charCodeAt(i) !== BACKSLASH) continue;
        escaped = true;
        i++;
      }
      const keys = open.at(-1);
      if (keys === undefined) continue;
      // In an object, a text is a key exactly if a colon follows it.
      let next = i + 1;
      while (next < text.length && ' \t\n\r'.includes(text[next])) next++;
      if (text.charCodeAt(next) !== COLON) continue;
      const spelt = text.slice(start, i);
      const key: string = escaped ? JSON.parse(`"${spelt}"`) : spelt;
      if (keys.has(key)) return 'JSON without a key that an object has twice';
      keys.add(key);
    }
  }
  return undefined;
}

/**
 * Refuses a path that is not a folder and cannot become one, before any work is done for it. It leaves nothing behind.
 * @throws RangeError naming the option.
 */
export async function checkFolder(name: string, path: string): Promise<void> {
  // The path, or its nearest parent that exists, as does a link to nothing: no folder can be made in its place.
  let nearest = resolve(path);
  while (dirname(nearest) !== nearest && !(await lstat(nearest).catch(() => undefined))) nearest = dirname(nearest);
  if (path === '' || !(await isFolder(nearest))) throw fileRefusal(name, 'a folder', path);
  try {
    // Only an attempt shows this: a folder needs more than access rights.
    await rmdir(await mkdtemp(join(nearest, '.ldpkit-')));
  } catch {
    throw fileRefusal(name, 'a folder that can be written to', path);
  }
}

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

/**
 * Makes a folder and its parents. The recursive option of Node never returns where folders cannot be made, for example
 * below /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  const place = resolve(path);
  if (dirname(place) !== place) await makeFolder(dirname(place));
  await mkdir(place).catch(async (error: unknown) => {
    // Another part of this program may have been faster.
    if (!(await isFolder(place))) throw error;
  });
}

/**
 * Writes files into a folder: all of them or none, except after a crash between two renamings. Each file is first
 * written under another name; a link stays, and the file it leads to is written. Returns their paths.
 * @throws RangeError naming the option when the folder cannot be written to.
 */
export async function writeTogether(
  name: string,
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<readonly string[]> {
  const drafts: { readonly draft: string; readonly target: string; readonly content: string | Uint8Array }[] = [];
  try {
    await makeFolder(folder);
    for (const [file, content] of Object.entries(files)) {
      const target = await targetOf(name, join(folder, file));
      drafts.push({ draft: join(dirname(target), `.${file}.${process.pid}.draft`), target, content });
    }
    for (const { draft, content } of drafts) await writeFile(draft, content);
    for (const { draft, target } of drafts) await rename(draft, target);
  } catch (error) {
    for (const { draft } of drafts) await rm(draft, { force: true }).catch(() => undefined);
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw fileRefusal(name, 'a folder that can be written to', folder);
  }
  return Object.keys(files).map((file) => join(folder, file));
}

/** Where a file of this path is, or is to be; a draft would take the place of a link, or of /dev/null. */
async function targetOf(name: string, path: string): Promise<string> {
  const there = await stat(path).catch(() => undefined);
  if (there?.isDirectory() === true) throw fileRefusal(name, 'no folder of this name', path);
  if (there?.isFile() === true) return realpath(path);
  // Nothing at all, not even a link to nothing.
  if (there === undefined && !(await lstat(path).catch(() => undefined))) return path;
  throw fileRefusal(name, 'a file, or nothing, of this name', path);
}

/**
 * Refuses a path at which no file can be written, before any work is done for it. It leaves nothing behind.
 * @throws RangeError naming the option.
 */
export async function checkFile(name: string, path: string): Promise<void> {
  await checkFolder(name, dirname(await targetOf(name, path)));
}

/** Writes a file as a whole or not at all. */
export async function writeWhole(name: string, path: string, bytes: Uint8Array): Promise<void> {
  await writeTogether(name, dirname(path), { [basename(path)]: bytes }).catch(() => {
    throw fileRefusal(name, 'a file that can be written', path);
  });
}

/** The cells of one column, as the file gives them; nothing has been checked yet. */
export interface Cells {
  readonly values: ArrayLike<unknown>;
  /** Whether the file marks these cells as points in time, or as days; then each value is in milliseconds since 1970, UTC. */
  readonly timestamps: boolean | 'days';
}

/** A run of consecutive records, column by column, in the order in which the columns were requested. */
export interface Batch {
  readonly rows: number;
  readonly columns: readonly Cells[];
}

/** Receives a table while it is being read. */
export interface TableSink {
  /** Called once, before any batch, with the largest number of records that can follow. */
  expect(rows: number): void;
  /** The next records; the batch may be kept, but a table may be much larger than memory. */
  add(batch: Batch): void;
}

/** Largest record of a text file in characters (or bytes, where bytes are read), with the space around it: 4 Mi. */
export const LONGEST_RECORD: number = 2 ** 22;

export function longRecord(place: string, path: string): RefusedValue {
  return fileRefusal('data', `a record of at most 4 MiB in ${place}`, path);
}

/** Allocates memory for the records of a file, which states how many there are; refused if this machine has too little. */
export function roomFor<Room>(bytes: number, path: string, make: () => Room): Room {
  const refusal = fileRefusal('data', 'no more records than memory holds', path);
  if (!(bytes <= totalmem())) throw refusal;
  try {
    return make();
  } catch (error) {
    // An error of the language: there is no block of memory of this size.
    if (error instanceof RangeError) throw refusal;
    throw error;
  }
}
