import type { Player } from '../../src/core/contract.ts';
import { type MarginDatum, marginPlayer, randomizeMargin, randomizeMarginInto } from './margin/player.ts';
import type { GeneralizedLinearParameters } from './parameters.ts';
import type { GeneralizedLinearReport } from './report.ts';

export { randomizeLifted } from './margin/lifted-player.ts';

/** One player's private record: for a regression `label` is the response y in [−1, 1]. */
export type GeneralizedLinearDatum = MarginDatum;

/** The player of the generalized-linear protocol. */
export const player: Player<GeneralizedLinearParameters, GeneralizedLinearDatum, GeneralizedLinearReport> =
  marginPlayer;

/**
 * One player's randomized report.
 *
 * @throws TypeError or RangeError for a record outside the domain; the message never contains its values.
 */
export const randomize: typeof player.randomize = randomizeMargin;

/**
 * {@link randomize} over a report made before; the same coins, the same report.
 *
 * @throws RangeError besides for a report of another length.
 */
export const randomizeInto: typeof player.randomizeInto = randomizeMarginInto;
