import { checkInteger } from '../../check/number.ts';
import { readNumber } from './number-option.ts';

/** Options about the players of a protocol in rounds, as they were typed. */
export interface UserNumberOptions {
  readonly dimension?: string;
  readonly players?: string;
  readonly samples?: string;
}

/** Where nothing else is asked for: about as many as there are airports and days of the flights, with as many flights as is common. */
const PLAYERS = '40000';
const SAMPLES = '14';

/**
 * p: 10 features of a record unless something else was typed.
 *
 * @throws RangeError naming the option.
 */
export function dimensionOf({ dimension = '10' }: { readonly dimension?: string }): number {
  return checkInteger('dimension', readNumber('dimension', dimension), 1);
}

/**
 * n, m and d of players with several samples.
 *
 * @throws RangeError naming the option.
 */
export function userNumbers({ players = PLAYERS, samples = SAMPLES, dimension = '1' }: UserNumberOptions): {
  readonly players: number;
  readonly samples: number;
  readonly dimension: number;
} {
  return {
    players: checkInteger('players', readNumber('players', players), 1),
    samples: checkInteger('samples', readNumber('samples', samples), 1),
    dimension: checkInteger('dimension', readNumber('dimension', dimension), 1),
  };
}
