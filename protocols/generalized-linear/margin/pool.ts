import { checkNonNegative, RefusedValue } from '../../../src/check/refusal.ts';
import { type ChannelTally, checkTally, type MomentTally } from '../../../src/core/channel.ts';
import type { PublicParameters } from '../../../src/core/contract.ts';
import { type Guarantee, personalGuarantees } from '../../../src/privacy/guarantee.ts';
import type { LiftedParameters } from './parameters.ts';

/** What lifted parameters of one protocol have in common, whatever the protocol. */
export interface PooledParameters
  extends PublicParameters,
    Pick<LiftedParameters, 'epsilon' | 'degree' | 'dimension' | 'scales' | 'mechanism'> {
  readonly variant: string;
  /** What the record is used for, where the protocol knows several tasks. */
  readonly task?: string;
}

/** The reports of all players who chose one budget. */
export interface Level<Parameters> {
  /** The parameters at that budget. */
  readonly parameters: Parameters;
  /** Their tally. */
  readonly tally: ChannelTally;
}

/** The joint result of reports under budgets that the players chose themselves. */
export interface Pool<Parameters> {
  /**
   * The parameters for an estimate from the pooled tally: those of the level with the least noise. To certify, use
   * `guarantee` instead.
   */
  readonly parameters: Parameters;
  /**
   * The tally to estimate from. Its number of `players` is the effective number: so many players at the level of least
   * noise would give the same noise.
   */
  readonly tally: MomentTally;
  /** Number of reports, and the guarantee of the players who chose each level, in the order given. */
  readonly levels: readonly { readonly players: number; readonly guarantee: Guarantee }[];
  /** What holds for every player, the weakest of these guarantees. */
  readonly guarantee: Guarantee;
}

/**
 * One tally from lifted reports whose players chose their own ε. The weights are the inverse noise variances. This is
 * the best weighting where the noise is larger than the spread of the data.
 *
 * Guarantee: each player's own level; the whole collection is at least as private as its largest ε says. The choice of
 * a level is visible in the report's digest, so it must not depend on the private datum.
 *
 * Law: with c_l the variance of a report at level l, the pooled sums are Σ (c/c_l)·sums_l and the effective number of
 * players is Σ (c/c_l)·n_l, with c the least of the c_l. Their ratio is unbiased, and its noise variance is
 * 1/Σ(n_l/c_l).
 * @throws RangeError for no levels, for two levels that differ in more than ε and grade, and for no reports at all.
 */
export function poolLevels<Parameters extends PooledParameters>(
  levels: readonly Level<Parameters>[],
): Pool<Parameters> {
  if (levels.length === 0) throw new RefusedValue('levels', 'at least one budget', levels.length);
  const variance = (level: Level<Parameters>): number => level.parameters.mechanism.coordinateVariance;
  const best = levels.reduce((one, other) => (variance(other) < variance(one) ? other : one));
  const sums = new Float64Array(moments('levels[0].tally', levels[0]).sums.length);
  let players = 0;
  levels.forEach((level, at) => {
    checkAlike(`levels[${at}]`, level.parameters, levels[0].parameters);
    const tally = moments(`levels[${at}].tally`, level);
    const weight = variance(best) / variance(level);
    for (let i = 0; i < sums.length; i++) sums[i] += weight * tally.sums[i];
    players += weight * tally.players;
  });
  if (!(players > 0)) throw new RefusedValue('levels', 'at least one report', players);
  const { personal, maximal } = personalGuarantees(levels.map(({ parameters }) => parameters.mechanism.guarantee));
  return {
    parameters: best.parameters,
    tally: { kind: 'moments', digest: best.parameters.digest, players, sums },
    levels: levels.map(({ tally }, at) => ({ players: tally.players, guarantee: personal[at] })),
    guarantee: maximal,
  };
}

function moments<Parameters extends PooledParameters>(name: string, level: Level<Parameters>): MomentTally {
  checkTally(name, level.tally, level.parameters);
  checkNonNegative(`${name}.players`, level.tally.players);
  if (level.tally.kind !== 'moments') throw new RefusedValue(name, 'a tally of lifted reports', level.tally.kind);
  return level.tally;
}

// Everything that decides what the sums mean must agree; ε and the grade may differ.
function checkAlike(name: string, one: PooledParameters, other: PooledParameters): void {
  if (one.variant !== 'lifted') throw new RefusedValue(`${name}.parameters.variant`, 'lifted', one.variant);
  for (const field of ['protocol', 'version', 'degree', 'dimension', 'task'] as const) {
    if (one[field] !== other[field]) {
      throw new RefusedValue(`${name}.parameters.${field}`, String(other[field]), one[field]);
    }
  }
  if (one.scales.length !== other.scales.length || one.scales.some((scale, i) => scale !== other.scales[i])) {
    throw new RefusedValue(`"${name}.parameters.scales" expected those of the other levels`);
  }
}
