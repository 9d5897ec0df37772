/**
 * A model from players with many records each, all protected together.
 *
 * | to | start from |
 * |---|---|
 * | play it: `open`, devices, collectors | {@link userLevelErm} |
 * | make the parameters of a variant | {@link descent}, {@link userLevelErmPlan} |
 *
 * @packageDocumentation
 */

export { requiredPlayers, requiredSamples } from './descent.ts';
export type { ErmRequest } from './objective.ts';
export { descent, userLevelErmPlan } from './parameters.ts';
export { descentBound, userLevelErm } from './protocol.ts';
export { fillGradient } from './record.ts';
