/**
 * A loss of the margin from an expression that somebody types. The only entry that loads mathjs; no player imports it.
 *
 * | to | start from |
 * |---|---|
 * | make a loss | {@link lossFromExpression} |
 *
 * @packageDocumentation
 */
export type { MarginLoss } from '../margin-loss.ts';
export { lossFromExpression } from './loss-from-expression.ts';
