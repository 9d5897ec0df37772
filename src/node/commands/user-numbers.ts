import { checkInteger, refusal } from '../../check/number.ts';
import { readNumber } from './number-option.ts';

/** Options about the players of a protocol, as they were typed. */
export interface UserNumberOptions {
  readonly dimension?: string;
  /** For protocols whose plans depend on it. */
  readonly players?: string;
  /** For players with several samples. */
  readonly samples?: string;
}

/** Where nothing else is asked for: about as many as there are airports and days of the flights, with as many flights as is common. */
const PLAYERS = '40000';
const SAMPLES = '14';

/**
 * p or d: 10 features of a record, or one coordinate of a sample, unless something else was typed.
 *
 * @throws RangeError naming the option.
 */
export function dimensionOf({ dimension, players, samples }: UserNumberOptions, users: boolean): number {
  for (const [name, value] of Object.entries({ players, samples })) {
    if (!users && value !== undefined) {
      throw new RangeError(refusal(name, 'none: it is for players with several samples', value));
    }
  }
  return checkInteger('dimension', readNumber('dimension', dimension ?? (users ? '1' : '10')), 1);
}

/**
 * n, m and d of players with several samples.
 *
 * @throws RangeError naming the option.
 */
export function userNumbers(options: UserNumberOptions): {
  readonly players: number;
  readonly samples: number;
  readonly dimension: number;
} {
  return {
    players: checkInteger('players', readNumber('players', options.players ?? PLAYERS), 1),
    samples: checkInteger('samples', readNumber('samples', options.samples ?? SAMPLES), 1),
    dimension: dimensionOf(options, true),
  };
}
