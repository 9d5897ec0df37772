import type { Playable } from '../../src/core/device.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import type { LiftedParameters } from '../generalized-linear/margin/parameters.ts';
import type { MarginDatum } from '../generalized-linear/player.ts';
import { liftedDevice } from '../generalized-linear/player.ts';
import { HINGE } from './parameters.ts';

/**
 * What a device needs of the protocol to answer under `lifted` in the grade `deployment`: give it to `deployedPlayer` in the place of
 * `hinge` where a page has to be small. The same reports and the same checks; requests for anything else are refused.
 */
export const liftedHinge: Playable<LiftedParameters, MarginDatum, ValuesReport> = /* @__PURE__ */ liftedDevice(HINGE);
