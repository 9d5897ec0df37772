import { type DefinedPlayer, definePlayer, type PlayerDefinition } from '../../src/core/define.ts';
import { randomizeCategory } from '../../src/mechanism/frequency.ts';
import { type FrequencySetting, frequencySetting, reportLength, variantOf } from './parameters.ts';

/** The category of a datum: the datum, or the bin of a number between the outer edges. */
export function categoryOf({ edges }: FrequencySetting, datum: number): number {
  if (edges === undefined) return datum;
  let [bin, end] = [0, edges.length - 1];
  // edges[bin] ≤ datum, and the datum is below edges[end] or at the last one.
  while (end - bin > 1) {
    const middle = (bin + end) >> 1;
    if (datum < edges[middle]) end = middle;
    else bin = middle;
  }
  return bin;
}

/**
 * The player: a category, or a number between the outer edges, becomes one report of the mechanism, drawn exactly.
 *
 * Clipped: what is no number counts as 0, a fraction as the category below it; what is beyond the first or the last
 * category, or the outer edges, is moved there.
 */
export const playing: PlayerDefinition<FrequencySetting, number, 'uint32'> = {
  name: 'frequency',
  version: 1,
  make: frequencySetting,
  variant: variantOf,
  datum: {
    expected: 'a category from 0 on, or a number between the outer edges',
    accepts({ mechanism, edges }, value): value is number {
      if (typeof value !== 'number') return false;
      if (edges !== undefined) return value >= edges[0] && value <= edges[edges.length - 1];
      return Number.isInteger(value) && value >= 0 && value < mechanism.categories;
    },
    clip({ mechanism, edges }, value) {
      const number = typeof value === 'number' && !Number.isNaN(value) ? value : 0;
      if (edges !== undefined) return Math.min(Math.max(number, edges[0]), edges[edges.length - 1]);
      return Math.floor(Math.min(Math.max(number, 0), mechanism.categories - 1));
    },
  },
  report: { values: 'uint32', length: reportLength },
  channel: {
    deployment(setting, datum, random, report) {
      randomizeCategory(setting.mechanism, categoryOf(setting, datum), report, random);
    },
  },
  privacy: { guarantee: ({ mechanism }) => mechanism.guarantee },
};

/** What a device needs, and nothing else: give it to `deployedPlayer` in the place of `frequency`. */
export const frequencyPlayer: DefinedPlayer<FrequencySetting, number, Uint32Array> =
  /* @__PURE__ */ definePlayer(playing);
