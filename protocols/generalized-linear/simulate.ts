import { type ChannelTally, checkTally, momentTally, oncePer } from '../../src/core/channel.ts';
import type { PlayedBlock } from '../../src/core/contract.ts';
import type { SeededRandom } from '../../src/random/seeded.ts';
import {
  type BlockPlayers,
  createCopyPlayers,
  createUnitPlayers,
  playBlock,
} from '../../src/simulation/block-players.ts';
import { checkRecord, type MarginDatum, player, writeSigned } from './device.ts';
import { marginTallying } from './margin/channels.ts';
import type {
  ChannelParameters,
  GaussianParameters,
  LiftedParameters,
  SampledParameters,
  VectorParameters,
} from './margin/parameters.ts';

/** Makes the players in blocks, by variant; undefined where they are played one after the other. */
const MAKERS: {
  readonly [variant in ChannelParameters['variant']]?: (parameters: never, single: boolean) => BlockPlayers | undefined;
} = {
  lifted: ({ lift, weights, mechanism }: LiftedParameters, single) =>
    createUnitPlayers({ lift, weights, single, kinds: [{ mechanism, from: 0, to: lift.size }] }),
  sampled({ lift, limits, mechanisms }: SampledParameters, single) {
    const { weight: weights, offsets } = lift;
    const kinds = mechanisms.map((mechanism, block) => ({ mechanism, from: offsets[block], to: offsets[block + 1] }));
    return createUnitPlayers({ lift, weights, single, kinds, limits });
  },
  gaussian: ({ lift, sigma, noise }: GaussianParameters, single) =>
    noise === undefined && lift.degree <= 2 ? createCopyPlayers({ lift, sigma, single }) : undefined,
};

/** Made once for the same parameters. */
const playersOf = /* @__PURE__ */ oncePer((parameters: ChannelParameters) =>
  MAKERS[parameters.variant]?.(parameters as never, parameters.precision === 'float32'),
);

/** Plays the players of `lifted`, `sampled` and `gaussian` by a kernel, where there is one: see `simulate` of the contract. */
export function simulate(
  parameters: ChannelParameters,
  tally: ChannelTally,
  block: PlayedBlock<MarginDatum>,
  random: SeededRandom,
): boolean {
  checkTally('tally', tally, parameters);
  if (block.player !== player || block.add !== marginTallying.add) return false;
  const players = playersOf(parameters);
  if (players === undefined) return false;
  const { size, degree } = (parameters as VectorParameters).lift;
  const write = (index: number, target: Float64Array, at: number): void => {
    const record = block.datum(index);
    checkRecord(parameters, record);
    writeSigned(parameters, record, target, at);
  };
  const { sums } = momentTally(tally);
  const reports = new Float64Array(degree);
  const powers = { sums: sums.subarray(0, size), reports };
  if (!playBlock(players, block, write, random, powers)) return false;
  // Of `sampled` the counts of the powers follow the sums.
  for (let entry = size; entry < sums.length; entry++) sums[entry] += reports[entry - size];
  tally.players += block.to - block.from;
  return true;
}
