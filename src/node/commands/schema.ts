import { stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { RefusedValue } from '../../check/refusal.ts';
import { checkDelimiter, nearest, readCsvHeader } from '../csv.ts';
import { fileRefusal, readBytes, writeTogether } from '../files.ts';
import { counted, openQuestions, print, type Question } from '../print.ts';
import { asOne } from '../refused.ts';
import { commandText } from '../run-program.ts';
import { isSchemaNumber, type SchemaForm, SHAPES } from '../schema-shape.ts';
import { openStudy } from '../studies.ts';
import { type CellKind, cellKind, readTable } from '../table.ts';

interface DraftOptions {
  readonly for: string;
  readonly label?: string;
  readonly player?: string;
  readonly propose?: true;
  readonly out?: string;
}

/** Forms in which a player may have several rows, and forms in which nothing is predicted. */
const OWNED: readonly SchemaForm[] = ['players', 'samples'];
const UNLABELLED: readonly SchemaForm[] = ['samples', 'points', 'numbers'];

/** Records whose cells say what kind a column is. */
const LOOKED_AT = 1000;

/**
 * `ldpkit schema init`: writes a schema for a CSV file, with questions in the place of everything that only a person may decide, and
 * beside it the file by which an editor explains the keys. A run refuses the schema until all questions are answered.
 */
export async function initSchema(file: string, options: DraftOptions): Promise<void> {
  const { for: protocol, label, player, propose } = options;
  const { form } = await openStudy(protocol);
  if (form === undefined) throw new RefusedValue('for', 'a protocol that plays on a file', protocol);
  if (player !== undefined && !OWNED.includes(form)) {
    throw new RefusedValue('player', `none: in ${protocol} every row is a player`, player);
  }
  if (label !== undefined && UNLABELLED.includes(form)) {
    throw new RefusedValue('label', `none: ${protocol} predicts nothing`, label);
  }
  if (player !== undefined && player === label) {
    throw new RefusedValue('player', 'another column than that of the label', player);
  }
  if (options.out === '') throw fileRefusal('out', 'the name of a file', options.out);
  const title = basename(file, extname(file));
  const out = options.out ?? join(dirname(file), `${title}.schema.json`);
  if (extname(file).toLowerCase() !== '.csv') throw fileRefusal('data', 'a CSV file (.csv)', file);
  if ((await stat(file).catch(() => undefined))?.isFile() !== true) {
    throw fileRefusal('data', 'a file that can be read', file);
  }
  if (await stat(out).catch(() => undefined)) throw fileRefusal('out', 'the name of a file that is not there yet', out);
  const header = await checkedHeader(file);
  for (const [name, column] of Object.entries({ label, player })) {
    if (column === undefined || header.includes(column)) continue;
    throw new RefusedValue(name, `a name of the header row${nearest(column, header)}`, column);
  }
  const columns = await columnsOf(file, header, propose === true);
  const draft = draftSchema(form, columns, { title, label, player });
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
    `${questions.length === 1 ? '1 question is' : `${questions.length} questions are`} open. Put the answer in the place of each { "question": … }; until then a run refuses the schema.`,
    ...questions.map(({ refusal: { message } }) => `  ${message.replace(' expected an answer:', ':')}`),
    '',
    JSON.stringify(draft).includes('"proposed":')
      ? 'Proposed bounds are rounded from the file: whoever takes one over tells something of its records.'
      : `From the file are the names of ${counted(header.length, 'column')} and the kinds of their values, and no value.`,
    `Then: ${commandText(['run', protocol, '--data', file, '--schema', out], 'npx ldpkit')}`,
  ]);
}

/** The names of the columns; a first line that does not look like names is refused, without showing it. */
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

/** Bounds rounded outwards to one digit of their distance, or by a step where there is none; only those that a schema may have. */
function outward(low: number, high: number): readonly [number, number] | undefined {
  const step = 10 ** Math.floor(Math.log10(high - low || Math.abs(high) || 1));
  const tidy = (steps: number): number => Number((steps * step).toPrecision(12));
  const apart = low === high ? step : 0;
  const bounds = [tidy(Math.floor((low - apart) / step)), tidy(Math.ceil((high + apart) / step))] as const;
  return bounds.every(isSchemaNumber) ? bounds : undefined;
}

/** Refuses to replace a file that this command did not write. */
async function checkOurs(path: string, text: string): Promise<void> {
  if ((await stat(path).catch(() => undefined)) === undefined) return;
  const there = new TextDecoder().decode(await readBytes('out', path, 2 ** 20));
  if (there !== text) throw fileRefusal('out', 'no other file of this name', path);
}

/** A column of a file, as far as a draft may know it: never a value. */
interface DraftColumn {
  readonly name: string;
  /** What all cells that were looked at are. */
  readonly kind: CellKind;
  /** Rounded bounds, only where somebody asked for a proposal from the file. */
  readonly proposed: readonly [low: number, high: number] | undefined;
}

const PUBLIC = 'from public knowledge, not from the file';

/** A schema with questions where only a person may decide: of the file it has names of columns and kinds of values, unless bounds are proposed. */
export function draftSchema(
  form: SchemaForm,
  columns: readonly DraftColumn[],
  { title, label, player }: Readonly<Record<'title', string> & Record<'label' | 'player', string | undefined>>,
): object {
  const others = columns.filter(({ name }) => name !== label && name !== player);
  const head = { $schema: `./${editorFile(form)}`, title };
  const names = columns.map(({ name }) => name).join(', ');
  const answer = columns.find(({ name }) => name === label);
  if (form === 'categories') return { ...head, label: categoryOf(answer, names) };
  const owner = player ?? ask(`Which column says whose a row is? One of: ${names}.`);
  const whose = OWNED.includes(form) ? { player: owner } : {};
  if (UNLABELLED.includes(form)) {
    return { ...head, ...whose, coordinates: others.filter(({ kind }) => kind === 'number').map(boundsOf) };
  }
  const amount = ask(`Which column is predicted? { "column", "minimum", "maximum" } of one of: ${names}.`);
  const constants = form === 'records' || form === 'players' ? [{ constant: 1 }] : [];
  return {
    ...head,
    ...whose,
    label: form !== 'regression' ? sidesOf(answer, names) : answer === undefined ? amount : boundsOf(answer),
    features: [...constants, ...others.map(featureOf)],
    ...(constants.length > 0 ? { normalize: 'unit' } : {}),
  };
}

/** The name of the file by which an editor explains the keys of a form. */
function editorFile(form: SchemaForm): string {
  return `ldpkit-${form}.json`;
}

function ask(question: string, proposed?: number): Question {
  return proposed === undefined ? { question } : { question, proposed };
}

function boundsOf({ name, proposed }: DraftColumn): object {
  const bound = (which: string, value: number | undefined): Question => {
    if (value === undefined) return ask(`What is the ${which} "${name}" that anybody can have? (${PUBLIC})`);
    return ask(`Is ${value}, rounded from the file, also by public knowledge the ${which} "${name}"?`, value);
  };
  return { column: name, minimum: bound('least', proposed?.[0]), maximum: bound('largest', proposed?.[1]) };
}

function featureOf(column: DraftColumn): object {
  const { name, kind } = column;
  if (kind === 'number') return { ...boundsOf(column), clip: true };
  if (kind === 'date') return { column: name, part: 'month', cycle: 12 };
  const which = `Which values of "${name}" count as 1? A list of texts, such as ["yes"]; or delete this feature.`;
  return { column: name, indicator: ask(which) };
}

/** A category is a value of the column, or a bin of its numbers. */
function categoryOf(column: DraftColumn | undefined, names: string): object {
  if (column === undefined) return ask(`Which column is counted? { "column", "classes" } of one of: ${names}.`);
  const { name, kind } = column;
  if (kind === 'date') return { column: name, part: 'hour', classes: Array.from({ length: 24 }, (_, hour) => hour) };
  const which = `of "${name}" that anybody can have? (${PUBLIC})`;
  if (kind === 'number')
    return { column: name, edges: ask(`What are the edges of bins ${which} A list of ascending numbers.`) };
  return { column: name, classes: ask(`What are the values ${which} A list of texts.`) };
}

function sidesOf(column: DraftColumn | undefined, names: string): object {
  const keys = '{ "column", "positive", "negative" } or { "column", "above" }';
  if (column === undefined) return ask(`Which column is predicted? ${keys} of one of: ${names}.`);
  const { name, kind } = column;
  if (kind === 'number')
    return { column: name, above: ask(`Above which number does "${name}" count as 1? (${PUBLIC})`) };
  const [positive, negative] = ['1', '−1'].map((side) => ask(`Which value of "${name}" counts as ${side}?`));
  return { column: name, positive, negative };
}

/** A JSON Schema, as an editor reads it. */
type JsonSchema = { readonly [key: string]: unknown };

/** What of a schema of valibot, or of a step behind it, an editor is told. */
interface Shape {
  readonly type: string;
  readonly pipe?: readonly [Shape, ...Shape[]];
  readonly description?: string;
  readonly requirement?: unknown;
  readonly metadata?: JsonSchema;
  readonly entries?: { readonly [key: string]: Shape };
  readonly items?: readonly Shape[];
  readonly item?: Shape;
  readonly wrapped?: Shape;
  readonly options?: readonly unknown[];
}

function jsonOf(shape: Shape): JsonSchema {
  const { pipe, entries = {}, items = [], item, wrapped, options = [] } = shape;
  if (pipe !== undefined)
    return Object.assign({}, jsonOf(pipe[0]), ...pipe.slice(1).map((step) => stepOf(shape, step)));
  const keys = Object.entries(entries);
  switch (shape.type) {
    case 'optional':
      return jsonOf(wrapped!);
    case 'strict_object':
      return {
        type: 'object',
        properties: Object.fromEntries(keys.map(([key, one]) => [key, jsonOf(one)])),
        required: keys.flatMap(([key, { type }]) => (type === 'optional' ? [] : [key])),
        additionalProperties: false,
      };
    case 'array':
      return { type: 'array', items: jsonOf(item!) };
    case 'strict_tuple':
      return { type: 'array', items: jsonOf(items[0]), minItems: items.length, maxItems: items.length };
    case 'union':
    case 'lazy':
      return { anyOf: options.map((one) => jsonOf(one as Shape)) };
    case 'picklist':
      return { enum: options };
    case 'unknown':
      return {};
    default:
      return { type: shape.type };
  }
}

/** What a step behind a schema adds: its description, or a condition that JSON Schema has. */
function stepOf({ type: of }: Shape, { type, description, requirement, metadata = {} }: Shape): JsonSchema {
  if (type === 'description') return { description };
  if (type === 'min_length') return { minItems: requirement };
  if (type === 'non_empty') return of === 'array' ? { minItems: 1 } : { minLength: 1 };
  return metadata;
}

/** The JSON Schema of a form of schema: with it an editor explains the keys, completes them and marks mistakes. */
export function editorSchema(form: SchemaForm): object {
  const json = jsonOf(SHAPES[form] as unknown as Shape);
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: `ldpkit schema: ${form}`, ...json };
}
