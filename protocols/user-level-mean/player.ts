import type { Player } from '../../src/core/contract.ts';
import type { UserLevelMeanRound } from './parameters.ts';
import { isVector } from './scalar/kind.ts';
import { scalarPlayer } from './scalar/player.ts';
import type { UserDatum, UserLevelReport } from './scalar/types.ts';
import { vectorPlayer } from './vector/player.ts';

export type { UserDatum };

/** The player of a round. */
export const player: Player<UserLevelMeanRound, UserDatum, UserLevelReport> = {
  randomize: (round, datum, random) =>
    isVector(round) ? vectorPlayer.randomize(round, datum, random) : scalarPlayer.randomize(round, datum, random),
  randomizeInto(round, datum, random, report) {
    if (isVector(round)) vectorPlayer.randomizeInto(round, datum, random, report);
    else scalarPlayer.randomizeInto(round, datum, random, report);
  },
  clip: (round, datum) => (isVector(round) ? vectorPlayer.clip(round, datum) : scalarPlayer.clip(round, datum)),
};

/**
 * One player's randomized report in a round.
 *
 * @throws TypeError or RangeError for samples outside the domain; the message never contains their values.
 */
export const randomize: Player<UserLevelMeanRound, UserDatum, UserLevelReport>['randomize'] = player.randomize;

/**
 * {@link randomize} over a report made before; the same coins, the same report.
 *
 * @throws RangeError besides for a report of another length.
 */
export const randomizeInto: Player<UserLevelMeanRound, UserDatum, UserLevelReport>['randomizeInto'] =
  player.randomizeInto;
