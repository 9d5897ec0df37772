import { type MeanProtocol, meanProtocol } from './protocol.ts';
import { DEPLOYABLE } from './variants.ts';

/**
 * The same protocol with the variants alone that a device may play: give it to `deployedRoundsPlayer` in the place of `userLevelMean`.
 * The same plans, rounds and reports; requests for what the slides print are refused, and none of it is loaded.
 */
export const deployableMean: MeanProtocol = /* @__PURE__ */ meanProtocol(DEPLOYABLE);
