import { oncePer } from '../../src/core/channel.ts';
import type { PlayedBlock } from '../../src/core/contract.ts';
import { createLift } from '../../src/polynomial/lift.ts';
import { createKernel, FREE } from '../../src/random/kernel.ts';
import type { SeededRandom } from '../../src/random/seeded.ts';
import {
  type BlockPlayers,
  createCopyPlayers,
  createVectorPlayers,
  LONGEST,
  playBlock,
} from '../../src/simulation/block-players.ts';
import { checkTally } from './course.ts';
import { fillResidual, type ResidualSpace, refuseSamples, samplesOf, withinBall } from './local-mean.ts';
import type { UserLevelMeanRound } from './parameters.ts';
import { player } from './player.ts';
import { server } from './server.ts';
import type { MeanTally, UserDatum } from './shape.ts';
import type { ResidualRound } from './vector/residual-round.ts';

const { floor, max, min } = Math;

/** Samples are summed by parts of at most so many numbers, if one sample is not longer: 32 kB. */
const PART = 4096;

/**
 * The residual of a player's samples, which the next call overwrites; undefined for samples that the player has to read one by one.
 * @throws TypeError or RangeError as the player does.
 */
type Residuals = (datum: UserDatum) => Float64Array | undefined;

/** Residuals by a kernel: bit for bit those of the player. Undefined where there is no kernel, and for samples of a ball. */
export function createResiduals(round: ResidualSpace, make: typeof createKernel = createKernel): Residuals | undefined {
  const { dimension, bound, domain, radius } = round;
  const part = max(PART, dimension);
  const most = floor(part / dimension);
  const target = FREE + 8 * part;
  // Each at a multiple of 16 bytes.
  const centre = target + 8 * (dimension + (dimension & 1));
  const kernel = domain === 'box' ? make(centre + 8 * dimension) : undefined;
  if (kernel === undefined) return undefined;
  const numbers = new Float64Array(kernel.memory.buffer);
  numbers.set(round.centre, centre / 8);
  const sums = numbers.subarray(target / 8, target / 8 + dimension);
  const shrink = withinBall(dimension);
  return (datum) => {
    const count = samplesOf(datum, dimension);
    const { samples } = datum;
    if (!(samples instanceof Float64Array)) return undefined;
    sums.fill(0);
    let inside = true;
    for (let done = 0; done < count; done += most) {
      const some = min(most, count - done);
      // A view of all samples would cost as much as their sum.
      const given = some === count ? samples : samples.subarray(done * dimension, (done + some) * dimension);
      numbers.set(given, FREE / 8);
      if (kernel.addSamples(FREE, some, dimension, target) > bound) inside = false;
    }
    // Whatever is not a number has made its sum NaN, and the length of the residual with it.
    const squared = kernel.placeResidual(target, centre, dimension, count, radius, shrink);
    if (!inside || Number.isNaN(squared)) refuseSamples(round);
    return sums;
  };
}

/** The players of a round in blocks. */
interface ResidualPlayers {
  readonly players: BlockPlayers;
  readonly residuals: Residuals | undefined;
}

/** The players of a round of residuals; undefined where they are played one after the other. Made once. */
const playersOf: (round: ResidualRound) => ResidualPlayers | undefined = /* @__PURE__ */ oncePer(makePlayers);

function makePlayers(round: ResidualRound): ResidualPlayers | undefined {
  const { dimension, mechanism, sigma, noise, precision } = round;
  if (noise !== undefined || dimension > LONGEST) return undefined;
  const players =
    mechanism === undefined
      ? createCopyPlayers({ lift: createLift(dimension, 1), sigma: sigma!, single: precision === 'float32' })
      : createVectorPlayers(dimension, mechanism, precision);
  return players && { players, residuals: createResiduals(round) };
}

/**
 * Plays the players of a round of residuals by a kernel, where there is one: see `simulateRound` of the contract.
 * @throws TypeError or RangeError for samples outside the domain, as the player does; RangeError for the tally of another round.
 */
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
    let residual = made?.residuals?.(datum);
    if (residual === undefined) {
      fillResidual(round, datum, own);
      residual = own;
    }
    for (let i = 0; i < dimension; i++) target[at + i] = residual[i];
  };
  const sums = { sums: tally.sums, reports: new Float64Array(1) };
  if (!playBlock(made?.players, block, write, random, sums)) return false;
  tally.players += block.to - block.from;
  return true;
}
