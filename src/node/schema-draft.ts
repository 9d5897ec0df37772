import type { CellKind } from './cell.ts';
import type { Question } from './questions.ts';
import type { SchemaForm } from './schema-shape.ts';

/** A column of a file, as far as a draft may know it: never a value. */
export interface DraftColumn {
  readonly name: string;
  /** What all cells that were looked at are. */
  readonly kind: CellKind;
  /** Rounded bounds, only where somebody asked for a proposal from the file. */
  readonly proposed: readonly [low: number, high: number] | undefined;
}

/** What a person already said about a file. */
interface DraftAnswers {
  readonly title: string;
  readonly label: string | undefined;
  readonly player: string | undefined;
}

const PUBLIC = 'from public knowledge, not from the file';

/**
 * A schema in which questions stand where only a person may decide: bounds, values that count, the label. Nothing in it
 * but the names of columns and the kinds of their values is from the file, unless a proposal was asked for.
 */
export function draftSchema(
  form: SchemaForm,
  columns: readonly DraftColumn[],
  { title, label, player }: DraftAnswers,
): object {
  const others = columns.filter(({ name }) => name !== label && name !== player);
  const head = { $schema: `./${editorFile(form)}`, title };
  const names = columns.map(({ name }) => name).join(', ');
  if (form === 'categories') {
    return {
      ...head,
      label: categoryOf(
        columns.find(({ name }) => name === label),
        names,
      ),
    };
  }
  if (form === 'samples' || form === 'points' || form === 'numbers') {
    const coordinates = others.filter(({ kind }) => kind === 'number').map(boundsOf);
    const whose = player ?? ask(`Which column says whose a row is? One of: ${names}.`);
    return { ...head, ...(form === 'samples' ? { player: whose } : {}), coordinates };
  }
  const answer = columns.find(({ name }) => name === label);
  const constants = form === 'records' || form === 'players' ? [{ constant: 1 }] : [];
  return {
    ...head,
    ...(form === 'players' ? { player: player ?? ask(`Which column says whose a row is? One of: ${names}.`) } : {}),
    label: form === 'regression' ? amountOf(answer, names) : sidesOf(answer, names),
    features: [...constants, ...others.map(featureOf)],
    ...(constants.length > 0 ? { normalize: 'unit' } : {}),
  };
}

/** The name of the file by which an editor explains the keys of a form. */
export function editorFile(form: SchemaForm): string {
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
  const indicator = ask(
    `Which values of "${name}" count as 1? A list of texts, such as ["yes"]; or delete this feature.`,
  );
  return { column: name, indicator };
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

function amountOf(column: DraftColumn | undefined, names: string): object {
  return column === undefined
    ? ask(`Which column is predicted? { "column", "minimum", "maximum" } of one of: ${names}.`)
    : boundsOf(column);
}

function sidesOf(column: DraftColumn | undefined, names: string): object {
  if (column === undefined) {
    return ask(
      `Which column is predicted? { "column", "positive", "negative" } or { "column", "above" } of one of: ${names}.`,
    );
  }
  const { name, kind } = column;
  if (kind === 'number')
    return { column: name, above: ask(`Above which number does "${name}" count as 1? (${PUBLIC})`) };
  return {
    column: name,
    positive: ask(`Which value of "${name}" counts as 1?`),
    negative: ask(`Which value of "${name}" counts as −1?`),
  };
}
