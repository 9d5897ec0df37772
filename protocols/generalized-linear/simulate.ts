import { type ChannelTally, checkTally, momentTally, oncePer } from '../../src/core/channel.ts';
import type { PlayedBlock } from '../../src/core/contract.ts';
import { exactChoice } from '../../src/mechanism/exact-coin.ts';
import type { KClosest } from '../../src/mechanism/k-closest.ts';
import type { PrivUnitG } from '../../src/mechanism/unit-mechanism.ts';
import type { SeededRandom } from '../../src/random/seeded.ts';
import { type CodewordSums, createCodewordSums } from '../../src/simulation/codeword-players.ts';
import { createUnitPlayers, type UnitPlayers, type UnitReports } from '../../src/simulation/unit-players.ts';
import { marginTallying } from './margin/channels.ts';
import type { ChannelParameters, LiftedParameters, SampledParameters } from './margin/parameters.ts';
import { checkRecord, liftedVector, type MarginDatum, player, powerVector, signedRecord } from './player.ts';

/** The streams that a kernel knows: those whose index is a 32-bit number. */
const STREAMS = 2 ** 32;

/** The players of these parameters in blocks; undefined where they are played one after the other. Made once. */
const playersOf: (parameters: ChannelParameters) => UnitPlayers | undefined = /* @__PURE__ */ oncePer(makePlayers);

function makePlayers(parameters: ChannelParameters): UnitPlayers | undefined {
  const { variant, grade, precision } = parameters;
  if (grade !== 'simulation' || (variant !== 'lifted' && variant !== 'sampled')) return undefined;
  const { lift } = parameters;
  const single = precision === 'float32';
  if (variant === 'lifted') {
    const kinds = [{ mechanism: simulated(parameters.mechanism), from: 0, to: lift.size }];
    return createUnitPlayers({ lift, weights: parameters.weights, single, kinds });
  }
  const { limits } = parameters;
  return createUnitPlayers({ lift, weights: lift.weight, single, kinds: kindsOf(parameters), limits });
}

function kindsOf({ lift, mechanisms }: SampledParameters): readonly UnitReports[] {
  const { offsets } = lift;
  return mechanisms.map((mechanism, block) => ({
    mechanism: simulated(mechanism),
    from: offsets[block],
    to: offsets[block + 1],
  }));
}

/** The mechanism of the grade `simulation`. */
const simulated = (mechanism: LiftedParameters['mechanism']): PrivUnitG => mechanism as PrivUnitG;

/** The sums of deployed reports of these parameters; undefined where there is no kernel for them. Made once. */
const codewordSumsOf: (parameters: LiftedParameters | SampledParameters) => CodewordSums | undefined =
  /* @__PURE__ */ oncePer((parameters) => {
    const { size, degree } = parameters.lift;
    if (parameters.variant === 'lifted') return createCodewordSums([parameters.mechanism as KClosest], size);
    // After the sums of all powers come the numbers of their reports.
    return createCodewordSums(parameters.mechanisms as readonly KClosest[], size + degree);
  });

/**
 * Plays the players of `lifted` and `sampled` reports by a kernel, where there is one: see `simulate` of the contract.
 *
 * @throws TypeError or RangeError for a record outside the domain, as the player does; RangeError for a tally of other
 * parameters.
 */
export function simulate(
  parameters: ChannelParameters,
  tally: ChannelTally,
  block: PlayedBlock<MarginDatum>,
  random: SeededRandom,
): boolean {
  checkTally('tally', tally, parameters);
  const { variant, grade } = parameters;
  if (variant !== 'lifted' && variant !== 'sampled') return false;
  if (block.player !== player || block.add !== marginTallying.add) return false;
  const play = grade === 'deployment' ? playDeployed : playSimulated;
  if (!play(parameters, momentTally(tally).sums, block, random)) return false;
  tally.players += block.to - block.from;
  return true;
}

/** Adds the reports of PrivUnitG of all players of a block to the sums; false, and nothing done, where there is no kernel. */
function playSimulated(
  parameters: LiftedParameters | SampledParameters,
  sums: Float64Array,
  block: PlayedBlock<MarginDatum>,
  random: SeededRandom,
): boolean {
  const { from, to } = block;
  const players = to <= STREAMS ? playersOf(parameters) : undefined;
  if (players === undefined) return false;
  const { dimension, size, degree } = parameters.lift;
  const write = (index: number, target: Float64Array, at: number): void => {
    const record = block.datum(index);
    checkRecord(parameters, record);
    const signed = signedRecord(parameters, record);
    for (let i = 0; i < dimension; i++) target[at + i] = signed[i];
  };
  const reports = new Float64Array(degree);
  players.add({ first: from, count: to - from }, write, random, { sums: sums.subarray(0, size), reports });
  if (parameters.variant === 'sampled')
    for (let power = 0; power < degree; power++) sums[size + power] += reports[power];
  return true;
}

/** The same for deployed reports: k-closest encoding. */
function playDeployed(
  parameters: LiftedParameters | SampledParameters,
  sums: Float64Array,
  block: PlayedBlock<MarginDatum>,
  random: SeededRandom,
): boolean {
  const codewords = codewordSumsOf(parameters);
  if (codewords === undefined) return false;
  const { size, offsets } = parameters.lift;
  codewords.sums.set(sums);
  for (let i = block.from; i < block.to; i++) {
    random.seek(i);
    const record = block.datum(i);
    checkRecord(parameters, record);
    const power = parameters.variant === 'sampled' ? exactChoice(parameters.limits, random) + 1 : 1;
    const [mechanism, vector] =
      parameters.variant === 'sampled'
        ? [parameters.mechanisms[power - 1], powerVector(parameters, power, record)]
        : [parameters.mechanism, liftedVector(parameters, record)];
    for (let j = 0; j < mechanism.dimension; j++) codewords.unit[j] = vector[j];
    codewords.add(mechanism as KClosest, random, offsets[power - 1]);
    if (parameters.variant === 'sampled') codewords.sums[size + power - 1]++;
  }
  sums.set(codewords.sums);
  return true;
}
