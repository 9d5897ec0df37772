import { type ChannelTally, reportTally } from '../../../src/core/channel.ts';
import { modelIntervals } from '../../../src/inference/model-interval.ts';
import type { CorrectedMoments } from '../../../src/optimize/corrected-risk.ts';
import { createLift } from '../../../src/polynomial/lift.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import type { MarginLoss } from '../../../src/risk/margin-loss.ts';
import { type Uncertainty, uncertaintyOf } from '../../../src/simulation/uncertainty.ts';
import { channelOf } from './channels.ts';
import type { ChannelParameters, MarginParameters, SphericalParameters } from './parameters.ts';
import type { MarginEstimate, MarginQuery } from './query.ts';

/** What an estimate was asked with. */
export interface UncertaintyQuery extends Pick<MarginQuery, 'decoder' | 'intercept'> {
  /** The loss f of the margin. */
  readonly loss: MarginLoss;
}

/**
 * What the noise of the reports leaves open about a model that was found from them: see `modelIntervals`. Noisy copies that the
 * server walked through one by one are averaged for it.
 *
 * Shape: coins come from the digest and the number of reports, both public: everybody finds the same intervals.
 *
 * @throws RangeError for a tally without reports.
 */
export function marginUncertainty(
  parameters: ChannelParameters,
  tally: ChannelTally,
  { w }: Pick<MarginEstimate, 'w'>,
  { loss, intercept, decoder }: UncertaintyQuery,
): Uncertainty {
  const moments = hasPowers(parameters)
    ? channelOf(parameters).decode(tally, decoder === undefined || decoder === 'product' ? {} : { decoder })
    : meanOf(parameters, tally);
  const random = seededRandom(`${parameters.digest} uncertainty of ${tally.players} reports`);
  const { risk, effect, of } = modelIntervals(moments, { w, loss, intercept }, random);
  return uncertaintyOf(tally.players, { risk, effect, what: EFFECTS[of] });
}

const EFFECTS = {
  sides: 'the mean score of the positive records minus that of the negative ones is',
  margin: 'the mean margin y⟨w, x⟩ is',
} as const;

const hasPowers = (parameters: ChannelParameters): parameters is MarginParameters => 'degree' in parameters;

/** The mean of reports whose noise is symmetric, with the variance that they show themselves. */
function meanOf({ dimension }: SphericalParameters, tally: ChannelTally): CorrectedMoments {
  const { players, values: reports } = reportTally(tally);
  const values = new Float64Array(dimension);
  let squares = 0;
  for (let i = 0; i < players * dimension; i++) {
    values[i % dimension] += reports[i] / players;
    squares += reports[i] ** 2;
  }
  const noise = squares / dimension / players ** 2;
  return { lift: createLift(dimension, 1), values, noise: Float64Array.of(noise), players };
}
