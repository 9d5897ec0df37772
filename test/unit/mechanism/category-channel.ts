import { randomizeResponse, randomizeSubset } from '../../../src/mechanism/categories.ts';
import {
  estimateFrequencies,
  type FrequencyMechanism,
  type FrequencyTally,
  randomizeHadamard,
} from '../../../src/mechanism/frequency.ts';
import type { Random } from '../../../src/random/random.ts';
import { scripted } from '../random/scripted.ts';
import { coinWords, UNITS, whole } from './finite-channel.ts';

/** A report of any of the mechanisms, as the tally takes it. */
export type CategoryReport = number | readonly number[];

/** One report, allocated. */
export function reportOf(mechanism: FrequencyMechanism, category: number, random: Random): CategoryReport {
  switch (mechanism.name) {
    case 'randomized response':
      return randomizeResponse(mechanism, category, random);
    case 'Hadamard response':
      return randomizeHadamard(mechanism, category, random);
    case 'subset selection': {
      const target = new Uint32Array(mechanism.subset);
      randomizeSubset(mechanism, category, target, random);
      return [...target];
    }
  }
}

/** The tally of reports. */
export function tallyOf(mechanism: FrequencyMechanism, reports: readonly CategoryReport[]): FrequencyTally {
  const counts = new Float64Array(mechanism.name === 'Hadamard response' ? mechanism.outputs : mechanism.categories);
  for (const report of reports) for (const place of typeof report === 'number' ? [report] : report) counts[place]++;
  return { reports: reports.length, counts };
}

/** Probabilities as whole numbers over one denominator, by report. */
export interface Channel {
  readonly law: ReadonlyMap<string, bigint>;
  readonly denominator: bigint;
}

/** The law of the report of a category: the player is given every outcome of its coin and of its choices, once each. */
export function enumerate(mechanism: FrequencyMechanism, category: number): Channel {
  const keep = whole(mechanism.keep);
  const heads = branches(mechanism, true);
  const tails = branches(mechanism, false);
  const law = new Map<string, bigint>();
  const put = (coin: number, words: readonly number[], weight: bigint): void => {
    const random = scripted(...coinWords(coin), ...words);
    const key = JSON.stringify(reportOf(mechanism, category, random));
    // Every word is used, so that the choices were really made with them.
    if (random.next !== random.words.length) throw new Error('the script was not used up');
    law.set(key, (law.get(key) ?? 0n) + weight);
  };
  for (const words of heads) put(mechanism.keep - 1, words, keep * BigInt(tails.length));
  for (const words of tails) put(mechanism.keep, words, (UNITS - keep) * BigInt(heads.length));
  return { law, denominator: UNITS * BigInt(heads.length * tails.length) };
}

/** The words of all equally likely choices after the coin; a word below a count stands for itself. */
function branches(mechanism: FrequencyMechanism, kept: boolean): number[][] {
  const range = (count: number): number[][] => Array.from({ length: count }, (_, i) => [i]);
  switch (mechanism.name) {
    case 'randomized response':
      return kept ? [[]] : range(mechanism.categories - 1);
    case 'Hadamard response':
      return range(kept ? mechanism.blockSize : mechanism.outputs - mechanism.blockSize / 2);
    case 'subset selection': {
      let words: number[][] = [[]];
      for (let left = mechanism.categories - 1; left >= 1; left--) {
        words = words.flatMap((list) => range(left).map(([word]) => [...list, word]));
      }
      return words;
    }
  }
}

/** Mean and variance of the estimate of every category from one report, from the enumerated law. */
export function moments(mechanism: FrequencyMechanism, { law, denominator }: Channel): [Float64Array, Float64Array] {
  const mean = new Float64Array(mechanism.categories);
  const square = new Float64Array(mechanism.categories);
  for (const [key, weight] of law) {
    const tally = tallyOf(mechanism, [JSON.parse(key)]);
    const probability = Number((weight << 80n) / denominator) * 2 ** -80;
    estimateFrequencies(mechanism, tally).forEach((value, c) => {
      mean[c] += probability * value;
      square[c] += probability * value * value;
    });
  }
  return [mean, square.map((value, c) => value - mean[c] ** 2)];
}
