import { refusal } from '../check/number.ts';
import type { AuditPair } from '../core/auditing.ts';
import type { Random } from '../random/random.ts';
import type { AuditTarget } from './target.ts';

/**
 * What the attacker of one trial sees. `alone`: the report of the player under attack. `together`: that report and the next
 * one from the same source, of a player whose datum is known; honest coins make the second worthless.
 */
export type AuditSight = 'alone' | 'together';

/** A source of trials. One report and one array are used again and again. */
export interface AuditSampler<Datum, Report> {
  /** Numbers the attacker sees. */
  readonly width: number;
  /** What the attacker sees of the last trial, if it was looked at. */
  readonly values: Float64Array;
  /** Draws a trial with this datum; `look` writes what is seen into `values`. */
  draw(datum: Datum, look: boolean): Report;
}

/** The largest number that is seen as it is. Squares and products of all codes beyond it, at most 1e127, are still finite. */
const LARGEST = 1e100;

/** What is no finite number, in numbers beyond the code of every finite one. */
const CODES = { positive: 2e126, negative: -2e126, nan: 4e126, displaced: -4e126 } as const;

/** Stands for −0: sums, products and order are those of 0, but it is not 0. The number itself is displaced. */
const MINUS_ZERO: number = -Number.MIN_VALUE;

const bits = new DataView(new ArrayBuffer(8));
bits.setFloat64(0, LARGEST);
const LARGEST_WORD: number = bits.getUint32(0);

/** Calls of the player in one trial. The third separates the pairs, so that noise kept for two calls meets both orders. */
export const CALLS: Readonly<Record<AuditSight, number>> = { alone: 1, together: 3 };

/**
 * Trials of a target with one source of coins.
 *
 * @throws TypeError for a report without a number, RangeError when reports have different numbers of numbers, and whatever the
 * view or the player refuses.
 */
export function createSampler<Parameters, Datum, Report>(
  target: AuditTarget<Parameters, Datum, Report>,
  pair: AuditPair<Datum>,
  view: (report: Report) => ArrayLike<number>,
  sight: AuditSight,
  random: Random,
): AuditSampler<Datum, Report> {
  const { player, parameters } = target;
  let report = player.randomize(parameters, pair.first, random);
  const { length } = view(report);
  if (length === 0) throw new TypeError('"view" expected a number in every report, got none: give another "view"');
  const values = new Float64Array(sight === 'alone' ? length : 2 * length);
  const call = (datum: Datum): void => {
    if (player.randomizeInto === undefined) report = player.randomize(parameters, datum, random);
    else player.randomizeInto(parameters, datum, random, report);
  };
  const copy = (offset: number): void => {
    const seen = view(report);
    if (seen.length !== length) {
      throw new RangeError(refusal('view', `${length} numbers of every report`, seen.length));
    }
    for (let i = 0; i < length; i++) values[offset + i] = codeOf(seen[i]);
  };
  const alone = (datum: Datum, look: boolean): Report => {
    call(datum);
    if (look) copy(0);
    return report;
  };
  const together = (datum: Datum): Report => {
    call(datum);
    copy(0);
    call(pair.first);
    copy(length);
    call(pair.first);
    return report;
  };
  return { width: values.length, values, draw: sight === 'alone' ? alone : together };
}

/**
 * A number as scores see it. Whatever is not an ordinary number is an outcome like any other: −0, NaN, either infinity, and
 * numbers beyond 1e100, which keep their order and all but two or three of their bits.
 */
function codeOf(value: number): number {
  if (value === 0) return Object.is(value, -0) ? MINUS_ZERO : 0;
  if (Math.abs(value) <= LARGEST) return value === MINUS_ZERO ? CODES.displaced : value;
  if (Number.isNaN(value)) return CODES.nan;
  if (Math.abs(value) === Infinity) return value > 0 ? CODES.positive : CODES.negative;
  bits.setFloat64(0, Math.abs(value));
  const high = bits.getUint32(0) - LARGEST_WORD;
  const low = bits.getUint32(4);
  // An eighth of the distance, counted in doubles; the bits that fall off are stirred in, so that neighbours still differ.
  bits.setUint32(0, LARGEST_WORD + 1 + (high >>> 3));
  bits.setUint32(4, (((high & 7) << 29) | (low >>> 3)) ^ Math.imul(low & 7, 0x9e3779b1));
  return Math.sign(value) * bits.getFloat64(0);
}

/** The same number of trials under each datum, row after row. */
export interface AuditSample {
  /** Numbers in a row. */
  readonly width: number;
  /** Rows under each datum. */
  readonly rows: number;
  /** Rows under the first datum. */
  readonly first: Float64Array;
  /** Rows under the second datum. */
  readonly second: Float64Array;
}

/** Draws a sample, the two data by turns. */
export function drawSample<Datum, Report>(
  sampler: AuditSampler<Datum, Report>,
  pair: AuditPair<Datum>,
  rows: number,
): AuditSample {
  const { width, values } = sampler;
  const first = new Float64Array(rows * width);
  const second = new Float64Array(rows * width);
  for (let row = 0; row < rows; row++) {
    sampler.draw(pair.first, true);
    first.set(values, row * width);
    sampler.draw(pair.second, true);
    second.set(values, row * width);
  }
  return { width, rows, first, second };
}
