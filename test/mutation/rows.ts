import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { theoryMap } from '../documentation/theory/page.ts';
import { type Declared, declarationsOf, namesOf } from './declarations.ts';
import { EXCEPTIONS } from './exceptions.ts';
import { type Mutant, mutantsIn } from './mutants.ts';
import { weave } from './weave.ts';

/** A mutant with its number and its place. */
export interface NumberedMutant extends Mutant {
  readonly id: number;
  readonly file: string;
  /** The declaration it stands in. */
  readonly name: string;
  readonly line: number;
  /** The whole line, so that a reader sees what the edit is an edit of. */
  readonly context: string;
}

/** A row of the map of the papers' items that has something to mutate, or a whole file. */
export interface Row {
  /** The paper; `file` for a file. */
  readonly paper: string;
  readonly number: string;
  /** The status of the item; `whole file` for a file. */
  readonly status: string;
  readonly tests: readonly string[];
  /** The mutants that are tried. */
  readonly mutants: readonly NumberedMutant[];
  /** How many there are. */
  readonly all: number;
}

/** Rows and what they have in common. */
export interface Plan {
  readonly rows: readonly Row[];
  /** The text of each mutated file with all mutants of it woven in, by its path from the root. */
  readonly woven: ReadonlyMap<string, string>;
  /** How many mutants the exceptions leave out, with their reasons. */
  readonly excepted: ReadonlyMap<string, number>;
}

/** What is asked for. */
export interface Choice {
  readonly root: string;
  /** Parts of `paper item`; all rows where none is given. */
  readonly only: readonly string[];
  /** How many mutants of a row at most. */
  readonly most: number;
  readonly seed: string;
  /** Rather than a sample those mutants, by {@link inRow}. */
  readonly chosen?: readonly string[];
  /** Rather than rows of the map these whole files, each with the tests that are given. */
  readonly files?: { readonly paths: readonly string[]; readonly tests: readonly string[] };
}

/** What is mutated together, and by which tests. */
type Candidate = Pick<Row, 'paper' | 'number' | 'status' | 'tests'> & { readonly parts: readonly Declared[] };

function* candidatesOf({ root, only, files }: Choice): Generator<Candidate> {
  const declarations = declarationsOf(root);
  if (files !== undefined) {
    for (const path of files.paths) {
      const source = declarations.program.getSourceFile(join(root, path));
      if (source === undefined) throw new Error(`"files" expected source files of the project, got ${path}`);
      const parts = source.statements.map((node) => ({ file: path, name: namesOf(node)[0] ?? '', node }));
      yield { paper: 'file', number: path, status: 'whole file', tests: files.tests, parts };
    }
    return;
  }
  for (const { key, items } of theoryMap(root)) {
    for (const { number, status, tests } of items) {
      if (only.length > 0 && !only.some((part) => `${key} ${number}`.includes(part))) continue;
      yield { paper: key, number, status, tests, parts: declarations.of(key, number) };
    }
  }
}

/** The rows of the map with their mutants: of each kind in turn, in an order that seed and mutant alone decide. */
export function planRows(choice: Choice): Plan {
  const { most, seed, chosen } = choice;
  const numbered = new Map<string, NumberedMutant>();
  const excepted = new Map<string, number>();
  const texts = new Map<string, string>();
  const rows: Row[] = [];
  const wanted = chosen === undefined ? undefined : new Set(chosen);
  for (const { parts, ...candidate } of candidatesOf(choice)) {
    const { paper, number } = candidate;
    const mutants: NumberedMutant[] = [];
    for (const { file, name, node } of parts) {
      const source = node.getSourceFile();
      texts.set(file, source.text);
      for (const mutant of mutantsIn(node, source)) {
        const place = `${file}:${mutant.start}:${mutant.end}:${mutant.replacement}`;
        const line = source.getLineAndCharacterOfPosition(mutant.start).line;
        const context = source.text.split('\n')[line].trim();
        const one = numbered.get(place) ?? { ...mutant, id: numbered.size + 1, file, name, line: line + 1, context };
        const exception = EXCEPTIONS.find((other) => other.file === file && matches(other, one));
        if (exception !== undefined && !numbered.has(place)) {
          excepted.set(exception.reason, (excepted.get(exception.reason) ?? 0) + 1);
        }
        numbered.set(place, one);
        if (exception === undefined) mutants.push(one);
      }
    }
    if (mutants.length === 0) continue;
    const row = { ...candidate, all: mutants.length };
    const sample =
      wanted === undefined
        ? stratified(mutants, most, (one) => hash(`${seed} ${paper} ${number} ${identity(one)}`))
        : firstOfEach(mutants, identity).filter((one) => wanted.has(inRow(row, identity(one))));
    if (sample.length > 0) rows.push({ ...row, mutants: sample });
  }
  const woven = new Map<string, string>();
  for (const [file, text] of texts) {
    const own = [...numbered.values()].filter((one) => one.file === file);
    woven.set(
      file,
      weave(
        text,
        own.map((mutant) => ({ id: mutant.id, mutant })),
      ),
    );
  }
  return { rows, woven, excepted };
}

/** What a mutant is, without the numbers that other edits of the file move. */
export function identity({ file, name, context, original, replacement }: NumberedMutant): string {
  return `${file} ${name}: ${context}: ${original} → ${replacement}`;
}

/** A mutant in a row: one mutant may be in several. */
export function inRow({ paper, number }: Pick<Row, 'paper' | 'number'>, mutant: string): string {
  return `${paper} ${number}: ${mutant}`;
}

function firstOfEach<T>(all: readonly T[], keyOf: (one: T) => string): readonly T[] {
  return [...groupBy(all, keyOf).values()].map(([first]) => first);
}

function matches(
  exception: (typeof EXCEPTIONS)[number],
  { name, context, original, replacement }: NumberedMutant,
): boolean {
  if (exception.name !== undefined && exception.name !== name) return false;
  if (exception.line !== undefined && !context.includes(exception.line)) return false;
  return exception.edit === undefined || exception.edit.test(`${original} → ${replacement}`);
}

/** Some of each kind: the first of every kind, the second of every kind, and so on. */
function stratified(
  mutants: readonly NumberedMutant[],
  most: number,
  order: (mutant: NumberedMutant) => string,
): readonly NumberedMutant[] {
  const byKind = groupBy(mutants, ({ kind }) => kind);
  const ranked = [...byKind.values()].flatMap((group) =>
    group
      .map((mutant) => ({ mutant, key: order(mutant) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ mutant, key }, rank) => ({ mutant, key, rank })),
  );
  ranked.sort((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : 1));
  return ranked.slice(0, most).map(({ mutant }) => mutant);
}

/** Lists by a key, in the order in which keys first come. */
export function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
