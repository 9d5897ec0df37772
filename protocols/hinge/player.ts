import type { Playable } from '../../src/core/device.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import { directDevice, liftedDevice, type MarginDatum, sampledDevice } from '../generalized-linear/device.ts';
import type { LiftedParameters, SampledParameters } from '../generalized-linear/margin/parameters.ts';
import { HINGE } from './parameters.ts';

/**
 * The part of the protocol that a device needs to report under `lifted` in the grade `deployment`. Give it to
 * `deployedPlayer` instead of `hinge` where a page has to be small. It makes the same reports and the same checks; it
 * refuses requests for anything else.
 */
export const liftedHinge: Playable<LiftedParameters, MarginDatum, ValuesReport> = /* @__PURE__ */ liftedDevice(HINGE);

/** The same for `direct`: what a device needs to report under it in the grade `deployment`, and nothing else. */
export const directHinge: Playable<SampledParameters, MarginDatum, ValuesReport> = /* @__PURE__ */ directDevice(HINGE);

/** The same for `sampled`: what a device needs to report under it in the grade `deployment`, and nothing else. */
export const sampledHinge: Playable<SampledParameters, MarginDatum, ValuesReport> =
  /* @__PURE__ */ sampledDevice(HINGE);
