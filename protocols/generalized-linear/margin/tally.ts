import { refusal } from '../../../src/check/number.ts';
import type { PublicParameters } from '../../../src/core/contract.ts';
import type { Values } from '../../../src/core/frame.ts';

/**
 * The tally of variants `gaussian` and `lifted`: a running sum of moments of v = y·x; its size does not grow with players.
 */
export interface MomentTally {
  readonly kind: 'moments';
  /** Digest of the parameters whose reports it takes. */
  readonly digest: string;
  /** Number of reports. */
  players: number;
  /**
   * `lifted`: the sum of the reports without their padding; `gaussian`: the sum of the corrected symmetric powers. As many
   * as the lift has entries.
   */
  readonly sums: Float64Array;
}

/**
 * The tally of variants `printed`, `copies` and `sphericalLaplace`: the reports themselves, because what is made of a report
 * depends on a point w, and on a loss, that are only known later. It grows with the players.
 */
export interface ReportTally {
  readonly kind: 'reports';
  /** Digest of the parameters whose reports it takes. */
  readonly digest: string;
  /** Number of reports. */
  players: number;
  /** The reports one after the other; room for more at the end. */
  values: Values;
}

/** What a server keeps. */
export type MarginTally = MomentTally | ReportTally;

/**
 * Refuses a tally of reports made under other parameters.
 *
 * @throws RangeError.
 */
export function checkTally(name: string, tally: MarginTally, { digest }: PublicParameters): void {
  if (tally.digest !== digest) {
    throw new RangeError(refusal(`${name}.digest`, `the digest of these parameters, ${digest}`, tally.digest));
  }
}

/**
 * The order of reports in which the server reads them: sorted by their numbers, so that the estimate does not depend on
 * the order they arrived in or on the machine that tallied them.
 *
 * Shape: `length` is that of one report.
 */
export function canonicalOrder({ length }: { readonly length: number }, tally: ReportTally): Uint32Array {
  const { values, players } = tally;
  const order = Uint32Array.from({ length: players }, (_, i) => i);
  // The first numbers side by side: they decide almost always, and reports are far apart in memory.
  const first = Float64Array.from(order, (i) => values[i * length]);
  return order.sort((a, b) => {
    if (first[a] !== first[b]) return first[a] - first[b];
    for (let i = 1; i < length; i++) {
      const difference = values[a * length + i] - values[b * length + i];
      if (difference !== 0) return difference;
    }
    return 0;
  });
}
