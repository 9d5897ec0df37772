import { checkTally, oncePer } from '../../src/core/channel.ts';
import type { PlayedBlock } from '../../src/core/contract.ts';
import type { SeededRandom } from '../../src/random/seeded.ts';
import { type BlockPlayers, createVectorPlayers, playBlock } from '../../src/simulation/block-players.ts';
import type { Wave, WaveDatum } from './parameters.ts';
import { fillAnswer, player } from './player.ts';
import { server, type WaveTally } from './server.ts';

/** The players of a wave in blocks; undefined where they are played one after the other. Made once. */
const playersOf: (wave: Wave) => BlockPlayers | undefined = /* @__PURE__ */ oncePer(
  ({ dimension, mechanism, precision }: Wave) => createVectorPlayers(dimension, mechanism, precision),
);

/** Plays the players of a wave by a kernel, where there is one: see `simulateRound` of the contract. */
export function simulateRound(
  wave: Wave,
  tally: WaveTally,
  block: PlayedBlock<WaveDatum>,
  random: SeededRandom,
): boolean {
  checkTally('tally', tally, wave);
  if (block.player !== player || block.add !== server.add) return false;
  const { dimension } = wave;
  const answer = new Float64Array(dimension);
  const write = (index: number, target: Float64Array, at: number): void => {
    fillAnswer(wave, block.datum(index), answer);
    for (let i = 0; i < dimension; i++) target[at + i] = answer[i];
  };
  if (!playBlock(playersOf(wave), block, write, random, { sums: tally.sums, reports: new Float64Array(1) }))
    return false;
  tally.players += block.to - block.from;
  return true;
}
