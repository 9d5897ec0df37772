import type { CertificateDocument } from '../../core/certified.ts';
import { decimalAbove } from '../../privacy/rounding.ts';
import { largestShuffledEpsilon, shuffleEpsilon } from '../../privacy/shuffle.ts';
import { cloneShuffleEpsilon } from '../../privacy/shuffle-clone.ts';
import { wholeNumber } from '../figures.ts';

/** δ of the shuffled reports: below one over the largest crowd shown. */
export const SHUFFLED_DELTA = 1e-8;

const CROWDS = [1e3, 1e4, 1e5, 1e6, 1e7];

/** What one report guarantees once it is hidden in a crowd. */
export interface ShuffledRow {
  /** How many reports are shuffled. */
  readonly players: string;
  /** ε in closed form, a dash where its theorem does not hold. */
  readonly closed: string;
  /** ε of the numeric bound. */
  readonly numeric: string;
}

/**
 * Amplification by shuffling for a transcript that is one pure report, by bounds that hold for any randomizer; empty for any
 * other transcript. Numbers are rounded up.
 *
 * Source: Feldman, McMillan, Talwar 2021, theorem 3.1.
 */
export function shuffledRows({ releases, totals }: CertificateDocument): readonly ShuffledRow[] {
  const reports = releases.reduce((sum, { count }) => sum + count, 0);
  const total = totals.find(({ guarantee }) => guarantee.kind === 'pure')?.guarantee;
  // The bounds are computed for ε from 1e-9 to 100.
  if (reports !== 1 || total?.kind !== 'pure' || total.epsilon < 1e-9 || total.epsilon > 100) return [];
  const { epsilon } = total;
  return CROWDS.map((players) => {
    const request = { epsilon, players, delta: SHUFFLED_DELTA };
    const proved = epsilon <= largestShuffledEpsilon(request);
    return {
      players: wholeNumber(players),
      closed: proved ? decimalAbove(shuffleEpsilon(request), 4) : '–',
      numeric: decimalAbove(cloneShuffleEpsilon(request), 4),
    };
  });
}
