import { train } from './curator.ts';
import { claimOf } from './theory.ts';

/**
 * PIDP-SGD in one object. It has a claim but no guarantee, a curator but no player; functions that run protocols do not
 * accept it.
 */
export const influenceSgd: {
  readonly name: 'influence-sgd';
  readonly setting: 'central';
  readonly claim: typeof claimOf;
  readonly curator: { readonly train: typeof train };
} = { name: 'influence-sgd', setting: 'central', claim: claimOf, curator: { train } };
