import { checkPositive, checkWord, refusal } from '../../src/check/number.ts';
import { averageCopies, averagedNoise } from '../../src/mechanism/noisy-copies.ts';
import { type CorrectedMoments, type CorrectedRisk, minimizeCorrectedRisk } from '../../src/optimize/corrected-risk.ts';
import { addHermiteLift } from '../../src/polynomial/hermite-lift.ts';
import { createLift } from '../../src/polynomial/lift.ts';
import { hingeLoss } from '../../src/risk/hinge.ts';
import { minimizeByReports } from './algorithm-1.ts';
import { correctedProducts, riskDeviation } from './moments.ts';
import type { CopiesParameters, GaussianParameters, HingeParameters, LiftedParameters } from './parameters.ts';
import type { HingeEstimate, HingeQuery } from './query.ts';
import { checkTally, type HingeTally, type MomentTally, type ReportTally } from './tally.ts';

/**
 * The model that minimises the reconstructed hinge risk over ‖w‖ ≤ R, and that risk.
 *
 * @throws TypeError or RangeError naming the field; RangeError for a tally without reports.
 */
export function estimate(parameters: HingeParameters, tally: HingeTally, query: HingeQuery = {}): HingeEstimate {
  if (tally.players < 1) throw new RangeError(refusal('tally.players', 'at least one report', tally.players));
  checkTally('tally', tally, parameters);
  checkPositive('radius', query.radius ?? 1);
  if (parameters.maker === 'lifted' || parameters.maker === 'gaussian') {
    if (query.decoder !== undefined) {
      throw new RangeError(refusal('decoder', `none for maker ${parameters.maker}, which has one only`, query.decoder));
    }
    if (tally.kind !== 'moments') throw new TypeError(refusal('tally', 'a tally of moments', tally.kind));
    return fromMoments(parameters, tally, momentsOf(parameters, tally), query);
  }
  if (tally.kind !== 'reports') throw new TypeError(refusal('tally', 'a tally of reports', tally.kind));
  const usual = parameters.maker === 'printed' ? 'product' : 'averaged';
  const decoder = checkWord('decoder', query.decoder ?? usual, ['product', 'averaged']);
  if (decoder === 'product') return minimizeByReports(parameters, tally, query);
  return fromMoments(parameters, tally, averagedMoments(parameters, tally), query);
}

function fromMoments(
  parameters: HingeParameters,
  tally: HingeTally,
  moments: CorrectedMoments,
  query: HingeQuery,
): HingeEstimate {
  const risk: CorrectedRisk = minimizeCorrectedRisk(moments, { ...query, loss: hingeLoss() });
  const { w, radius, degree, coefficients, ridge, bias, riskAt } = risk;
  return {
    players: moments.players,
    w,
    radius,
    degree,
    coefficients,
    ridge,
    bias,
    risk: riskAt(w),
    standardError: riskDeviation(parameters, moments, coefficients, w, tally),
    riskAt,
  };
}

/** The moments T_j in a tally of `lifted` or `gaussian` reports. */
export function momentsOf(parameters: LiftedParameters | GaussianParameters, tally: MomentTally): CorrectedMoments {
  const { lift } = parameters;
  const { players, sums } = tally;
  const values = new Float64Array(lift.size);
  const noise = new Float64Array(lift.degree);
  for (let j = 1; j <= lift.degree; j++) {
    const scale = parameters.maker === 'lifted' ? parameters.scales[j - 1] : 1;
    for (let entry = lift.offsets[j - 1]; entry < lift.offsets[j]; entry++) {
      values[entry] = sums[entry] / (players * scale);
    }
    noise[j - 1] =
      parameters.maker === 'lifted'
        ? parameters.mechanism.coordinateVariance / (scale * scale * players)
        : correctedProducts(j, parameters.sigma, 0, 1 / parameters.dimension) / players;
  }
  return { lift, values, noise, players };
}

/** The moments T_j in a tally of noisy copies, averaged within each report and corrected by Hermite polynomials. */
export function averagedMoments(parameters: CopiesParameters, tally: ReportTally): CorrectedMoments {
  const { copies, dimension } = parameters;
  const lift = createLift(dimension, parameters.degree + 1);
  const deviation = averagedNoise(copies);
  const features = new Float64Array(dimension);
  const report = new Float64Array(lift.size);
  const scratch = new Float64Array(lift.size);
  const values = new Float64Array(lift.size);
  for (let i = 0; i < tally.players; i++) {
    const label = averageCopies(copies, tally.values, i * copies.length, features);
    report.fill(0);
    addHermiteLift(lift, features, deviation.features ** 2, report, scratch);
    // y^j is corrected by its own Hermite polynomial: the noise on y is independent of that on x.
    let [before, current] = [1, label];
    for (let j = 1; j <= lift.degree; j++) {
      for (let entry = lift.offsets[j - 1]; entry < lift.offsets[j]; entry++) values[entry] += current * report[entry];
      [before, current] = [current, label * current - j * deviation.label ** 2 * before];
    }
  }
  for (let entry = 0; entry < lift.size; entry++) values[entry] /= tally.players;
  const noise = Float64Array.from(
    { length: lift.degree },
    (_, j) => correctedProducts(j + 1, deviation.features, deviation.label, 1 / dimension) / tally.players,
  );
  return { lift, values, noise, players: tally.players };
}
