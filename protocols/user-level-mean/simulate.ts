import { oncePer } from '../../src/core/channel.ts';
import type { PlayedBlock } from '../../src/core/contract.ts';
import { createLift } from '../../src/polynomial/lift.ts';
import { createKernel, type Kernel } from '../../src/random/kernel.ts';
import type { SeededRandom } from '../../src/random/seeded.ts';
import { createCopyPlayers, createVectorPlayers, LONGEST, playBlock } from '../../src/simulation/block-players.ts';
import { checkTally } from './course.ts';
import { fillResidual, type ResidualSpace, refuseSamples, samplesOf, withinBall } from './local-mean.ts';
import type { UserLevelMeanRound } from './parameters.ts';
import { player } from './player.ts';
import { server } from './server.ts';
import type { MeanTally, UserDatum } from './shape.ts';
import type { ResidualRound } from './vector/residual-round.ts';

const { ceil, floor, max, min } = Math;

/** Samples are summed by parts of at most so many numbers, if one sample is not longer: 32 kB. */
const PART = 4096;

/** Writes a player's residual into the numbers of a kernel; false for samples that the player has to read one by one. */
type Residuals = (datum: UserDatum, at: number) => boolean;

/** Numbers that lie at a time in the memory of a kernel that makes residuals: samples, and the centre. */
const roomOf = (dimension: number): number => max(PART, dimension) + dimension;

/**
 * Residuals by a kernel whose memory has {@link roomOf} numbers for it from `room` on: bit for bit those of the player.
 * Undefined for samples of a ball.
 */
export function createResiduals(round: ResidualSpace, kernel: Kernel, room: number): Residuals | undefined {
  const { dimension, bound, domain, radius } = round;
  if (domain !== 'box') return undefined;
  const most = floor(max(PART, dimension) / dimension);
  const centre = room + max(PART, dimension);
  const numbers = new Float64Array(kernel.memory.buffer);
  numbers.set(round.centre, centre);
  const shrink = withinBall(dimension);
  return (datum, at) => {
    const count = samplesOf(datum, dimension);
    const { samples } = datum;
    if (!(samples instanceof Float64Array)) return false;
    let inside = true;
    for (let done = 0; done < count; done += most) {
      const some = min(most, count - done);
      // A view of all samples would cost as much as their sum.
      const given = some === count ? samples : samples.subarray(done * dimension, (done + some) * dimension);
      numbers.set(given, room);
      if (kernel.addSamples(8 * room, some, dimension, 8 * at, Number(done === 0)) > bound) inside = false;
    }
    // Whatever is not a number has made its sum NaN, and the length of the residual with it.
    const squared = kernel.placeResidual(8 * at, 8 * centre, dimension, count, radius, shrink);
    if (!inside || Number.isNaN(squared)) refuseSamples(round);
    return true;
  };
}

/** The players of a round of residuals in blocks; undefined where they are played one after the other. Made once. */
const playersOf = /* @__PURE__ */ oncePer((round: ResidualRound) => {
  const { dimension, mechanism, sigma, noise, precision } = round;
  if (noise !== undefined || dimension > LONGEST) return undefined;
  let residuals: Residuals | undefined;
  // Residuals are made in the memory of the players, where their vectors are wanted.
  const make = (bytes: number): Kernel | undefined => {
    const room = 2 * ceil(bytes / 16);
    const kernel = createKernel(8 * (room + roomOf(dimension)));
    residuals = kernel && createResiduals(round, kernel, room);
    return kernel;
  };
  const players =
    mechanism === undefined
      ? createCopyPlayers({ lift: createLift(dimension, 1), sigma: sigma!, single: precision === 'float32' }, make)
      : createVectorPlayers(dimension, mechanism, precision, make);
  return players && { players, residuals };
});

/** Plays the players of a round of residuals by a kernel, where there is one: see `simulateRound` of the contract. */
export function simulateRound(
  round: UserLevelMeanRound,
  tally: MeanTally,
  block: PlayedBlock<UserDatum>,
  random: SeededRandom,
): boolean {
  checkTally('tally', tally, round);
  if (round.kind !== 'residual' || block.player !== player || block.add !== server.add) return false;
  const made = playersOf(round);
  const { dimension } = round;
  const own = new Float64Array(dimension);
  const write = (index: number, target: Float64Array, at: number): void => {
    const datum = block.datum(index);
    if (made?.residuals?.(datum, at)) return;
    fillResidual(round, datum, own);
    for (let i = 0; i < dimension; i++) target[at + i] = own[i];
  };
  const sums = { sums: tally.sums, reports: new Float64Array(1) };
  if (!playBlock(made?.players, block, write, random, sums)) return false;
  tally.players += block.to - block.from;
  return true;
}
