import { createReadStream } from 'node:fs';
import { fileRefusal } from './file-refusal.ts';
import { type JsonFault, parseJson } from './json-text.ts';

/** Bytes of a JSON document that an option names: thousands of times a schema or a certificate. */
const LARGEST_DOCUMENT = 2 ** 23;

/**
 * What is in a JSON file that an option names, such as a schema or a certificate.
 *
 * @throws RangeError for a file that cannot be read, is larger than 8 MiB, is not JSON in UTF-8, is nested more than 100 deep or has a
 * key twice, without what is in it.
 */
export async function readJsonDocument(option: string, path: string): Promise<unknown> {
  const bytes = await readBytes(option, path, LARGEST_DOCUMENT);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw fileRefusal(option, 'a JSON file in UTF-8', path);
  }
  const parsed = parseJson(text);
  // What a parser says would quote the text, and by mistake the file may be the data instead of the document.
  if ('fault' in parsed) throw fileRefusal(option, FAULTS[parsed.fault], path);
  return parsed.value;
}

const FAULTS: Readonly<Record<JsonFault, string>> = {
  JSON: 'a JSON file',
  'JSON without a key that an object has twice': 'a JSON file in which no object has a key twice',
  'JSON nested at most 100 deep': 'a JSON file nested at most 100 deep',
};

/**
 * The bytes of a file that an option names, which may be a pipe, and then of any length.
 *
 * @throws RangeError for a file that cannot be read, or with more than `most` bytes.
 */
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
