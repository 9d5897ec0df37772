import * as v from 'valibot';
import { RefusedKind, RefusedValue } from '../check/refusal.ts';
import { openQuestions } from './print.ts';
import { asOne, meantBy } from './refused.ts';

/** A number taken from a date: the hour 0–23, the weekday 0 (Sunday)–6, the month 1–12, the day of the year 1–366. */
export type Part = 'hour' | 'weekday' | 'month' | 'dayOfYear';

/** One value of a categorical column. */
export type Category = string | number;

// A message of valibot becomes the middle of our message: what was expected. A description is what an editor shows.
const described = <const Shape extends v.GenericSchema>(shape: Shape, description: string) =>
  v.pipe(shape, v.description(description));
const object = <const Entries extends v.ObjectEntries>(description: string, entries: Entries) =>
  described(v.strictObject(entries), description);
/** One of some shapes, chosen by a look at the input, so that a message is about the intended one. */
const either = (choose: (input: unknown) => v.GenericSchema, options: readonly v.GenericSchema[]) =>
  Object.assign(v.lazy(choose), { options });
/** The same, found by the one key that only this shape has. */
const byKey = (shapes: { readonly [key: string]: v.GenericSchema }, otherwise: v.GenericSchema) =>
  either(
    (input) => Object.entries(shapes).find(([key]) => has(input, key))?.[1] ?? otherwise,
    [...Object.values(shapes), otherwise],
  );

/** Whether a schema may have a number. Products, squares and quotients of such numbers are finite, and not 0. */
export function isSchemaNumber(value: number): boolean {
  return value === 0 || (Math.abs(value) >= 1e-100 && Math.abs(value) <= 1e100);
}

const number = v.pipe(
  v.number('a finite number'),
  v.finite('a finite number'),
  v.check(isSchemaNumber, '0, or a number of a size from 1e-100 to 1e100'),
);
// Whether numbers fit together is checked afterwards, so that all mistakes are told at once; an editor is told already.
const above0 = v.pipe(number, v.metadata({ exclusiveMinimum: 0 }));
const text = v.pipe(v.string('a name'), v.nonEmpty('a name'));
const category = v.union([text, number], 'a text or a finite number');
const partName = described(
  v.picklist(['hour', 'weekday', 'month', 'dayOfYear'], 'one of hour, weekday, month, dayOfYear'),
  'a number taken from a date: hour 0–23, weekday 0 (Sunday)–6, month 1–12, dayOfYear 1–366',
);
const part = v.optional(partName);
const column = described(text, 'name of a column of the file');
const name = v.optional(described(text, 'what the coordinate is called in tables'));
const minimum = described(number, 'the least value that anybody can have: public, never read from the file');
const maximum = described(number, 'the largest value that anybody can have: public, never read from the file');
const range = v.optional(
  described(
    v.strictTuple([number, number], 'a pair [low, high] of finite numbers'),
    'where the bounds are mapped to, [low, high]; [-1, 1] if left out',
  ),
);
const values = v.pipe(
  v.array(category, 'a list of values'),
  v.nonEmpty('a list of one or more values'),
  v.check((list) => list.every((item) => typeof item === typeof list[0]), 'values of one type'),
  v.check((list) => new Set(list).size === list.length, 'values that are all different'),
  v.metadata({ uniqueItems: true }),
);
const classes = v.pipe(values, v.metadata({ minItems: 2 }));

const constantShape = object('the same number for every record: a linear model then has an intercept', {
  constant: described(number, 'the number'),
});
const numberShape = object('a number between public bounds', {
  name,
  column,
  part,
  minimum,
  maximum,
  transform: v.optional(described(v.picklist(['log1p'], 'log1p'), 'the logarithm of 1 + value, before it is mapped')),
  range,
  clip: v.optional(
    described(v.boolean('true or false'), 'whether a value out of bounds is moved to the bound; else it is refused'),
  ),
});
const indicatorShape = object('whether the value is one of some', {
  name,
  column,
  part,
  indicator: described(values, 'the values that count as 1'),
  categories: v.optional(described(values, 'all values that there may be; any other is refused')),
  range,
});
const cycleShape = object('two coordinates, the sine and the cosine of 2π·value/period', {
  name,
  column,
  part,
  cycle: described(above0, 'the period, such as 24 for hours'),
});
const bounded = { name, column, minimum, maximum };
const coordinateShape = object('a number between public bounds, which it is cut off at', bounded);
const featureShape = byKey({ constant: constantShape, indicator: indicatorShape, cycle: cycleShape }, numberShape);
const features = described(
  v.pipe(v.array(featureShape, 'a list of features'), v.nonEmpty('a list of one or more features')),
  'what a model may use of a record',
);

const sidesShape = object('one of two values', {
  column,
  positive: described(category, 'the value that counts as 1'),
  negative: described(category, 'the value that counts as −1'),
});
const aboveShape = object('whether a number is above a threshold', {
  column,
  above: described(number, 'the threshold'),
});
const listedShape = object('one of several values', { column, classes: described(classes, 'two or more classes') });
const numbers = v.array(number, 'a list of numbers');
const bandsShape = object('bands of a number', {
  column,
  bands: described(v.pipe(numbers, v.nonEmpty('a list of one or more numbers')), 'ascending numbers between the bands'),
});
const twoSides = byKey({ above: aboveShape }, sidesShape);
const severalClasses = byKey({ bands: bandsShape }, listedShape);
const edgesShape = object('bins of a number', {
  column,
  part,
  edges: described(v.pipe(numbers, v.minLength(3, 'a list of three or more numbers')), 'ascending edges of the bins'),
});
const partClassesShape = object('one of several values', {
  column,
  part,
  classes: described(classes, 'two or more categories'),
});
const categoriesOrBins = byKey({ edges: edgesShape }, partClassesShape);
const numberLabel = object('a number that is predicted', {
  column,
  minimum,
  maximum,
  unit: v.optional(described(above0, 'what is 1 in the model; a twentieth of the range if left out')),
});

const partKey = object('a part of a date', { column, part: partName });
const keyShape = either((input) => (typeof input === 'string' ? column : partKey), [column, partKey]);
const keys = described(
  v.pipe(v.array(keyShape), v.nonEmpty('a list of one or more columns')),
  'columns that together name a player',
);
const player = v.optional(
  described(
    either((input) => (Array.isArray(input) ? keys : column), [column, keys]),
    'whose a row is: a column, or several columns and parts of dates together',
  ),
);

const informative = v.optional(described(v.unknown(), 'information for people; ldpkit does not use it'));
const head = {
  $schema: v.optional(described(v.unknown(), 'the file by which an editor explains the keys')),
  title: v.optional(described(v.string('a text'), 'what the records are called')),
  rows: informative,
  encoding: informative,
};
const labelled = {
  ...head,
  split: informative,
  label: twoSides,
  features,
  normalize: described(
    v.picklist(['unit', 'ball'], 'unit or ball'),
    'unit: every record is divided by its own norm; ball: by the largest norm that the bounds allow',
  ),
};
const ordered = {
  ...head,
  order: v.optional(described(text, 'a column of dates that says who comes first; else the order of the file counts')),
  features,
};
const coordinates = v.array(coordinateShape, 'a list of coordinates');
const averaged = described(v.pipe(coordinates, v.nonEmpty('a list of one or more coordinates')), 'what is averaged');

/** The use of the records of a schema. */
export type SchemaForm =
  | ('records' | 'players' | 'regression' | 'sides' | 'classes')
  | ('samples' | 'points' | 'categories' | 'numbers');

/** The keys that a schema may have, by the use of its records. */
export const SHAPES: { readonly [form in SchemaForm]: v.GenericSchema } = {
  records: object('labelled records, in the unit ball', labelled),
  players: object('labelled records of players who may have several', { ...labelled, player }),
  regression: object('records of a regression', { ...ordered, label: numberLabel }),
  sides: object('records of two sides', { ...ordered, label: twoSides }),
  classes: object('records of several classes', { ...ordered, label: severalClasses }),
  samples: object('samples of players', { ...head, player, coordinates: averaged }),
  categories: object('one category, or a number with bins, of every player', { ...head, label: categoriesOrBins }),
  numbers: object('numbers of every player', { ...head, coordinates: averaged }),
  points: object('points of a space', {
    ...head,
    unit: v.optional(described(text, 'what distances are told in')),
    coordinates: described(
      v.pipe(coordinates, v.minLength(2, 'a list of two or more coordinates')),
      'the coordinates of a point',
    ),
  }),
};

/** All keys of all forms, for who mistypes one. */
const KEYS: ReadonlySet<string> = new Set(
  [
    ...[constantShape, numberShape, indicatorShape, cycleShape, coordinateShape],
    ...[sidesShape, aboveShape, listedShape, bandsShape, edgesShape, numberLabel],
  ]
    .flatMap(({ entries }) => Object.keys(entries))
    .concat(Object.keys(labelled), 'order', 'player', 'unit', 'coordinates'),
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

/** Checks keys and types, not yet whether numbers fit together; refuses all places that are wrong, and all open questions. */
export function checkShape(json: unknown, form: SchemaForm): SchemaShape {
  // To the shapes a list is an object without their keys.
  if (Array.isArray(json)) throw new RefusedKind('schema', 'an object', json);
  const shape = SHAPES[form] as v.GenericSchema<unknown, SchemaShape>;
  const questions = openQuestions(json);
  const refusals: Error[] = questions.map(({ refusal }) => refusal);
  // A strict object tells of one key too many at a time, so each is taken away and the rest checked again.
  for (let rest = json; ; ) {
    const result = v.safeParse(shape, rest, { abortPipeEarly: true });
    if (result.success && refusals.length === 0) return result.output;
    const issues = (result.issues ?? []).filter((issue) => !questions.some(({ path }) => startsWith(issue, path)));
    // Keys that nobody knows.
    const surplus = issues.filter(({ type, expected }) => type === 'strict_object' && expected === 'never');
    refusals.push(...(surplus.length > 0 ? surplus : issues).map((issue) => shapeRefusal('schema', issue)));
    if (surplus.length === 0) throw asOne(refusals);
    rest = surplus.reduce(without, rest);
  }
}

/** Whether an issue is in the place of a question, or within it. */
function startsWith({ path }: v.BaseIssue<unknown>, question: readonly unknown[]): boolean {
  return question.every((key, index) => path?.[index]?.key === key);
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

/** The error about an issue of valibot, whose message is what was expected; `path` leads to what was checked. */
export function shapeRefusal(root: string, issue: v.BaseIssue<unknown>, path: string = ''): RefusedKind | RefusedValue {
  const place = (issue.path ?? []).reduce(pathName, path) || root;
  if (issue.type !== 'strict_object' && issue.type !== 'loose_object') {
    if (issue.type === 'non_empty' && Array.isArray(issue.input)) {
      return new RefusedValue(`"${place}" expected ${issue.message}, got none`);
    }
    const wrongKind = issue.kind === 'schema' && issue.type !== 'picklist' && issue.type !== 'literal';
    return new (wrongKind ? RefusedKind : RefusedValue)(place, issue.message, issue.input);
  }
  if (issue.expected === 'never') {
    const { key, value } = issue.path?.at(-1) ?? {};
    const meant = root === 'schema' ? meantBy(String(key), KEYS) : undefined;
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    return new RefusedValue(place, `to be absent (there is no such key${hint})`, value);
  }
  const expected = issue.expected === 'Object' ? 'an object' : 'to be given';
  return new RefusedKind(place, expected, issue.input);
}

/** Adds one step to a path: `features`, then `features[3]`, then `features[3].minimum`. */
function pathName(path: string, { key }: { readonly key?: unknown }): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? String(key) : `${path}.${String(key)}`;
}

function has(input: unknown, key: string): boolean {
  return typeof input === 'object' && input !== null && Object.hasOwn(input, key);
}
