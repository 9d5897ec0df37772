import type { Player } from '../../src/core/contract.ts';
import type { Playable } from '../../src/core/device.ts';
import { liftedDevice } from '../generalized-linear/margin/lifted-device.ts';
import { randomizeLifted } from '../generalized-linear/margin/lifted-player.ts';
import {
  type MarginDatum,
  marginPlayer,
  randomizeMargin,
  randomizeMarginInto,
} from '../generalized-linear/margin/player.ts';
import { HINGE, type HingeParameters, type LiftedParameters } from './parameters.ts';
import type { HingeReport } from './report.ts';

export { randomizeLifted };

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

/**
 * What a device needs of the protocol to answer under `lifted` in the grade `deployment`: give it to `deployedPlayer` in the place of
 * `hinge` where a page has to be small. The same reports and the same checks; requests for anything else are refused.
 */
export const liftedHinge: Playable<LiftedParameters, HingeDatum, HingeReport> = /* @__PURE__ */ liftedDevice(HINGE);
