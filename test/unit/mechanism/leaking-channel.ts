import type { KnownRandomizer } from '../../../src/mechanism/pure-from-approximate.ts';

/** Laws on {0, 1, 2, 3} at the data 0 and 1 and at the public input ⊥. */
export interface LeakingChannel {
  /** The laws at 0 and at 1. */
  readonly data: readonly (readonly number[])[];
  /** The law at ⊥. */
  readonly open: readonly number[];
}

/**
 * A bit by randomized response of ε, and with probability δ the bit itself in clear (2 or 3); at ⊥ a fair coin, and with
 * probability δ the reports 2 and 3 alike. So (ε, δ) between any two inputs, and no pure ε.
 */
export function leakingChannel(epsilon: number, delta: number): LeakingChannel {
  const truth = (1 - delta) / (1 + Math.exp(-epsilon));
  const lie = 1 - delta - truth;
  return {
    data: [
      [truth, lie, delta, 0],
      [lie, truth, 0, delta],
    ],
    open: [(1 - delta) / 2, (1 - delta) / 2, delta / 2, delta / 2],
  };
}

/** The channel as a randomizer with a known ratio of probabilities. */
export function knownRandomizer({ data, open }: LeakingChannel): KnownRandomizer<number, number> {
  return { logRatio: (report, datum) => Math.log(data[datum][report] / open[report]) };
}

/** The probability of each index when sample i is accepted with probability p[i], by enumeration of all subsets. */
export function indexLaw(p: readonly number[]): Float64Array {
  const law = new Float64Array(p.length);
  for (let subset = 0; subset < 2 ** p.length; subset++) {
    let probability = 1;
    const accepted: number[] = [];
    for (let i = 0; i < p.length; i++) {
      const taken = Math.floor(subset / 2 ** i) % 2 === 1;
      probability *= taken ? p[i] : 1 - p[i];
      if (taken) accepted.push(i);
    }
    const chosen = accepted.length > 0 ? accepted : [...p.keys()];
    for (const i of chosen) law[i] += probability / chosen.length;
  }
  return law;
}

/** Every way to have `length` reports of `kinds` kinds, up to their order, with the number of orders of each. */
export function multisets(kinds: number, length: number): { reports: number[]; orders: number }[] {
  if (kinds === 1) return [{ reports: Array(length).fill(0), orders: 1 }];
  const all: { reports: number[]; orders: number }[] = [];
  let choose = 1;
  for (let last = 0; last <= length; last++) {
    for (const { reports, orders } of multisets(kinds - 1, length - last)) {
      all.push({ reports: [...reports, ...Array<number>(last).fill(kinds - 1)], orders: orders * choose });
    }
    choose = (choose * (length - last)) / (last + 1);
  }
  return all;
}
