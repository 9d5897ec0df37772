import { DEPLOYABLE } from './parameters.ts';
import { type MeanProtocol, meanProtocol } from './protocol.ts';

/**
 * The same protocol with only the variants that a device may play: give it to `deployedRoundsPlayer` instead of
 * `userLevelMean`. Plans, rounds and reports are the same. Requests for schemes printed in the slides are refused, and
 * none of their code is loaded.
 */
export const deployableMean: MeanProtocol = /* @__PURE__ */ meanProtocol(DEPLOYABLE);
