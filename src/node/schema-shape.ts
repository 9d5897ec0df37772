import * as v from 'valibot';
import type { Category, Part } from './feature.ts';
import { shapeRefusal } from './shape-refusal.ts';

// A message of valibot is used as the middle of ours: what was expected.
const number = v.pipe(v.number('a finite number'), v.finite('a finite number'));
const text = v.pipe(v.string('a name'), v.nonEmpty('a name'));
const category = v.union([text, number], 'a text or a finite number');
const part = v.optional(
  v.picklist(['hour', 'weekday', 'month', 'dayOfYear'], 'one of hour, weekday, month, dayOfYear'),
);
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
const classesShape = v.strictObject({ column: text, positive: category, negative: category });
const aboveShape = v.strictObject({ column: text, above: number });

/** The kind is read off the one key that only this kind has, so that a message speaks of the kind that was meant. */
const featureShape = v.lazy((input) => {
  if (has(input, 'constant')) return constantShape;
  if (has(input, 'indicator')) return indicatorShape;
  return has(input, 'cycle') ? cycleShape : numberShape;
});

const featuresShape = v.pipe(v.array(featureShape, 'a list of features'), v.nonEmpty('a list of one or more features'));

const regressionShape = v.strictObject({
  title: v.optional(v.string('a text')),
  rows: v.optional(v.unknown()),
  encoding: v.optional(v.unknown()),
  label: v.strictObject({ column: text, minimum: number, maximum: number, unit: v.optional(number) }),
  order: v.optional(text),
  features: featuresShape,
});

const schemaShape = v.strictObject({
  title: v.optional(v.string('a text')),
  rows: v.optional(v.unknown()),
  encoding: v.optional(v.unknown()),
  split: v.optional(v.unknown()),
  label: v.lazy((input) => (has(input, 'above') ? aboveShape : classesShape)),
  features: featuresShape,
  normalize: v.picklist(['unit', 'ball'], 'unit or ball'),
});

/** What every feature that reads a column may have, as written in the JSON. */
export interface ColumnShape {
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
export type LabelShape =
  | { readonly column: string; readonly positive: Category; readonly negative: Category }
  | { readonly column: string; readonly above: number };

/** A schema as written in the JSON. */
export interface SchemaShape {
  readonly title?: string | undefined;
  readonly label: LabelShape;
  readonly features: readonly FeatureShape[];
  readonly normalize: 'unit' | 'ball';
}

/**
 * Checks keys and types; what the numbers mean together is checked afterwards.
 *
 * @throws TypeError or RangeError naming the first place that is wrong.
 */
export function checkShape(json: unknown): SchemaShape {
  const result = v.safeParse(schemaShape, json, { abortPipeEarly: true });
  if (result.success) return result.output;
  throw shapeRefusal('schema', result.issues[0]);
}

/** The schema of a regression as written in the JSON. */
export interface RegressionShape {
  readonly title?: string | undefined;
  readonly label: {
    readonly column: string;
    readonly minimum: number;
    readonly maximum: number;
    readonly unit?: number | undefined;
  };
  /** Column of points in time. */
  readonly order?: string | undefined;
  readonly features: readonly FeatureShape[];
}

/**
 * The same for the schema of a regression.
 *
 * @throws TypeError or RangeError naming the first place that is wrong.
 */
export function checkRegressionShape(json: unknown): RegressionShape {
  const result = v.safeParse(regressionShape, json, { abortPipeEarly: true });
  if (result.success) return result.output;
  throw shapeRefusal('schema', result.issues[0]);
}

function has(input: unknown, key: string): boolean {
  return typeof input === 'object' && input !== null && Object.hasOwn(input, key);
}
