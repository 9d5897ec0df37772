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
export { descent, type ErmRequest, userLevelErmPlan } from './parameters.ts';
export { fillGradient } from './player.ts';
export { userLevelErm } from './protocol.ts';
export { requiredPlayers, requiredSamples } from './schedule.ts';
export { descentBound } from './theory.ts';
