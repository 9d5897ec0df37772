const { abs, log2, max, min } = Math;

/** A number made of one or two of the numbers an attacker sees: z_i, or z_i + sign·z_j. */
export interface AuditFeature {
  /** i. */
  readonly index: number;
  /** j, or −1 for z_i alone. */
  readonly other: number;
  /** ±1; 0 for z_i alone. */
  readonly sign: number;
}

/** Up to this many numbers all sums and differences are examined; beyond, only those of neighbours in the report. */
const ALL_PAIRS = 8;

/**
 * Beyond this many numbers only single numbers are examined, without pairs; the linear score sees all combinations
 * anyway.
 */
const NO_PAIRS = 512;

const single = (index: number): AuditFeature => ({ index, other: -1, sign: 0 });
const both = (index: number, other: number): AuditFeature[] => [
  { index, other, sign: -1 },
  { index, other, sign: 1 },
];

/**
 * The features examined one by one in a report of `width` numbers: a sum or a difference shows shared or reused noise.
 */
export function featuresAlone(width: number): AuditFeature[] {
  const features = Array.from({ length: width }, (_, i) => single(i));
  if (width > NO_PAIRS) return features;
  for (let i = 0; i < width; i++) {
    const last = width <= ALL_PAIRS ? width : min(i + 2, width);
    for (let j = i + 1; j < last; j++) features.push(...both(i, j));
  }
  return features;
}

/**
 * The features examined in two reports of `width`/2 numbers each: what one number of the first has in common with the
 * second.
 */
export function featuresTogether(width: number): AuditFeature[] {
  const half = width / 2;
  return Array.from({ length: min(half, NO_PAIRS) }, (_, i) => both(i, i + half)).flat();
}

/** A feature of the row that begins at `offset`. */
export function featureValue(feature: AuditFeature, values: ArrayLike<number>, offset: number): number {
  const { index, other, sign } = feature;
  return other < 0 ? values[offset + index] : values[offset + index] + sign * values[offset + other];
}

/** A feature in words, without a value of it. */
export function describeFeature({ index, other, sign }: AuditFeature): string {
  if (other < 0) return `z[${index}]`;
  return `z[${index}] ${sign < 0 ? '-' : '+'} z[${other}]`;
}

/** How many classes {@link bitClass} tells apart. */
export const BIT_CLASSES = 4096;

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);
// The order of the two halves of a double in memory depends on the machine.
number[0] = 1;
const HIGH = words[1] === 0 ? 0 : 1;

/**
 * The class of a double by its size and by the place of its last bit. Sums of rounded numbers lie on coarser grids than
 * the doubles around them, and the grid depends on the number that was added.
 *
 * Source: Mironov (2012), On significance of the least significant bits for differential privacy, CCS.
 */
export function bitClass(value: number): number {
  if (value === 0 || abs(value) === Infinity) return value === 0 ? 0 : 1;
  number[0] = value;
  const high = words[HIGH];
  const low = words[1 - HIGH];
  // Zeros at the end of the 52 bits of the mantissa; 52 where all are zero.
  const mantissa = high & 0xfffff;
  const zeros = low !== 0 ? trailing(low) : mantissa !== 0 ? 32 + trailing(mantissa) : 52;
  // Exponents from −40 to 22 one by one; smaller ones share a class, and so do larger ones.
  const exponent = max(0, min(63, ((high >>> 20) & 0x7ff) - 1023 + 40));
  return exponent * 64 + min(63, 2 + zeros);
}

function trailing(word: number): number {
  return log2((word & -word) >>> 0);
}
