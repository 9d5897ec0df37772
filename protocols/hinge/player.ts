import type { Player } from '../../src/protocol/contract.ts';
import {
  type MarginDatum,
  marginPlayer,
  randomizeMargin,
  randomizeMarginInto,
} from '../../src/protocol/margin/player.ts';
import type { HingeParameters } from './parameters.ts';
import type { HingeReport } from './report.ts';

export { randomizeLifted } from '../../src/protocol/margin/lifted-player.ts';

/** One player's private record. */
export type HingeDatum = MarginDatum;

/** The player of the hinge protocol. */
export const player: Player<HingeParameters, HingeDatum, HingeReport> = marginPlayer;

/**
 * One player's randomized report.
 *
 * @throws TypeError or RangeError for a record outside the domain; the message never contains its values.
 */
export const randomize: Player<HingeParameters, HingeDatum, HingeReport>['randomize'] = randomizeMargin;

/**
 * {@link randomize} over a report made before; the same coins, the same report.
 *
 * @throws RangeError besides for a report of another length.
 */
export const randomizeInto: Player<HingeParameters, HingeDatum, HingeReport>['randomizeInto'] = randomizeMarginInto;
