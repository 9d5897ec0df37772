import { checkInteger, RefusedValue } from '../check/refusal.ts';
import { addProducts } from '../numeric/matrix.ts';
import { createLift } from '../polynomial/lift.ts';
import {
  addPowers,
  createPowerBlock,
  flushPowers,
  type PowerSumLayout,
  powerSumLayout,
} from '../polynomial/power-sums.ts';
import { bernoulli, type Random } from '../random/random.ts';
import { type SeededRandom, seededRandom } from '../random/seeded.ts';
import { BLOCK, type Population } from './runner.ts';

/**
 * The law of the sum of many reports, for the variants of a protocol whose tally is linear in a report: what n players'
 * reports add up to is drawn without making them. It belongs to simulations: it needs what no server knows.
 */
export interface SumLaw<Parameters, Datum, Tally> {
  /**
   * What has to be known of the data.
   * @throws RangeError naming what has no such law: a variant, a grade, a degree.
   */
  need(parameters: Parameters): MomentNeed;
  /**
   * The vector v of a datum; the next call may overwrite it.
   * @throws TypeError or RangeError for what a player refuses.
   */
  vector(parameters: Parameters, datum: Datum): ArrayLike<number>;
  /**
   * The law for so many players whose records have these moments.
   * @throws RangeError for moments that it cannot be drawn from.
   */
  bind(parameters: Parameters, moments: DataMoments, players: number): BoundSum<Datum, Tally>;
}

/** A law of sums with its data and its number of players. */
export interface BoundSum<Datum, Tally> {
  /** How many numbers the players' part of the sum has; where it has none, no player is asked. */
  readonly size: number;
  /**
   * Adds what so many players who hold this datum draw for themselves, at the latest with `flush`, and returns how many
   * reports were made for it: none where all that the sum needs is drawn otherwise.
   */
  add(datum: Datum, copies: number, random: Random, part: Float64Array): number;
  /** Adds what is still waiting to be added. */
  flush(part: Float64Array): void;
  /** The tally from the players' part of all players: what they have in common is drawn here. */
  finish(part: Float64Array, random: Random): Omit<DrawnSum<Tally>, 'reports'>;
}

/** A tally that was drawn, not collected. */
export interface DrawnSum<Tally> {
  readonly tally: Tally;
  /** A bound on the distance in total variation between the law of this tally and that of a tally of reports. */
  readonly distance: number;
  /** How many reports were made for it. */
  readonly reports: number;
}

/** How data moments are computed. */
export interface MomentOptions {
  /** Where moments of a part are enough: about how many players, chosen at random. Default 65,536, or all. */
  readonly chosen?: number;
  /** Seed of the choice. Default: one that is always the same. */
  readonly seed?: string | number;
}

/** Players whose vectors are summed where a part of them is enough. */
const CHOSEN = 1 << 16;

export function shareOf({ all }: MomentNeed, players: number, { chosen = CHOSEN }: MomentOptions): number {
  checkInteger('chosen', chosen, 1);
  return all || chosen >= players ? 1 : chosen / players;
}

/** The moments of one block of players; all blocks merged in order are those of the population. */
export function blockMoments<Parameters, Datum>(
  law: SumLaw<Parameters, Datum, unknown>,
  parameters: Parameters,
  population: Population<Datum>,
  block: Block & MomentOptions,
): DataMoments {
  const need = law.need(parameters);
  const moments = emptyMoments(need);
  const vector = (index: number) => law.vector(parameters, population.datum(index));
  const { from, to, seed = 'data moments' } = block;
  const share = shareOf(need, population.players, block);
  addMoments(moments, { vector, from, to, share }, seededRandom(seed).stream(block.number));
  return moments;
}

/**
 * The moments of the records of a population that the law of sums of these parameters needs, computed once: they serve all
 * parameters with the same v and at most this degree.
 * @throws RangeError for parameters whose tally has no law of sums, and for a population without players.
 */
export function dataMoments<Parameters, Datum>(
  law: SumLaw<Parameters, Datum, unknown>,
  parameters: Parameters,
  population: Population<Datum>,
  options: MomentOptions = {},
): DataMoments {
  checkInteger('players', population.players, 1);
  const total = emptyMoments(law.need(parameters));
  for (const block of blocksOf(population.players, 1)) {
    mergeMoments(total, blockMoments(law, parameters, population, { ...block, ...options }));
  }
  return total;
}

/** How a sum is drawn. */
export interface SumOptions {
  /** Seed of all coins. Seeded coins protect nobody: this is a simulation. */
  readonly seed: string | number;
  /** How many players hold the same record; 1 by default. Each draws for itself. */
  readonly copies?: number;
}

/** A range of records whose players draw from one stream of coins. */
export interface Block {
  readonly number: number;
  readonly from: number;
  readonly to: number;
}

/** Players that draw from one stream of coins where a record stands for many: enough that a block is worth a message. */
const DRAWS = 1 << 22;

/** The blocks of so many records, which follow from the number of records and copies alone. */
export function blocksOf(records: number, copies: number): readonly Block[] {
  const length = Math.min(BLOCK, Math.max(1, Math.floor(DRAWS / copies)));
  return Array.from({ length: Math.ceil(records / length) }, (_, number) => ({
    number,
    from: number * length,
    to: Math.min(records, (number + 1) * length),
  }));
}

export interface SumPart {
  readonly values: Float64Array;
  readonly reports: number;
}

/** Draws for the players of one block; the parts of all blocks are added in order. */
export function drawBlock<Parameters, Datum>(
  law: SumLaw<Parameters, Datum, unknown>,
  parameters: Parameters,
  { population, moments }: { readonly population: Population<Datum>; readonly moments: DataMoments },
  { number, from, to, seed, copies = 1 }: Block & SumOptions,
): SumPart {
  const bound = law.bind(parameters, moments, population.players * copies);
  const values = new Float64Array(bound.size);
  const random = seededRandom(seed).stream(number);
  let reports = 0;
  const end = bound.size === 0 ? from : to;
  for (let i = from; i < end; i++) reports += bound.add(population.datum(i), copies, random, values);
  bound.flush(values);
  return { values, reports };
}

/** The tally from the parts of all blocks. */
export function finishSum<Parameters, Tally>(
  law: SumLaw<Parameters, never, Tally>,
  parameters: Parameters,
  { parts, moments, players }: { readonly parts: SumPart; readonly moments: DataMoments; readonly players: number },
  { seed }: Pick<SumOptions, 'seed'>,
): DrawnSum<Tally> {
  // Blocks have the streams from 0 on: the last one is nobody's.
  const random = seededRandom(seed).stream(Number.MAX_SAFE_INTEGER);
  const { values, reports } = parts;
  return { ...law.bind(parameters, moments, players).finish(values, random), reports };
}

/**
 * Draws the tally of a population's reports without making them: see {@link SumLaw}. It takes one pass over the records in
 * which each player draws one number, and memory that does not grow with the players.
 *
 * Law: exactly that of `simulate` where the result's `distance` is 0 (in real numbers; both compute in floating point), and
 * within that distance of it in total variation otherwise. Two sums of the same seed are not independent, and a sum has
 * other numbers than the reports of the same seed.
 * @throws RangeError for parameters whose tally has no law of sums, for moments of other data, and where the bound on the
 * distance would be above 0.01.
 */
export function simulateSum<Parameters, Datum, Tally>(
  law: SumLaw<Parameters, Datum, Tally>,
  parameters: Parameters,
  { population, moments }: { readonly population: Population<Datum>; readonly moments: DataMoments },
  options: SumOptions,
): DrawnSum<Tally> {
  const copies = checkInteger('copies', options.copies ?? 1, 1);
  checkInteger('players', population.players * copies, 1);
  checkMoments(moments, law.need(parameters));
  checkInteger('moments.records', moments.records, population.players, population.players);
  let total: SumPart | undefined;
  for (const block of blocksOf(population.players, copies)) {
    total = addParts(total, drawBlock(law, parameters, { population, moments }, { ...block, ...options, copies }));
  }
  const parts = total as SumPart;
  return finishSum(law, parameters, { parts, moments, players: population.players * copies }, options);
}

/** The parts of two blocks together; the first may be none yet, and is overwritten. */
export function addParts(total: SumPart | undefined, { values, reports }: SumPart): SumPart {
  if (total === undefined) return { values, reports };
  addNumbers(total.values, values);
  return { values: total.values, reports: total.reports + reports };
}

/** Which moments of which vectors v of R^p a law of sums needs. Plain data. */
export interface MomentNeed {
  /** What v is, in words. */
  readonly what: string;
  readonly dimension: number;
  /** J ≥ 1: moments up to degree 2J. */
  readonly degree: number;
  /** Whether they have to be those of all players' vectors, and not of a part chosen at random. */
  readonly all: boolean;
}

/**
 * Sums over the records of a simulation, computed once and used for every ε, variant, share and repetition. They are those
 * of the data in the clear: what a simulation may know, and no server does. Plain data; merged by `mergeMoments`.
 */
export interface DataMoments extends Omit<MomentNeed, 'all'> {
  records: number;
  /** How many of them, chosen at random, the sums of monomials are of. */
  chosen: number;
  /**
   * Sums of the distinct monomials of degree 1 to 2J of the chosen v, in the order of a `PowerSumLayout`; where a part was
   * chosen, 0 for odd degrees.
   */
  readonly sums: Float64Array;
  /** Σ v·vᵀ over all records: the lower triangle of a p × p matrix, row by row. */
  readonly squares: Float64Array;
  /** Σ ‖v‖^{4k} over all records, k = 1 … J. */
  readonly norms: Float64Array;
}

export function emptyMoments({ what, dimension, degree }: MomentNeed): DataMoments {
  const { size } = layoutOf({ dimension, degree });
  return {
    ...{ what, dimension, degree, records: 0, chosen: 0 },
    sums: new Float64Array(size),
    squares: new Float64Array((dimension * (dimension + 1)) / 2),
    norms: new Float64Array(degree),
  };
}

/** Players whose vectors v are added to moments, and the share of them whose monomials are. */
export interface MomentRange {
  /** Valid until the next call. */
  vector(index: number): ArrayLike<number>;
  readonly from: number;
  readonly to: number;
  readonly share: number;
}

/** Vectors that are read before their squares are summed. */
const READ = 128;

/** Adds the vectors of a range of players. The coins only choose whose monomials are summed; none for a share of 1. */
export function addMoments(moments: DataMoments, range: MomentRange, random: SeededRandom): void {
  const { dimension, degree, sums, squares, norms } = moments;
  const layout = layoutOf(moments);
  // Of a part, only single powers are asked for: their products have even degrees.
  const even = Array.from({ length: degree }, (_, k) => 2 * k + 2);
  const block = createPowerBlock(layout, range.share < 1 ? even : undefined);
  const read = new Float64Array(READ * dimension);
  for (let first = range.from; first < range.to; first += READ) {
    const some = Math.min(READ, range.to - first);
    for (let i = 0, at = 0; i < some; i++) {
      const v = range.vector(first + i);
      let squared = 0;
      for (let j = 0; j < dimension; j++, at++) {
        const entry = v[j];
        squared += entry * entry;
        read[at] = entry;
      }
      for (let k = 0, power = 1; k < degree; k++) norms[k] += power *= squared * squared;
    }
    addProducts(read, read, some * dimension, dimension, squares);
    for (let i = 0; i < some; i++) {
      if (!bernoulli(range.share, random)) continue;
      moments.chosen++;
      addPowers(layout, read.subarray(i * dimension, (i + 1) * dimension), 1, block, sums);
    }
  }
  flushPowers(layout, block, sums);
  moments.records += range.to - range.from;
}

export function mergeMoments(total: DataMoments, other: DataMoments): void {
  addNumbers(total.sums, other.sums);
  addNumbers(total.squares, other.squares);
  addNumbers(total.norms, other.norms);
  total.records += other.records;
  total.chosen += other.chosen;
}

function addNumbers(total: Float64Array, other: Float64Array): void {
  for (let i = 0; i < total.length; i++) total[i] += other[i];
}

// Tables by dimension and degree: every block of players needs the same ones.
const layouts = new Map<string, PowerSumLayout>();

/** Where the sums of these moments are. */
export function layoutOf({ dimension, degree }: Pick<DataMoments, 'dimension' | 'degree'>): PowerSumLayout {
  const key = `${dimension} ${degree}`;
  const known = layouts.get(key) ?? powerSumLayout(createLift(dimension, degree));
  layouts.set(key, known);
  return known;
}

export function checkMoments(moments: DataMoments, { what, dimension }: MomentNeed): void {
  if (moments.what !== what) throw new RefusedValue('moments.what', `those of ${what}`, moments.what);
  checkInteger('moments.dimension', moments.dimension, dimension, dimension);
  checkInteger('moments.chosen', moments.chosen, 1);
}
