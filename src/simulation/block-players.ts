import type { PlayedBlock } from '../core/contract.ts';
import type { Precision } from '../core/frame.ts';
import type { UnitRandomizer } from '../mechanism/unit-mechanism.ts';
import { createLift, type Lift } from '../polynomial/lift.ts';
import { createKernel, kernelParts } from '../random/kernel.ts';
import type { SeededRandom } from '../random/seeded.ts';

/** Reports of the lift's entries `from` to `to` − 1, completed to the unit sphere. */
export interface UnitReports {
  readonly mechanism: UnitRandomizer;
  readonly from: number;
  readonly to: number;
}

export interface UnitPlayersSetting {
  readonly lift: Lift;
  readonly weights: Float64Array;
  /** Whether the numbers of a report of PrivUnitG are rounded to single precision. */
  readonly single: boolean;
  readonly kinds: readonly UnitReports[];
  /** Where each player draws its kind first: the limits of the exact choice, see `choiceLimits`. */
  readonly limits?: readonly number[];
}

/** Players of a simulation, played in blocks by a kernel. */
export interface BlockPlayers {
  /**
   * Adds the reports of `count` players to `sums`, of the lift's size, and how many there are of each kind to `reports`.
   * Player `first + i` draws from the stream of that number, or that which `stream` names for it, below 2³²; `write`
   * writes its vector into `target` from a place on, and is called once for each player, in order.
   * Law: bit for bit what the players' reports, made one after the other and summed, add up to.
   */
  add(
    players: { readonly first: number; readonly count: number; readonly stream?: (index: number) => number },
    write: (index: number, target: Float64Array, at: number) => void,
    random: SeededRandom,
    tally: { readonly sums: Float64Array; readonly reports: Float64Array },
  ): void;
}

/** Players whose vectors are in the kernel's memory at a time. */
export const PLAYERS = 512;
/** Bytes of a row of four numbers, and of what kernel/codewords.ts keeps of four players beside rows. */
const ROW = 32;
const CODEBOOK: number = 20_480;

/**
 * The kernel orders the directions g of a codebook by estimates of |⟨g, u⟩|/‖g‖ in single precision: where two of them
 * differ by more than this, twice the error of an estimate, they are in the right order. With c = 2⁻²⁴: a number of a
 * direction has a relative error of 3c (scale, high word, product) and, since it takes only its high word, an absolute
 * one below 2⁻²⁹; an entry of u has one of c. A product and a sum of 64 add 65c. By Cauchy–Schwarz ⟨g, u⟩ has an error
 * below 70c·‖g‖ + 2⁻²⁹·√d ≤ 72c·‖g‖, where ‖g‖ ≥ √d/64: otherwise there is no estimate. ‖g‖² has a relative error below
 * 76c, ‖g‖ one of half of that. Sums of 64 are added in double precision, division and rounding add 2c. In all that is
 * below (72 + 38 + 2)·1.01·c < 114c, and twice that with the rounding of the comparison below 232c, less than 2⁻¹⁶ =
 * 256c.
 */
const MARGIN: number = 2 ** -16;

/** Players who report unit vectors in blocks; undefined where there is no kernel: then they play one after the other. */
export function createUnitPlayers(
  setting: UnitPlayersSetting,
  make: typeof createKernel = createKernel,
): BlockPlayers | undefined {
  const { lift, weights, kinds, limits } = setting;
  const { dimension, size } = lift;
  const { part, end } = kernelParts();
  const indexes = part(4 * (PLAYERS + 4));
  const chosen = part(4 * (PLAYERS + 4));
  const vectors = part(8 * dimension * (PLAYERS + 4));
  const sums = part(8 * size);
  const weight = part(8 * size);
  const routes = part(8 * size);
  const limit = part(8 * kinds.length);
  const work = part(CODEBOOK + ROW * (2 * (size + 1) + dimension + 1 + size));
  const kernel = make(end());
  if (kernel === undefined) return undefined;
  const numbers = new Float64Array(kernel.memory.buffer);
  const integers = new Int32Array(kernel.memory.buffer);
  numbers.set(weights, weight / 8);
  if (limits !== undefined) numbers.set(limits, limit / 8);
  writeRoutes(lift, integers.subarray(routes / 4));
  const total = numbers.subarray(sums / 8, sums / 8 + size);
  const outcomes = integers.subarray(chosen / 4, chosen / 4 + PLAYERS);
  const order = integers.subarray(indexes / 4, indexes / 4 + PLAYERS);
  const place = new Int32Array(PLAYERS);

  /** Adds the reports of one kind, whose players lie from `start` on. */
  const play = (kind: number, start: number, count: number): void => {
    const { mechanism, from, to } = kinds[kind];
    const quadratic = limits === undefined && lift.degree <= 2;
    kernel.setLift(dimension, from, to, weight, quadratic ? 0 : routes);
    const skip = limits === undefined ? 0 : 2;
    const where = [indexes + 4 * start, vectors + 8 * dimension * start, count, sums + 8 * from, work] as const;
    if (mechanism.name === 'k-closest') {
      const { codewords, closest, keep, scale } = mechanism;
      kernel.setCodewords(codewords / 2, closest, keep, scale, MARGIN, skip);
      kernel.playCodewords(...where);
    } else {
      const { keep, cap, scale } = mechanism;
      kernel.setChannel(keep, cap, scale, Number(setting.single), skip);
      kernel.play(...where);
    }
  };

  /** Draws the kinds of players from their streams, and puts the players of each kind side by side. */
  const choose = (streams: Int32Array, count: number, starts: Int32Array): void => {
    order.set(streams);
    kernel.choose(indexes, count, limit, kinds.length, chosen);
    starts.fill(0);
    for (let i = 0; i < count; i++) starts[outcomes[i] + 1]++;
    for (let kind = 0; kind < kinds.length; kind++) starts[kind + 1] += starts[kind];
    const next = starts.slice();
    for (let i = 0; i < count; i++) {
      place[i] = next[outcomes[i]]++;
      order[place[i]] = streams[i];
    }
  };

  return {
    add({ first, count, stream = sameNumber }, write, random, tally) {
      const [one, two, three, four] = random.key;
      kernel.setKey(one, two, three, four);
      total.set(tally.sums.subarray(0, size));
      const streams = new Int32Array(PLAYERS);
      const starts = new Int32Array(kinds.length + 1);
      for (let done = 0; done < count; done += PLAYERS) {
        const some = Math.min(PLAYERS, count - done);
        for (let i = 0; i < some; i++) streams[i] = stream(first + done + i);
        if (limits !== undefined) {
          choose(streams, some, starts);
        } else {
          order.set(streams);
          for (let i = 0; i < some; i++) place[i] = i;
          starts[1] = some;
        }
        for (let i = 0; i < some; i++) write(first + done + i, numbers, vectors / 8 + place[i] * dimension);
        for (let kind = 0; kind < kinds.length; kind++) {
          const reports = starts[kind + 1] - starts[kind];
          if (reports > 0) play(kind, starts[kind], reports);
          tally.reports[kind] += reports;
        }
      }
      tally.sums.set(total);
    },
  };
}

/** Players draw from the streams of their own numbers, where nothing else is said. */
const sameNumber = (index: number): number => index;

/** The streams that a kernel knows: those whose index is a 32-bit number. */
const STREAMS = 2 ** 32;

/**
 * Adds the reports of consecutive players: see `add` of {@link BlockPlayers}. Returns false, and does nothing, where
 * there are no players in blocks, and where a player's stream is none that a kernel knows.
 */
export function playBlock(
  players: BlockPlayers | undefined,
  { from, to, stream = sameNumber }: Pick<PlayedBlock<unknown>, 'from' | 'to' | 'stream'>,
  write: (index: number, target: Float64Array, at: number) => void,
  random: SeededRandom,
  tally: { readonly sums: Float64Array; readonly reports: Float64Array },
): boolean {
  if (players === undefined) return false;
  for (let i = from; i < to; i++) if (!(stream(i) < STREAMS)) return false;
  players.add({ first: from, count: to - from, stream }, write, random, tally);
  return true;
}

/** Longer vectors are played one after the other: those of a block would take more than 34 MB. */
export const LONGEST = 8192;

/** Players who report a vector of the unit ball of R^p, completed to the unit sphere: see {@link createUnitPlayers}. */
export function createVectorPlayers(
  dimension: number,
  mechanism: UnitRandomizer,
  precision: Precision,
  make: typeof createKernel = createKernel,
): BlockPlayers | undefined {
  if (dimension > LONGEST) return undefined;
  const lift = createLift(dimension, 1);
  const kinds = [{ mechanism, from: 0, to: dimension }];
  return createUnitPlayers({ lift, weights: lift.weight, single: precision === 'float32', kinds }, make);
}

/** Parent and factor of every monomial beyond the coordinates, in bytes of rows. */
function writeRoutes({ dimension, size, parent, factor }: Lift, target: Int32Array): void {
  for (let entry = dimension, at = 0; entry < size; entry++, at += 2) {
    target[at] = ROW * parent[entry];
    target[at + 1] = ROW * factor[entry];
  }
}

export interface CopyPlayersSetting {
  /** The symmetric powers that are tallied: the first, or the first two. */
  readonly lift: Lift;
  readonly sigma: number;
  /** Whether the numbers of a report are rounded to single precision. */
  readonly single: boolean;
}

/**
 * Players who report noisy copies, z = v + σg, in blocks, or undefined: see {@link createUnitPlayers}. Their tally is the
 * sum of the corrected symmetric powers of z: see `addHermiteLift`.
 */
export function createCopyPlayers(
  { lift: { dimension, degree, size }, sigma, single }: CopyPlayersSetting,
  make: typeof createKernel = createKernel,
): BlockPlayers | undefined {
  const { part, end } = kernelParts();
  const indexes = part(4 * (PLAYERS + 4));
  const vectors = part(8 * dimension * (PLAYERS + 4));
  const sums = part(8 * size);
  const work = part(2 * ROW * dimension);
  const kernel = make(end());
  if (kernel === undefined) return undefined;
  const numbers = new Float64Array(kernel.memory.buffer);
  const order = new Int32Array(kernel.memory.buffer, indexes, PLAYERS + 4);
  const total = numbers.subarray(sums / 8, sums / 8 + size);
  return {
    add({ first, count, stream = sameNumber }, write, random, tally) {
      const [one, two, three, four] = random.key;
      kernel.setKey(one, two, three, four);
      kernel.setCopies(dimension, Number(degree > 1), sigma, Number(single));
      total.set(tally.sums.subarray(0, size));
      for (let done = 0; done < count; done += PLAYERS) {
        const some = Math.min(PLAYERS, count - done);
        for (let i = 0; i < some; i++) order[i] = stream(first + done + i);
        for (let i = 0; i < some; i++) write(first + done + i, numbers, vectors / 8 + i * dimension);
        kernel.playCopies(indexes, vectors, some, sums, work);
      }
      tally.sums.set(total);
      tally.reports[0] += count;
    },
  };
}
