import { train } from './curator.ts';
import { claimOf } from './theory.ts';

/** PIDP-SGD in one object. It has a claim and no guarantee, a curator and no player: nothing that runs protocols takes it. */
export const influenceSgd: {
  readonly name: 'influence-sgd';
  readonly setting: 'central';
  readonly claim: typeof claimOf;
  readonly curator: { readonly train: typeof train };
} = { name: 'influence-sgd', setting: 'central', claim: claimOf, curator: { train } };
