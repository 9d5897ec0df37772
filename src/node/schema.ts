import { checkPositive, RefusedValue } from '../check/refusal.ts';
import { readJsonDocument } from './files.ts';
import { allOf } from './refused.ts';
import {
  type Category,
  type CoordinateShape,
  checkShape,
  type FeatureShape,
  type LabelShape,
  type Part,
  type SchemaForm,
  type SchemaShape,
} from './schema-shape.ts';

export type { Category, Part, SchemaForm } from './schema-shape.ts';

/** A feature that is read from a column, or from a part of its dates. */
interface ColumnFeature {
  readonly name: string | undefined;
  readonly column: string;
  readonly part: Part | undefined;
}

/** A bounded number, mapped linearly (after the transform) from [minimum, maximum] to `range`. */
export interface NumberFeature extends ColumnFeature {
  readonly kind: 'number';
  readonly transform: 'identity' | 'log1p';
  readonly minimum: number;
  readonly maximum: number;
  readonly range: readonly [low: number, high: number];
  /** Whether a number out of bounds is moved to the nearest bound; otherwise it is an error. */
  readonly clip: boolean;
}

/** The high end of `range` if the value is listed, otherwise the low end. */
interface IndicatorFeature extends ColumnFeature {
  readonly kind: 'indicator';
  readonly listed: readonly Category[];
  /** All values that may occur, if the schema lists them; any other is an error. */
  readonly categories: readonly Category[] | undefined;
  readonly range: readonly [low: number, high: number];
}

/**
 * One entry of the list of features. A constant is the same number for every record; it gives a linear model an intercept.
 * A cycle gives two coordinates, the sine and the cosine of 2π·value/period; every other kind gives one.
 */
export type Feature =
  | { readonly kind: 'constant'; readonly constant: number }
  | NumberFeature
  | IndicatorFeature
  | (ColumnFeature & { readonly kind: 'cycle'; readonly period: number });

/** A number that is predicted. */
export interface NumberLabel {
  readonly kind: 'number';
  readonly column: string;
  /** Public bounds: the player clips a value to them. So they, and not a datum, determine how large a number can be. */
  readonly minimum: number;
  readonly maximum: number;
  /** The value that counts as 1 in the model: the Huber loss becomes linear at a residual of c units. */
  readonly unit: number;
  /** The part of a date that is read, in a survey. */
  readonly part?: Part | undefined;
  /** The edges of the bins, in a survey. */
  readonly edges?: readonly number[];
}

/** What is predicted: one of two sides, one of several classes, or a number. `none` where nothing is predicted. */
export type Label =
  | { readonly kind: 'classes'; readonly column: string; readonly positive: Category; readonly negative: Category }
  | { readonly kind: 'above'; readonly column: string; readonly above: number }
  | {
      readonly kind: 'listed';
      readonly column: string;
      readonly part?: Part | undefined;
      readonly classes: readonly Category[];
    }
  | { readonly kind: 'bands'; readonly column: string; readonly bands: readonly number[] }
  | NumberLabel
  | { readonly kind: 'none' };

/** Columns, or parts of their dates, that together say which player a record belongs to. */
export type PlayerKey = readonly { readonly column: string; readonly part: Part | undefined }[];

/**
 * How a table becomes records. All of it is public and fixed before any data are read: a bound computed from the data
 * would be an additional release.
 */
export interface Schema {
  readonly title: string | undefined;
  readonly label: Label;
  /** The features of a record; for samples and points, their coordinates. */
  readonly features: readonly Feature[];
  /** `unit`: each record is divided by its own norm; `ball`: by the largest possible norm; `none`: no change. */
  readonly normalize: 'unit' | 'ball' | 'none';
  /** Column of points in time that gives the order of the players; without it the order of the file counts. */
  readonly order: string | undefined;
  /** Which player a record belongs to; undefined where every record is a player. */
  readonly player: PlayerKey | undefined;
  /** The unit of coordinates, in words. */
  readonly unit: string | undefined;
  readonly dimension: number;
  /** One short name for each coordinate, all different unless a feature is listed twice. */
  readonly names: readonly string[];
}

/** By default the range of a label is divided into so many units. */
const UNITS = 20;
/**
 * Records and coordinates are shortened by this factor. Rounding to a 32-bit float changes a norm by a factor of at most
 * 1 + 2⁻²⁴. So what is stored has a norm of at most 1 exactly, as a player requires.
 */
export const WITHIN: number = 1 - 2 ** -22;

/**
 * A schema from parsed JSON, checked and with every default filled in.
 *
 * The keys `title`, `rows`, `encoding` and `split` at the top are for information only; any other unknown key is
 * refused.
 * @throws TypeError or RangeError naming the place, as in `"features[3].minimum" expected a finite number, got "x"`; a
 * RefusedTogether where several places are wrong.
 *
 * @example
 * ```ts
 * import { parseSchema } from 'ldpkit/node';
 * const schema = parseSchema({
 *   label: { column: 'income', positive: 'high', negative: 'low' },
 *   features: [{ constant: 1 }, { column: 'age', minimum: 0, maximum: 120 }],
 *   normalize: 'unit',
 * });
 * console.log(schema.names.join(', ')); // constant, age
 * ```
 */
export function parseSchema(json: unknown, form: SchemaForm = 'records'): Schema {
  const shape = checkShape(json, form);
  const given = shape.features ?? [];
  const [[label], resolved] = allOf<readonly [Label] | readonly Feature[]>([
    () => [shape.label === undefined ? { kind: 'none' } : resolveLabel(shape.label)],
    () => allOf(given.map((feature, index) => () => checkedFeature(feature, `features[${index}]`, shape))),
  ]) as readonly [readonly [Label], readonly Feature[]];
  const features = shape.coordinates === undefined ? resolved : coordinatesOf(shape.coordinates, form === 'points');
  const names = featureNames(features);
  const { title, normalize = 'none', order, unit, player } = shape;
  const common = { title, label, features, normalize, order, unit } as const;
  const parsed: Schema = { ...common, player: undefined, dimension: names.length, names };
  if (player === undefined) return parsed;
  const key = [player].flat().map((one) => (typeof one === 'string' ? { column: one, part: undefined } : one));
  return ownedBy(parsed, key);
}

/** The schema with the columns that say which player a record belongs to, none of them predicted or a coordinate. */
export function ownedBy(schema: Schema, player: PlayerKey): Schema {
  const taken = [schema.label, ...schema.features].flatMap((one) =>
    'column' in one && !('part' in one && one.part) ? [one.column] : [],
  );
  for (const { column, part } of player) {
    if (part === undefined && taken.includes(column)) {
      throw new RefusedValue('player', 'a column that is neither the label nor a coordinate', column);
    }
  }
  return { ...schema, player };
}

function checkedFeature(shape: FeatureShape, path: string, { label, normalize }: SchemaShape): Feature {
  const feature = resolveFeature(shape, path);
  if (feature.kind === 'constant') {
    if (normalize !== undefined) return feature;
    throw new RefusedValue(path, 'no constant: a regression has its own intercept', 'a constant');
  }
  // A model that gets the answer as a feature is never intended.
  if (feature.column === label?.column) {
    throw new RefusedValue(`${path}.column`, 'another column than that of the label', feature.column);
  }
  return feature;
}

/** Coordinates as features: of samples in [−1, 1], of points by one scale for all, half the diagonal of their box. */
function coordinatesOf(shapes: readonly CoordinateShape[], isPoint: boolean): readonly Feature[] {
  const checks = shapes.map(({ column, minimum, maximum }, index) => () => {
    const path = `coordinates[${index}]`;
    checkBounds(path, minimum, maximum);
    if (shapes.findIndex((other) => other.column === column) < index) {
      throw new RefusedValue(`${path}.column`, 'a column that no other coordinate has', column);
    }
  });
  allOf(checks);
  const half = Math.hypot(...shapes.map(({ minimum, maximum }) => (maximum - minimum) / 2)) / WITHIN;
  return shapes.map(({ name, column, minimum, maximum }): Feature => {
    const range = isPoint ? (maximum - minimum) / 2 / half : 1;
    const mapped = { transform: 'identity', minimum, maximum, range: [-range, range], clip: true } as const;
    return { kind: 'number', name, column, part: undefined, ...mapped };
  });
}

/** A coordinate with the value `value` in the protocol, in the unit of its column. */
export function inColumn(feature: Feature, value: number): number {
  const { minimum, range } = feature as NumberFeature;
  return minimum + (value - range[0]) * scaleOf(feature);
}

/** How many units of the column are 1 in the protocol. */
export function scaleOf(feature: Feature): number {
  const { minimum, maximum, range } = feature as NumberFeature;
  return (maximum - minimum) / (range[1] - range[0]);
}

export async function readSchema(path: string, form: SchemaForm = 'records'): Promise<Schema> {
  return parseSchema(await readJsonDocument('schema', path), form);
}

/** The values each part of a date can have. */
const PART_BOUNDS: Readonly<Record<Part, readonly [minimum: number, maximum: number]>> = {
  hour: [0, 23],
  weekday: [0, 6],
  month: [1, 12],
  dayOfYear: [1, 366],
};

/** A feature with its defaults, after a check that its numbers fit together. */
function resolveFeature(shape: FeatureShape, path: string): Feature {
  if ('constant' in shape) return { kind: 'constant', constant: shape.constant };
  const { name, column, part } = shape;
  if ('cycle' in shape) {
    return { kind: 'cycle', name, column, part, period: checkPositive(`${path}.cycle`, shape.cycle) };
  }
  const { range = [-1, 1] } = shape;
  if (!(range[0] < range[1])) {
    throw new RefusedValue(`${path}.range`, 'a pair [low, high] with low < high', `[${range.join(', ')}]`);
  }
  if ('indicator' in shape) {
    const { indicator: listed, categories } = shape;
    checkPartValues(listed, part, `${path}.indicator`);
    if (categories !== undefined) {
      checkPartValues(categories, part, `${path}.categories`);
      for (const [index, value] of listed.entries()) {
        if (!categories.includes(value)) {
          throw new RefusedValue(`${path}.indicator[${index}]`, `one of ${path}.categories`, value);
        }
      }
    }
    return { kind: 'indicator', name, column, part, listed, categories, range };
  }
  const { minimum, maximum, transform = 'identity', clip = false } = shape;
  checkBounds(path, minimum, maximum);
  if (transform === 'log1p' && !(minimum > -1)) {
    throw new RefusedValue(`${path}.minimum`, 'a number > -1, for log1p', minimum);
  }
  return { kind: 'number', name, column, part, transform, minimum, maximum, range, clip };
}

/** A label, after a check that its entries fit together. */
function resolveLabel(shape: LabelShape): Label {
  const { column } = shape;
  if ('above' in shape) return { kind: 'above', column, above: shape.above };
  if ('minimum' in shape) {
    const { minimum, maximum } = shape;
    checkBounds('label', minimum, maximum);
    const unit = checkPositive('label.unit', shape.unit ?? (maximum - minimum) / UNITS);
    return { kind: 'number', column, minimum, maximum, unit };
  }
  if ('classes' in shape) {
    const { classes } = shape;
    if (classes.length < 2) throw new RefusedValue('label.classes', 'two or more classes', classes.length);
    checkPartValues(classes, shape.part, 'label.classes');
    return { kind: 'listed', column, part: shape.part, classes };
  }
  if ('edges' in shape) {
    const { edges, part } = shape;
    return { kind: 'number', column, part, minimum: edges[0], maximum: edges[edges.length - 1], unit: 1, edges };
  }
  if ('bands' in shape) {
    const { bands } = shape;
    const falls = bands.findIndex((bound, index) => index > 0 && bound <= bands[index - 1]);
    if (falls <= 0) return { kind: 'bands', column, bands };
    throw new RefusedValue(`label.bands[${falls}]`, `a number above ${bands[falls - 1]}`, bands[falls]);
  }
  const { positive, negative } = shape;
  if (typeof positive !== typeof negative) {
    throw new RefusedValue('label.negative', `a ${typeof positive}, as label.positive`, negative);
  }
  if (positive === negative) {
    throw new RefusedValue('label.negative', 'another value than label.positive', negative);
  }
  return { kind: 'classes', column, positive, negative };
}

/** Names of the classes of a label, in the order of their numbers. */
export function classNames(label: Label): readonly string[] {
  if (label.kind === 'listed') return label.classes.map(String);
  if (label.kind === 'number' && label.edges !== undefined) {
    const [first, ...ends] = label.edges;
    return ends.map((end, i) => `${i === 0 ? first : ends[i - 1]} to ${end}`);
  }
  if (label.kind !== 'bands') return [];
  const { bands } = label;
  return [`≤ ${bands[0]}`, ...bands.slice(1).map((bound) => `≤ ${bound}`), `> ${bands[bands.length - 1]}`];
}

function checkBounds(path: string, minimum: number, maximum: number): void {
  if (minimum < maximum) return;
  throw new RefusedValue(`${path}.minimum`, `a number below the maximum ${maximum}`, minimum);
}

/** A weekday 7 or a month "June" never occurs, so listing it is a mistake. */
function checkPartValues(values: readonly Category[], part: Part | undefined, path: string): void {
  if (part === undefined) return;
  const [minimum, maximum] = PART_BOUNDS[part];
  for (const [index, value] of values.entries()) {
    if (!(Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum)) {
      throw new RefusedValue(`${path}[${index}]`, `a whole number from ${minimum} to ${maximum}`, value);
    }
  }
}

/**
 * One name for each coordinate: `age`, `log(1 + capital_gain)`, `origin ∈ {ATL}`, `sin hour`, `cos hour`. Where two would get
 * the same, both get the long one with the period and the column: `sin(2π·hour of date/12)`.
 */
function featureNames(features: readonly Feature[]): readonly string[] {
  const [short, long] = [false, true].map((isLong) => features.flatMap((feature) => names(feature, isLong)));
  const count = new Map<string, number>();
  for (const name of short) count.set(name, (count.get(name) ?? 0) + 1);
  return short.map((name, index) => (count.get(name) === 1 ? name : long[index]));
}

function names(feature: Feature, long: boolean): readonly string[] {
  if (feature.kind === 'constant') return ['constant'];
  const { name, part, column } = feature;
  const source = part === undefined ? column : long ? `${part} of ${column}` : part;
  if (feature.kind === 'cycle') {
    const { period } = feature;
    return ['sin', 'cos'].map((wave) => (long ? `${wave}(2π·${source}/${period})` : `${wave} ${name ?? source}`));
  }
  if (name !== undefined) return [name];
  if (feature.kind === 'indicator') return [`${source} ∈ {${feature.listed.join(', ')}}`];
  return [feature.transform === 'log1p' ? `log(1 + ${source})` : source];
}

/** The place of the intercept: a positive constant, before records are divided by their norm. Undefined without one. */
export function interceptOf({ features }: Pick<Schema, 'features'>): number | undefined {
  let place = 0;
  for (const feature of features) {
    if (feature.kind === 'constant' && feature.constant > 0) return place;
    place += feature.kind === 'cycle' ? 2 : 1;
  }
  return undefined;
}

/** What a schema says of all records before there is a report: the place of the intercept, and whether every record has norm 1. */
export function knownOf(schema: Schema): { readonly intercept: number | undefined; readonly unitNorm: boolean } {
  return { intercept: interceptOf(schema), unitNorm: schema.normalize === 'unit' };
}
