import { stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { checkWord, refusal } from '../../check/number.ts';
import { RefusedValue } from '../../check/refusal.ts';
import { type CellKind, cellKind } from '../cell.ts';
import { checkDelimiter, readCsvHeader } from '../csv.ts';
import { editorSchema } from '../editor-schema.ts';
import { fileRefusal, readBytes, writeTogether } from '../files.ts';
import { print } from '../print.ts';
import { openQuestions } from '../questions.ts';
import { asOne } from '../refused.ts';
import { type DraftColumn, draftSchema, editorFile } from '../schema-draft.ts';
import type { SchemaForm } from '../schema-shape.ts';
import { type AnyStudy, loadAnyStudy } from '../studies.ts';
import { readTable } from '../table.ts';

/** What `ldpkit schema init` is asked for. */
interface DraftOptions {
  readonly for: string;
  readonly label?: string;
  readonly player?: string;
  readonly propose?: true;
  readonly out?: string;
}

/** Records whose cells say what kind a column is. */
const LOOKED_AT = 1000;

/**
 * `ldpkit schema init`: writes a schema for a CSV file, with questions in the place of everything that only a person may
 * decide, and beside it the file by which an editor explains the keys. A run refuses the schema until all questions are
 * answered.
 *
 * @throws RangeError for a file that is no CSV file with a header, for an unknown column, and where a file would be
 * replaced.
 */
export async function initSchema(file: string, options: DraftOptions): Promise<void> {
  const { for: protocol, label, player, propose } = options;
  const study = await loadAnyStudy(protocol);
  const form = formOf(study);
  const out = options.out ?? join(dirname(file), `${basename(file, extname(file))}.schema.json`);
  if (extname(file).toLowerCase() !== '.csv') throw fileRefusal('data', 'a CSV file (.csv)', file);
  if ((await stat(file).catch(() => undefined))?.isFile() !== true) {
    throw fileRefusal('data', 'a file that can be read', file);
  }
  if (await stat(out).catch(() => undefined)) throw fileRefusal('out', 'the name of a file that is not there yet', out);
  const header = await checkedHeader(file);
  for (const [name, column] of Object.entries({ label, player })) {
    if (column !== undefined) checkWord(name, column, header);
  }
  const columns = await columnsOf(file, header, propose === true);
  const draft = draftSchema(form, columns, { title: basename(file, extname(file)), label, player });
  const keys = `${JSON.stringify(editorSchema(form), undefined, 2)}\n`;
  await checkOurs(join(dirname(out), editorFile(form)), keys);
  const written = await writeTogether('out', dirname(out), {
    [basename(out)]: `${JSON.stringify(draft, undefined, 2)}\n`,
    [editorFile(form)]: keys,
  });
  const questions = openQuestions(draft);
  print([
    ...written.map((path) => `wrote ${path}`),
    '',
    `${questions.length} questions are open. Put the answer in the place of each { "question": … }; until then a run refuses the schema.`,
    ...questions.map(({ refusal: { message } }) => `  ${message.replace(' expected an answer:', ':')}`),
    '',
    propose === true
      ? 'Proposed bounds are rounded from the file: whoever takes one over tells something of its records.'
      : `From the file are the names of ${header.length} columns and the kinds of their values, and no value.`,
    `Then: npx ldpkit run ${protocol} --data ${file} --schema ${out}`,
  ]);
}

/** What a schema of this study's records looks like. */
function formOf(study: AnyStudy): SchemaForm {
  if (study.kind === 'records') return 'records';
  if (study.kind === 'points') return 'points';
  if (study.kind === 'users') return 'samples';
  if (study.kind === 'stream') return 'regression';
  if (study.kind === 'survey') return study.form;
  if (study.kind !== 'model')
    throw new RefusedValue(refusal('for', 'a protocol that plays on a file', study.protocol.name));
  const { records } = study.play;
  return records === 'sides' ? 'records' : records;
}

/**
 * The names of the columns.
 *
 * @throws RangeError for a first line that does not look like names, without showing it.
 */
async function checkedHeader(file: string): Promise<readonly string[]> {
  const header = await readCsvHeader(file);
  checkDelimiter(header, file);
  const wrong = header.flatMap((name, i) => {
    const said = `a name for column ${i + 1} in the header row`;
    if (name.trim() === '') return [fileRefusal('data', said, file)];
    if (cellKind(name) !== 'text')
      return [fileRefusal('data', `${said}, not a number or a date: is the first line a record?`, file)];
    return header.indexOf(name) < i ? [fileRefusal('data', `${said} that no other column has`, file)] : [];
  });
  if (wrong.length > 0) throw asOne(wrong);
  return header;
}

/** The kinds of the columns by their first records; where proposals are asked for, also rounded bounds of all records. */
async function columnsOf(file: string, header: readonly string[], propose: boolean): Promise<readonly DraftColumn[]> {
  const kinds = header.map(() => new Set<CellKind>());
  const low = header.map(() => Infinity);
  const high = header.map(() => -Infinity);
  let rows = 0;
  await readTable(file, header, {
    expect() {},
    add(batch) {
      const looked = propose ? batch.rows : Math.min(batch.rows, LOOKED_AT - rows);
      batch.columns.forEach(({ values }, j) => {
        for (let i = 0; i < looked; i++) {
          if (values[i] === '') continue;
          const kind = cellKind(values[i]);
          kinds[j].add(kind);
          if (kind !== 'number') continue;
          low[j] = Math.min(low[j], Number(values[i]));
          high[j] = Math.max(high[j], Number(values[i]));
        }
      });
      rows += batch.rows;
    },
  });
  return header.map((name, j) => {
    const [only, ...others] = kinds[j];
    const kind = only === undefined || others.length > 0 ? 'text' : only;
    return { name, kind, proposed: propose && kind === 'number' ? outward(low[j], high[j]) : undefined };
  });
}

/** Bounds rounded outwards to one digit of their distance. */
function outward(low: number, high: number): readonly [number, number] {
  const step = 10 ** Math.floor(Math.log10(high - low || Math.abs(high) || 1));
  const tidy = (value: number): number => Number(value.toPrecision(12));
  return [tidy(Math.floor(low / step) * step), tidy(Math.ceil(high / step) * step)];
}

/** Refuses to replace a file that this command did not write. */
async function checkOurs(path: string, text: string): Promise<void> {
  if ((await stat(path).catch(() => undefined)) === undefined) return;
  const there = new TextDecoder().decode(await readBytes('out', path, 2 ** 20));
  if (there !== text) throw fileRefusal('out', 'no other file of this name', path);
}
