// The entry "./expression": the only one that loads mathjs. No player and no other entry imports it.
export type { MarginLoss } from '../margin-loss.ts';
export * from './loss-from-expression.ts';
