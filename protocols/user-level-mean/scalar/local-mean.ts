import { clipBall, clipNumber, entryOf, fieldOf, lengthOf } from '../../../src/check/datum.ts';
import type { UserDatum } from './types.ts';

/**
 * The number of samples of a player, checked: at least one, and whole ones.
 *
 * @throws TypeError for anything but { samples: … } with an array of numbers, RangeError for a length that is not a positive
 * multiple of d. The message contains nothing of the datum.
 */
export function samplesOf(datum: UserDatum, dimension: number): number {
  if (datum === null || typeof datum !== 'object') throw new TypeError('"datum" expected { samples }');
  const { samples } = datum;
  if (samples === null || typeof samples !== 'object' || typeof samples.length !== 'number') {
    throw new TypeError('"samples" expected an array of numbers');
  }
  const count = samples.length / dimension;
  if (!(Number.isInteger(count) && count >= 1)) {
    throw new RangeError(
      dimension === 1
        ? '"samples" expected at least one number'
        : `"samples" expected at least one sample, each of ${dimension} numbers`,
    );
  }
  return count;
}

/**
 * The mean of a player's samples, d = 1. One pass; every sample is checked.
 *
 * @throws TypeError or RangeError for no samples, or one that is not a number in [−B, B], without its value.
 */
export function localMean(datum: UserDatum, bound: number): number {
  const count = samplesOf(datum, 1);
  const { samples } = datum;
  let sum = 0;
  for (let i = 0; i < count; i++) sum += checkSample(samples[i], bound);
  return sum / count;
}

/**
 * A private coordinate of a sample.
 *
 * @throws TypeError for anything that is not a number, RangeError outside [−B, B]; the message never contains it.
 */
export function checkSample(value: unknown, bound: number): number {
  if (typeof value !== 'number') throw new TypeError(`"samples" expected numbers from ${-bound} to ${bound}`);
  if (!(value >= -bound && value <= bound))
    throw new RangeError(`"samples" expected numbers from ${-bound} to ${bound}`);
  return value;
}

/**
 * The samples that a device plays: every sample of d numbers moved into the box, or shortened to the ball, of bound B; zeros for
 * what is no number, a remainder of fewer than d numbers left out, and one sample of zeros where there is none. Total, and a copy.
 */
export function clipSamples(
  { dimension, bound }: { readonly dimension: number; readonly bound: number },
  datum: unknown,
  domain: 'box' | 'ball' = 'box',
): UserDatum {
  const given = fieldOf(datum, 'samples');
  const count = Math.max(1, Math.floor(lengthOf(given) / dimension));
  const samples = new Float64Array(count * dimension);
  if (domain === 'box') for (let i = 0; i < samples.length; i++) samples[i] = clipNumber(entryOf(given, i), bound);
  else for (let at = 0; at < samples.length; at += dimension) samples.set(clipBall(given, dimension, bound, at), at);
  return { samples };
}
