import * as v from 'valibot';
import { refusal } from '../check/number.ts';
import { RefusedKind, RefusedValue } from '../check/refusal.ts';
import { openQuestions } from './questions.ts';
import { meantBy } from './suggest.ts';
import { asOne } from './together.ts';

/** A number taken from a date: the hour 0–23, the weekday 0 (Sunday)–6, the month 1–12, the day of the year 1–366. */
export type Part = 'hour' | 'weekday' | 'month' | 'dayOfYear';

/** One value of a categorical column. */
export type Category = string | number;

// A message of valibot becomes the middle of our message: what was expected.
const number = v.pipe(v.number('a finite number'), v.finite('a finite number'));
const text = v.pipe(v.string('a name'), v.nonEmpty('a name'));
const category = v.union([text, number], 'a text or a finite number');
const partName = v.picklist(['hour', 'weekday', 'month', 'dayOfYear'], 'one of hour, weekday, month, dayOfYear');
const part = v.optional(partName);
const name = v.optional(text);
const range = v.optional(v.strictTuple([number, number], 'a pair [low, high] of finite numbers'));
const values = v.pipe(
  v.array(category, 'a list of values'),
  v.nonEmpty('a list of one or more values'),
  v.check((list) => list.every((item) => typeof item === typeof list[0]), 'values of one type'),
  v.check((list) => new Set(list).size === list.length, 'values that are all different'),
);

const constantShape = v.strictObject({ constant: number });
const numberShape = v.strictObject({
  name,
  column: text,
  part,
  minimum: number,
  maximum: number,
  transform: v.optional(v.picklist(['log1p'], 'log1p')),
  range,
  clip: v.optional(v.boolean('true or false')),
});
const indicatorShape = v.strictObject({
  name,
  column: text,
  part,
  indicator: values,
  categories: v.optional(values),
  range,
});
const cycleShape = v.strictObject({ name, column: text, part, cycle: number });
const coordinateShape = v.strictObject({ name, column: text, minimum: number, maximum: number });

/** The kind is found by the one key that only this kind has, so that a message is about the intended kind. */
const featureShape = v.lazy((input) => {
  if (has(input, 'constant')) return constantShape;
  if (has(input, 'indicator')) return indicatorShape;
  return has(input, 'cycle') ? cycleShape : numberShape;
});
const features = v.pipe(v.array(featureShape, 'a list of features'), v.nonEmpty('a list of one or more features'));

const sidesShape = v.strictObject({ column: text, positive: category, negative: category });
const aboveShape = v.strictObject({ column: text, above: number });
const listedShape = v.strictObject({ column: text, classes: values });
const bandsShape = v.strictObject({
  column: text,
  bands: v.pipe(v.array(number, 'a list of numbers'), v.nonEmpty('a list of one or more numbers')),
});
const twoSides = v.lazy((input) => (has(input, 'above') ? aboveShape : sidesShape));
const severalClasses = v.lazy((input) => (has(input, 'bands') ? bandsShape : listedShape));
const edgesShape = v.strictObject({
  column: text,
  part,
  edges: v.pipe(v.array(number, 'a list of numbers'), v.minLength(3, 'a list of three or more numbers')),
});
const partClassesShape = v.strictObject({ column: text, part, classes: values });
const categoriesOrBins = v.lazy((input) => (has(input, 'edges') ? edgesShape : partClassesShape));
const numberLabel = v.strictObject({ column: text, minimum: number, maximum: number, unit: v.optional(number) });

const keyShape = v.lazy((input) =>
  typeof input === 'string' ? text : v.strictObject({ column: text, part: partName }),
);
const player = v.optional(
  v.lazy((input) =>
    Array.isArray(input) ? v.pipe(v.array(keyShape), v.nonEmpty('a list of one or more columns')) : text,
  ),
);

// Keys at the top that are for information only.
const head = {
  $schema: v.optional(v.unknown()),
  title: v.optional(v.string('a text')),
  rows: v.optional(v.unknown()),
  encoding: v.optional(v.unknown()),
};
const labelled = {
  ...head,
  split: v.optional(v.unknown()),
  label: twoSides,
  features,
  normalize: v.picklist(['unit', 'ball'], 'unit or ball'),
};
const ordered = { ...head, order: v.optional(text), features };
const coordinates = v.array(coordinateShape, 'a list of coordinates');

/** The use of the records of a schema. */
export type SchemaForm =
  | 'records'
  | 'players'
  | 'regression'
  | 'sides'
  | 'classes'
  | 'samples'
  | 'points'
  | 'categories'
  | 'numbers';

/** The keys that a schema may have, by the use of its records. */
const SHAPES: { readonly [form in SchemaForm]: v.GenericSchema } = {
  /** Labelled records in the unit ball. */
  records: v.strictObject(labelled),
  /** The same, where one player may have several records. */
  players: v.strictObject({ ...labelled, player }),
  /** Records of a regression, of a choice of two sides, and of a choice of several classes. */
  regression: v.strictObject({ ...ordered, label: numberLabel }),
  sides: v.strictObject({ ...ordered, label: twoSides }),
  classes: v.strictObject({ ...ordered, label: severalClasses }),
  /** Samples of players, whose mean is estimated. */
  samples: v.strictObject({
    ...head,
    player,
    coordinates: v.pipe(coordinates, v.nonEmpty('a list of one or more coordinates')),
  }),
  /** One category, or a number with bins, whose frequencies are estimated. */
  categories: v.strictObject({ ...head, label: categoriesOrBins }),
  /** Numbers whose means are estimated. */
  numbers: v.strictObject({
    ...head,
    coordinates: v.pipe(coordinates, v.nonEmpty('a list of one or more coordinates')),
  }),
  /** Points of a space. */
  points: v.strictObject({
    ...head,
    unit: v.optional(text),
    coordinates: v.pipe(coordinates, v.minLength(2, 'a list of two or more coordinates')),
  }),
};

/** All keys of all forms, for who mistypes one. */
const KEYS: ReadonlySet<string> = new Set(
  [constantShape, numberShape, indicatorShape, cycleShape, coordinateShape, sidesShape, aboveShape, listedShape]
    .flatMap(({ entries }) => Object.keys(entries))
    .concat(Object.keys(bandsShape.entries), Object.keys(numberLabel.entries), Object.keys(labelled))
    .concat('order', 'player', 'unit', 'coordinates'),
);

/** The keys of every feature that reads a column, as written in the JSON. */
interface ColumnShape {
  readonly name?: string | undefined;
  readonly column: string;
  readonly part?: Part | undefined;
}

/** A feature as written in the JSON. */
export type FeatureShape =
  | { readonly constant: number }
  | (ColumnShape & {
      readonly minimum: number;
      readonly maximum: number;
      readonly transform?: 'log1p' | undefined;
      readonly range?: readonly [number, number] | undefined;
      readonly clip?: boolean | undefined;
    })
  | (ColumnShape & {
      readonly indicator: readonly Category[];
      readonly categories?: readonly Category[] | undefined;
      readonly range?: readonly [number, number] | undefined;
    })
  | (ColumnShape & { readonly cycle: number });

/** A label as written in the JSON. */
export type LabelShape = { readonly column: string; readonly part?: Part | undefined } & (
  | { readonly positive: Category; readonly negative: Category }
  | { readonly above: number }
  | { readonly classes: readonly Category[] }
  | { readonly bands: readonly number[] }
  | { readonly edges: readonly number[] }
  | { readonly minimum: number; readonly maximum: number; readonly unit?: number | undefined }
);

/** A schema as written in the JSON; the form decides which of the keys are there. */
export interface SchemaShape {
  readonly title?: string | undefined;
  readonly label?: LabelShape;
  readonly features?: readonly FeatureShape[];
  readonly normalize?: 'unit' | 'ball';
  readonly order?: string | undefined;
  readonly player?: string | readonly (string | { readonly column: string; readonly part: Part })[] | undefined;
  readonly unit?: string | undefined;
  readonly coordinates?: readonly CoordinateShape[];
}

/** A coordinate of a sample or a point as written in the JSON. */
export interface CoordinateShape extends Omit<ColumnShape, 'part'> {
  readonly minimum: number;
  readonly maximum: number;
}

/**
 * Checks keys and types. Whether the numbers fit together is checked afterwards.
 *
 * @throws TypeError or RangeError naming the place that is wrong; where several are, all of them, and all questions that
 * nobody has answered.
 */
export function checkShape(json: unknown, form: SchemaForm): SchemaShape {
  const shape = SHAPES[form] as v.GenericSchema<unknown, SchemaShape>;
  const questions = openQuestions(json);
  const refusals: Error[] = questions.map(({ refusal }) => refusal);
  // A strict object tells of one key too many at a time, so each is taken away and the rest checked again.
  for (let rest = json; ; ) {
    const result = v.safeParse(shape, rest, { abortPipeEarly: true });
    if (result.success && refusals.length === 0) return result.output;
    const issues = (result.issues ?? []).filter((issue) => !questions.some(({ path }) => startsWith(issue, path)));
    const surplus = issues.filter(isSurplus);
    refusals.push(...(surplus.length > 0 ? surplus : issues).map((issue) => shapeRefusal('schema', issue)));
    if (surplus.length === 0) throw asOne(refusals);
    rest = surplus.reduce(without, rest);
  }
}

/** Whether an issue is in the place of a question, or within it. */
function startsWith({ path }: v.BaseIssue<unknown>, question: readonly unknown[]): boolean {
  return question.every((key, index) => path?.[index]?.key === key);
}

/** Whether an issue is a key that nobody knows. */
function isSurplus({ type, expected }: v.BaseIssue<unknown>): boolean {
  return type === 'strict_object' && expected === 'never';
}

/** A copy of a document without the key that an issue is about. */
function without(document: unknown, { path }: v.BaseIssue<unknown>): unknown {
  const copy = structuredClone(document);
  const keys = (path ?? []).map(({ key }) => key as string);
  let place = copy as Record<string, unknown>;
  for (const key of keys.slice(0, -1)) place = place[key] as Record<string, unknown>;
  delete place[keys[keys.length - 1]];
  return copy;
}

/**
 * The error about the shape of a JSON document, from the first issue of valibot. Its message becomes the middle of
 * ours: what was expected. `root` is the name of the whole document; `path` leads to the part that was checked.
 */
export function shapeRefusal(root: string, issue: v.BaseIssue<unknown>, path: string = ''): RefusedKind | RefusedValue {
  const place = (issue.path ?? []).reduce(pathName, path) || root;
  if (issue.type !== 'strict_object' && issue.type !== 'loose_object') {
    const wrongKind = issue.kind === 'schema' && issue.type !== 'picklist' && issue.type !== 'literal';
    return new (wrongKind ? RefusedKind : RefusedValue)(refusal(place, issue.message, issue.input));
  }
  if (issue.expected === 'never') {
    const { key, value } = issue.path?.at(-1) ?? {};
    const meant = root === 'schema' ? meantBy(String(key), KEYS) : undefined;
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    return new RefusedValue(refusal(place, `to be absent (there is no such key${hint})`, value));
  }
  const expected = issue.expected === 'Object' ? 'an object' : 'to be given';
  return new RefusedKind(refusal(place, expected, issue.input));
}

/** Adds one step to a path: `features`, then `features[3]`, then `features[3].minimum`. */
function pathName(path: string, { key }: { readonly key?: unknown }): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? String(key) : `${path}.${String(key)}`;
}

function has(input: unknown, key: string): boolean {
  return typeof input === 'object' && input !== null && Object.hasOwn(input, key);
}
