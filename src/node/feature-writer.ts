import { refuseCell } from './cell.ts';
import type { Category, Feature, Label, NumberFeature, Part } from './feature.ts';
import type { Sources } from './source.ts';

const { PI, cos, log1p, max, min, sin } = Math;

/**
 * Writes one feature of the records just read into every `stride`-th number of the target, from `offset` on. `row` is
 * the number of the first, from 1.
 */
export type Writer = (target: Float64Array, offset: number, stride: number, count: number, row: number) => void;

/**
 * Registers what a feature reads. The result makes its writer, and is to be called when all features are registered:
 * only then is it known which values of a column are looked for.
 */
export function featureWriter(feature: Feature, sources: Sources): () => Writer {
  if (feature.kind === 'constant') {
    const { constant } = feature;
    return () => (target, offset, stride, count) => {
      for (let i = 0; i < count; i++) target[offset + i * stride] = constant;
    };
  }
  const { column, part } = feature;
  if (feature.kind === 'indicator') {
    const { listed, categories, range } = feature;
    const [low, high] = range;
    const allowed = categories === undefined ? undefined : new Set(categories);
    const value = (item: Category | undefined): number => {
      if (item !== undefined && listed.includes(item)) return high;
      return allowed === undefined || (item !== undefined && allowed.has(item)) ? low : Number.NaN;
    };
    return codeWriter(sources, column, part, categories ?? listed, value, 'one of the categories in the schema');
  }
  const { numbers } = sources.numbers(column, part);
  if (feature.kind === 'number') return () => numberWriter(feature, numbers);
  const turn = (2 * PI) / feature.period;
  return () => (target, offset, stride, count) => {
    for (let i = 0; i < count; i++) {
      target[offset + i * stride] = sin(turn * numbers[i]);
      target[offset + i * stride + 1] = cos(turn * numbers[i]);
    }
  };
}

function numberWriter(
  { column, minimum, maximum, transform, range, clip }: NumberFeature,
  numbers: Float64Array,
): Writer {
  const logarithm = transform === 'log1p';
  const low = logarithm ? log1p(minimum) : minimum;
  const slope = (range[1] - range[0]) / ((logarithm ? log1p(maximum) : maximum) - low);
  return (target, offset, stride, count, row) => {
    for (let i = 0; i < count; i++) {
      let value = numbers[i];
      if (!(value >= minimum && value <= maximum)) {
        if (!clip) refuseCell({ column, row }, i, `a number from ${minimum} to ${maximum} (or "clip" in the schema)`);
        value = max(minimum, min(maximum, value));
      }
      target[offset + i * stride] = range[0] + ((logarithm ? log1p(value) : value) - low) * slope;
    }
  };
}

/** Like {@link featureWriter}, for the label: +1 or −1. */
export function labelWriter(label: Label, sources: Sources): () => Writer {
  const { column } = label;
  if (label.kind === 'classes') {
    const { positive, negative } = label;
    const value = (item: Category | undefined): number => (item === positive ? 1 : item === negative ? -1 : Number.NaN);
    return codeWriter(sources, column, undefined, [positive, negative], value, 'one of the two labels in the schema');
  }
  const { numbers } = sources.numbers(column, undefined);
  const { above } = label;
  return () => (target, offset, stride, count) => {
    for (let i = 0; i < count; i++) target[offset + i * stride] = numbers[i] > above ? 1 : -1;
  };
}

/** A writer that looks the value of each code up in a table; NaN in it stands for a refusal. */
function codeWriter(
  sources: Sources,
  column: string,
  part: Part | undefined,
  values: readonly Category[],
  valueFor: (item: Category | undefined) => number,
  expected: string,
): () => Writer {
  const { codes, dictionary } = sources.codes(column, part, typeof values[0] === 'number' ? 'number' : 'string');
  for (const item of values) if (!dictionary.has(item)) dictionary.set(item, dictionary.size + 1);
  return () => {
    const table = Float64Array.from([undefined, ...dictionary.keys()], valueFor);
    return (target, offset, stride, count, row) => {
      for (let i = 0; i < count; i++) {
        const value = table[codes[i]];
        if (Number.isNaN(value)) refuseCell({ column, row }, i, expected);
        target[offset + i * stride] = value;
      }
    };
  };
}
