import type { CentralRecords } from '../../protocols/influence-sgd/index.ts';

/** Something that a curator releases about its records, and how far one record may move it. */
export interface Curator<Records> {
  readonly name: string;
  /** What is released with these coins, or a part of it before its noise; of two calls the noise has to be the same. */
  readonly run: (records: Records) => ArrayLike<number>;
  /** ‖run(D) − run(D′)‖ at most, for the noise that is added; Infinity where nothing is promised. */
  readonly stated: number;
}

/** Digits that appear nowhere else, so that a message with a private value shows. */
export const MARK = 97.53125;

/**
 * What is wrong with a curator that gets these records in the place of others: undefined where it refuses them without telling a
 * value, or moves by no more than it states.
 */
export function fault<Records>(
  { run, stated }: Curator<Records>,
  honest: Records,
  hostile: Records,
): string | undefined {
  const base = run(honest);
  let moved: ArrayLike<number>;
  try {
    moved = run(hostile);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) return `threw ${String(error)}`;
    if (!/^"/.test(error.message)) return `did not name what it refused: ${error.message}`;
    return /97[.]53|NaN|Infinity|1e\+?[123]\d\d/.test(error.message) ? `told a value: ${error.message}` : undefined;
  }
  let squared = 0;
  for (let i = 0; i < base.length; i++) squared += (moved[i] - base[i]) ** 2;
  const distance = Math.sqrt(squared);
  // 1e-12 for the rounding of runs of some hundred operations; NaN is above everything.
  return distance <= stated * (1 + 1e-12) && moved.length === base.length ? undefined : `moved by ${distance}`;
}

/** Honest records of the influence protocol: n of them, on the sphere and inside. */
export function honestRecords(records: number, dimension: number): CentralRecords {
  const features = new Float64Array(records * dimension);
  const labels = new Int8Array(records);
  for (let i = 0; i < records; i++) {
    features[i * dimension + (i % dimension)] = i % 3 === 0 ? 1 : 0.25;
    labels[i] = i % 2 === 0 ? 1 : -1;
  }
  return { records, dimension, features, labels };
}

/** Records in which one is not what it should be, or all of them are not. */
export function hostileRecords({
  records,
  dimension,
  features,
  labels,
}: CentralRecords): Record<string, CentralRecords> {
  const first = (...values: number[]): CentralRecords => {
    const changed = Float64Array.from(features).fill(0, 0, dimension);
    changed.set(values);
    return { records, dimension, features: changed, labels };
  };
  const label = (value: number): CentralRecords => {
    const changed = labels.slice();
    changed[0] = value;
    return { records, dimension, features, labels: changed };
  };
  const odd = (change: object): CentralRecords => ({ records, dimension, features, labels, ...change });
  return {
    'norm 98': first(MARK),
    'norm 98, the other way': first(0, -MARK),
    'a norm that overflows': first(MARK * 1e200, MARK * 1e200),
    'the largest numbers': first(Number.MAX_VALUE, -Number.MAX_VALUE),
    'a norm of 1.01': first(-1.01),
    'a hair above 1, as 32-bit features may be': first(-Math.sqrt(1 + 2 ** -22) * (1 - 2 ** -50)),
    NaN: first(NaN),
    'NaN beside a number': first(0.5, NaN),
    Infinity: first(Infinity),
    '-Infinity': first(-Infinity),
    'Infinity and its negative': first(Infinity, -Infinity),
    'tiny numbers': first(-5e-324, 1e-170),
    'label 2': label(2),
    'label 0': label(0),
    'label -98': label(-98),
    'a label of 127': label(127),
    'labels that are no whole numbers': odd({ labels: Float64Array.from(labels, () => MARK) }),
    'NaN for labels': odd({ labels: Float64Array.from(labels, () => NaN) }),
    'too few labels': odd({ labels: labels.subarray(1) }),
    'no labels': odd({ labels: undefined }),
    'features that are too few': odd({ features: features.subarray(1) }),
    'features that are too many': odd({ features: new Float64Array(features.length + 1) }),
    'a plain array of features': odd({ features: Array.from(features, () => MARK) }),
    'features that are texts': odd({ features: Array.from(features, () => '97.53125') }),
    'one feature less': odd({ dimension: dimension - 1, features: new Float64Array(records * (dimension - 1)) }),
    'one record less': {
      records: records - 1,
      dimension,
      features: features.subarray(dimension),
      labels: labels.subarray(1),
    },
    'no records': { records: 0, dimension, features: new Float64Array(0), labels: new Int8Array(0) },
    'a number of records that is none': odd({ records: 0.5 }),
  };
}
