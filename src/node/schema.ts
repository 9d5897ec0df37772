import { readFile } from 'node:fs/promises';
import { refusal } from '../check/number.ts';
import { featureNames } from './feature-names.ts';
import { fileRefusal } from './file-refusal.ts';
import { checkShape } from './schema-shape.ts';
import { resolveFeature, resolveLabel } from './schema-values.ts';

/** A number taken out of a date: the hour 0–23, the weekday 0 (Sunday)–6, the month 1–12, the day of the year 1–366. */
export type Part = 'hour' | 'weekday' | 'month' | 'dayOfYear';

/** One value of a categorical column. */
export type Category = string | number;

/** The same number for every record; with it a linear model has an intercept. */
export interface ConstantFeature {
  readonly kind: 'constant';
  readonly constant: number;
}

/** A bounded number, mapped linearly (after the transform) from [minimum, maximum] to `range`. */
export interface NumberFeature {
  readonly kind: 'number';
  readonly name: string | undefined;
  readonly column: string;
  readonly part: Part | undefined;
  readonly transform: 'identity' | 'log1p';
  readonly minimum: number;
  readonly maximum: number;
  readonly range: readonly [low: number, high: number];
  /** Whether a number out of bounds is moved to the nearest bound; if not, it is an error. */
  readonly clip: boolean;
}

/** The high end of `range` if the value is listed, else the low end. */
export interface IndicatorFeature {
  readonly kind: 'indicator';
  readonly name: string | undefined;
  readonly column: string;
  readonly part: Part | undefined;
  readonly listed: readonly Category[];
  /** All values that may occur, if the schema says so; any other is an error. */
  readonly categories: readonly Category[] | undefined;
  readonly range: readonly [low: number, high: number];
}

/** Two features: the sine and the cosine of 2π·value/period. */
export interface CycleFeature {
  readonly kind: 'cycle';
  readonly name: string | undefined;
  readonly column: string;
  readonly part: Part | undefined;
  readonly period: number;
}

/** One entry of the list of features; a cycle gives two coordinates, every other kind gives one. */
export type Feature = ConstantFeature | NumberFeature | IndicatorFeature | CycleFeature;

/** What is predicted: one of two named values, or whether a number lies strictly above a threshold. */
export type Label =
  | { readonly kind: 'classes'; readonly column: string; readonly positive: Category; readonly negative: Category }
  | { readonly kind: 'above'; readonly column: string; readonly above: number };

/**
 * How a table becomes labelled records in the unit ball. All of it is public and fixed before any data are read: a
 * bound computed from the data would be a release of its own.
 */
export interface Schema {
  readonly title: string | undefined;
  readonly label: Label;
  readonly features: readonly Feature[];
  /** `unit`: each record is divided by its own norm; `ball`: by the largest norm a record can have. */
  readonly normalize: 'unit' | 'ball';
  /** Number of coordinates of a record. */
  readonly dimension: number;
  /** One short name for each coordinate, all different unless a feature is listed twice. */
  readonly names: readonly string[];
}

/**
 * A schema out of parsed JSON, checked and with every default filled in.
 *
 * The keys `title`, `rows`, `encoding` and `split` at the top only inform; any other unknown key is refused.
 *
 * @throws TypeError or RangeError naming the place, as in `"features[3].minimum" expected a finite number, got "x"`.
 */
export function parseSchema(json: unknown): Schema {
  const shape = checkShape(json);
  const label = resolveLabel(shape.label, 'label');
  const features = shape.features.map((feature, index) => {
    const resolved = resolveFeature(feature, `features[${index}]`);
    // A model that is shown the answer is never what is meant.
    if (resolved.kind !== 'constant' && resolved.column === label.column) {
      const name = `features[${index}].column`;
      throw new RangeError(refusal(name, 'another column than that of the label', resolved.column));
    }
    return resolved;
  });
  const names = featureNames(features);
  return { title: shape.title, label, features, normalize: shape.normalize, dimension: names.length, names };
}

/**
 * The schema in a JSON file.
 *
 * @throws RangeError for a file that cannot be read or is not JSON, and whatever {@link parseSchema} throws.
 */
export async function readSchema(path: string): Promise<Schema> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    throw fileRefusal('schema', 'a file that can be read', path);
  }
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // The reason would quote the text, and by mistake the file may be the data instead of the schema.
    throw fileRefusal('schema', 'a JSON file', path);
  }
  return parseSchema(json);
}
