import { refusal } from '../check/number.ts';
import type { Category, Feature, Label, Part } from './feature.ts';
import type { FeatureShape, LabelShape } from './schema-shape.ts';

/** The values each part of a date can have. */
const PART_BOUNDS: Readonly<Record<Part, readonly [minimum: number, maximum: number]>> = {
  hour: [0, 23],
  weekday: [0, 6],
  month: [1, 12],
  dayOfYear: [1, 366],
};

/**
 * A feature with its defaults, once its numbers agree with each other.
 *
 * @throws RangeError naming the key, below `path`.
 */
export function resolveFeature(shape: FeatureShape, path: string): Feature {
  if ('constant' in shape) return { kind: 'constant', constant: shape.constant };
  const { name, column, part } = shape;
  if ('cycle' in shape) {
    if (!(shape.cycle > 0)) throw new RangeError(refusal(`${path}.cycle`, 'a finite number > 0', shape.cycle));
    return { kind: 'cycle', name, column, part, period: shape.cycle };
  }
  const range = resolveRange(shape.range, path);
  if ('indicator' in shape) {
    const { indicator: listed, categories } = shape;
    checkPartValues(listed, part, `${path}.indicator`);
    if (categories !== undefined) {
      checkPartValues(categories, part, `${path}.categories`);
      for (const [index, value] of listed.entries()) {
        if (!categories.includes(value)) {
          throw new RangeError(refusal(`${path}.indicator[${index}]`, `one of ${path}.categories`, value));
        }
      }
    }
    return { kind: 'indicator', name, column, part, listed, categories, range };
  }
  const { minimum, maximum, transform = 'identity', clip = false } = shape;
  if (!(minimum < maximum)) {
    throw new RangeError(refusal(`${path}.minimum`, `a number below the maximum ${maximum}`, minimum));
  }
  if (transform === 'log1p' && !(minimum > -1)) {
    throw new RangeError(refusal(`${path}.minimum`, 'a number > -1, for log1p', minimum));
  }
  return { kind: 'number', name, column, part, transform, minimum, maximum, range, clip };
}

/**
 * A label whose two classes differ.
 *
 * @throws RangeError naming the key, below `path`.
 */
export function resolveLabel(shape: LabelShape, path: string): Label {
  if ('above' in shape) return { kind: 'above', column: shape.column, above: shape.above };
  const { column, positive, negative } = shape;
  if (typeof positive !== typeof negative) {
    throw new RangeError(refusal(`${path}.negative`, `a ${typeof positive}, as ${path}.positive`, negative));
  }
  if (positive === negative) {
    throw new RangeError(refusal(`${path}.negative`, `another value than ${path}.positive`, negative));
  }
  return { kind: 'classes', column, positive, negative };
}

function resolveRange(range: readonly [number, number] | undefined, path: string): readonly [number, number] {
  if (range === undefined) return [-1, 1];
  if (!(range[0] < range[1])) {
    throw new RangeError(refusal(`${path}.range`, 'a pair [low, high] with low < high', `[${range.join(', ')}]`));
  }
  return range;
}

/** A weekday 7 or a month "June" never occurs, so listing it is a mistake. */
function checkPartValues(values: readonly Category[], part: Part | undefined, path: string): void {
  if (part === undefined) return;
  const [minimum, maximum] = PART_BOUNDS[part];
  for (const [index, value] of values.entries()) {
    if (!(Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum)) {
      throw new RangeError(refusal(`${path}[${index}]`, `a whole number from ${minimum} to ${maximum}`, value));
    }
  }
}
