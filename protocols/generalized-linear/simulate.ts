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
import type { ChannelParameters } from './margin/parameters.ts';

/** The players of these parameters in blocks; undefined where they are played one after the other. Made once. */
const playersOf: (parameters: ChannelParameters) => BlockPlayers | undefined = /* @__PURE__ */ oncePer(makePlayers);

function makePlayers(parameters: ChannelParameters): BlockPlayers | undefined {
  const { variant, precision } = parameters;
  const single = precision === 'float32';
  if (variant === 'gaussian') {
    const { lift, sigma, noise } = parameters;
    return noise === undefined && lift.degree <= 2 ? createCopyPlayers({ lift, sigma, single }) : undefined;
  }
  if (variant !== 'lifted' && variant !== 'sampled') return undefined;
  const { lift } = parameters;
  if (variant === 'lifted') {
    const kinds = [{ mechanism: parameters.mechanism, from: 0, to: lift.size }];
    return createUnitPlayers({ lift, weights: parameters.weights, single, kinds });
  }
  const { limits, mechanisms } = parameters;
  const { weight: weights, offsets } = lift;
  const kinds = mechanisms.map((mechanism, block) => ({ mechanism, from: offsets[block], to: offsets[block + 1] }));
  return createUnitPlayers({ lift, weights, single, kinds, limits });
}

/** Plays the players of `lifted`, `sampled` and `gaussian` by a kernel, where there is one: see `simulate` of the contract. */
export function simulate(
  parameters: ChannelParameters,
  tally: ChannelTally,
  block: PlayedBlock<MarginDatum>,
  random: SeededRandom,
): boolean {
  checkTally('tally', tally, parameters);
  const { variant } = parameters;
  if (variant !== 'lifted' && variant !== 'sampled' && variant !== 'gaussian') return false;
  if (block.player !== player || block.add !== marginTallying.add) return false;
  const { size, degree } = parameters.lift;
  const write = (index: number, target: Float64Array, at: number): void => {
    const record = block.datum(index);
    checkRecord(parameters, record);
    writeSigned(parameters, record, target, at);
  };
  const { sums } = momentTally(tally);
  const reports = new Float64Array(degree);
  const powers = { sums: sums.subarray(0, size), reports };
  if (!playBlock(playersOf(parameters), block, write, random, powers)) return false;
  if (variant === 'sampled') for (let power = 0; power < degree; power++) sums[size + power] += reports[power];
  tally.players += block.to - block.from;
  return true;
}
