import { refusal } from '../check/number.ts';
import type { AuditPair } from '../protocol/auditing.ts';
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

/** Stands for everything beyond it. */
const LARGEST = 1e100;

/** Calls of the player in one trial. The third separates the pairs, so that noise kept for two calls meets both orders. */
export const CALLS: Readonly<Record<AuditSight, number>> = { alone: 1, together: 3 };

/**
 * Trials of a target with one source of coins.
 *
 * @throws RangeError when reports have different numbers of numbers, and whatever the player refuses.
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
    for (let i = 0; i < length; i++) {
      const value = seen[i];
      // What is not finite is an outcome like any other, as a number whose square and products are still finite.
      values[offset + i] = Number.isNaN(value) ? LARGEST : Math.max(-LARGEST, Math.min(LARGEST, value));
    }
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
