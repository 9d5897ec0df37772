import { createReadStream } from 'node:fs';
import { fileRefusal } from './file-refusal.ts';
import { LONGEST_RECORD, longRecord } from './record-length.ts';

/** Takes the text of one record after the other. */
export type TakeRecord = (text: string) => void;

/** A record that comes in pieces of a file. */
interface Growing {
  add(piece: string): void;
  /** The whole text; what follows is the next record. */
  take(): string;
}

/** Joined once, at the end: joining at every piece takes time that grows with the square of the length. */
function growing(path: string): Growing {
  let pieces: string[] = [];
  let length = 0;
  let records = 0;
  return {
    add(piece) {
      length += piece.length;
      if (length > LONGEST_RECORD) throw longRecord(`row ${records + 1}`, path);
      if (piece !== '') pieces.push(piece);
    },
    take() {
      const text = pieces.join('');
      if (text.trim() !== '') records++;
      pieces = [];
      length = 0;
      return text;
    },
  };
}

/**
 * The lines of a file that are not empty.
 *
 * @throws RangeError for a line that is too long for a record.
 */
export async function eachLine(path: string, take: TakeRecord): Promise<void> {
  const record = growing(path);
  const end = (): void => {
    const text = record.take().replace(/^\uFEFF/, '');
    if (text.trim() !== '') take(text);
  };
  for await (const piece of createReadStream(path, 'utf8')) {
    const text: string = piece;
    let from = 0;
    for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
      record.add(text.slice(from, to));
      end();
      from = to + 1;
    }
    record.add(text.slice(from));
  }
  end();
}

/** Where in a file with one array the reader is. */
type Place = 'before' | 'within' | 'after';

/**
 * The elements of the one array in a file, each as a text that may or may not be JSON: memory holds one of them, not the file.
 *
 * @throws RangeError for a file that is no array, or an element that is too long for a record.
 */
export async function eachElement(path: string, take: TakeRecord): Promise<void> {
  const record = growing(path);
  const refuse = (): never => {
    throw fileRefusal('data', 'a JSON file with one array of objects', path);
  };
  let place = 'before' as Place;
  let elements = 0;
  let depth = 0;
  let quoted = false;
  let escaped = false;
  const end = (last: boolean): void => {
    const element = record.take();
    const empty = element.trim() === '';
    if (empty && !(last && elements === 0)) refuse();
    if (empty) return;
    elements++;
    take(element);
  };
  for await (const piece of createReadStream(path, 'utf8')) {
    const text: string = piece;
    let from = 0;
    for (let i = 0; i < text.length; i++) {
      const character = text[i];
      if (place !== 'within') {
        if (place === 'before' && character === '[') {
          place = 'within';
          from = i + 1;
        } else if (!/[\s\uFEFF]/.test(character)) refuse();
      } else if (quoted) {
        if (escaped) escaped = false;
        else if (character === '\\') escaped = true;
        else if (character === '"') quoted = false;
      } else if (character === '"') quoted = true;
      else if (character === '{' || character === '[') depth++;
      else if (depth > 0) {
        if (character === '}' || character === ']') depth--;
      } else if (character === ',' || character === ']') {
        record.add(text.slice(from, i));
        end(character === ']');
        from = i + 1;
        if (character === ']') place = 'after';
      }
    }
    if (place === 'within') record.add(text.slice(from));
  }
  if (place !== 'after') refuse();
}
