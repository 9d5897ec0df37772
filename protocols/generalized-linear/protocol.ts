import { checkInteger, checkPositive, checkWord, RefusedValue } from '../../src/check/refusal.ts';
import { type ChannelTally, reportTally } from '../../src/core/channel.ts';
import type { Protocol } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import { modelIntervals, type Uncertainty, uncertaintyOf } from '../../src/inference/model-interval.ts';
import { normalCdf, normalQuantile } from '../../src/numeric/normal.ts';
import { ballNewton } from '../../src/optimize/ball-newton.ts';
import type { CorrectedMoments } from '../../src/optimize/corrected-risk.ts';
import { chebyshevSeries } from '../../src/polynomial/chebyshev.ts';
import { chebyshevToMonomial } from '../../src/polynomial/fit.ts';
import { createLift } from '../../src/polynomial/lift.ts';
import { bernoulli, fillSphere } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { convexMixture } from '../../src/risk/convex-mixture.ts';
import { checkRadius, KINK_WIDTHS, type MarginLoss, roundedLoss } from '../../src/risk/margin-loss.ts';
import { LOSS_NAMES } from '../../src/risk/named-loss.ts';
import {
  type Baseline,
  type BaselineRecords,
  type ConstantBaseline,
  positiveShare,
} from '../../src/simulation/metrics.ts';
import { checkRows, type Dataset } from '../../src/simulation/runner.ts';
import {
  type ForecastSetting,
  type MarginLaw,
  type Study,
  type StudyRequest,
  varianceSetting,
} from '../../src/simulation/study.ts';
import { mixtureVariance, smoothedStepCoefficients } from './algorithm-2.ts';
import { type MarginDatum, player } from './device.ts';
import { fitOf, plannedCollection, studyQuery, studyServing } from './fit.ts';
import { marginAuditing } from './margin/auditing.ts';
import { channelOf, gradientVariance, marginTheory, report } from './margin/channels.ts';
import { createForecaster, excessExpectation, forecastMargin } from './margin/forecast.ts';
import {
  type ChannelParameters,
  carriesPowers,
  type MarginParameters,
  type SphericalParameters,
} from './margin/parameters.ts';
import {
  DEFAULT_LOSS,
  estimateDetails,
  MARGIN_QUERY,
  MARGIN_REQUEST,
  type MarginEstimate,
  type MarginQuery,
  marginLossOf,
} from './margin/query.ts';
import {
  type ForecastQuery,
  MEMBERS,
  publicPopulation,
  type ReferencePopulation,
} from './margin/reference-population.ts';
import { forecastSpherical, sphericalVariance } from './margin/spherical.ts';
import { DEFAULT_BETA } from './margin/walk-model.ts';
import {
  type GeneralizedLinearParameters,
  type GeneralizedLinearRequest,
  generalizedLinearParameters,
  VARIANTS,
} from './parameters.ts';
import { checkQuery, type GeneralizedLinearQuery, hasMoments, RADII, server } from './server.ts';
import { simulate } from './simulate.ts';
import { marginSums } from './sum-law.ts';

/**
 * Noninteractive learning of a linear model under any convex loss of the margin, or of the residual, from one private
 * report per player. The loss is chosen after collection.
 *
 * Source: Wang, Smith, Xu 2020, section 4.2.
 * @theorem noninteractive Theorem 14
 */
export const generalizedLinear: Protocol<
  GeneralizedLinearParameters,
  MarginDatum,
  ValuesReport,
  ChannelTally,
  MarginEstimate,
  GeneralizedLinearQuery
> = {
  name: 'generalized-linear',
  player,
  report,
  server,
  simulate,
  theory: {
    ...marginTheory,
    forecast(parameters, { players }) {
      const loss = marginLossOf(DEFAULT_LOSS);
      const forecast = hasMoments(parameters)
        ? forecastMargin(parameters, { players, loss, fit: (some) => fitOf(some, {}, loss, 1), decoder: 'signs' })
        : forecastSpherical(parameters, { players, loss });
      return excessExpectation(forecast, loss.name);
    },
  },
  auditing: marginAuditing,
  // The variants check every field, whatever its type.
  make: (request) => generalizedLinearParameters(request as unknown as GeneralizedLinearRequest),
  fields: { request: ['task', ...MARGIN_REQUEST], query: ['loss', 'force', ...MARGIN_QUERY] },
};

/** The generalized-linear protocol as a study under one loss. */
export type GeneralizedLinearStudy = Study<
  GeneralizedLinearParameters,
  ValuesReport,
  ChannelTally,
  MarginEstimate,
  GeneralizedLinearQuery
>;

function parameters(request: StudyRequest): GeneralizedLinearParameters {
  const variant = checkWord('variant', request.variant, VARIANTS);
  const { delta, degree, variant: _, ...rest } = request;
  if (variant === 'sphericalLaplace') return generalizedLinearParameters({ variant, ...rest });
  return generalizedLinearParameters(
    carriesPowers(variant) ? { variant, degree, ...rest } : { variant, delta, degree, ...rest },
  );
}

/**
 * The protocol as the command line and the simulator run it, under the loss of this name.
 * @throws RangeError for an unknown name, naming the known ones.
 */
export function studyOf(name: string): GeneralizedLinearStudy {
  const loss = marginLossOf(name);
  return {
    kind: 'records',
    protocol: generalizedLinear,
    summary: `linear model under the ${loss.name} loss from one report per player (Wang, Smith, Xu 2020, algorithm 2)`,
    variants: VARIANTS,
    sums: marginSums,
    loss,
    optimum: (records, radius, rows) => marginOptimum(records, loss, radius, rows),
    bestConstant: (records, radius, rows) => bestConstantScore(records, loss, radius, rows),
    parameters,
    checkQuery,
    plan: (question) => plannedCollection({ ...question, loss }),
    query({ radius, degree = 'automatic', variant, server, decoder, intercept, unitNorm }) {
      const serving = studyQuery(variant, { server, decoder, intercept, unitNorm });
      if (radius !== 'automatic') checkRadius(radius, loss);
      else if ((serving.server ?? 'newton') !== 'newton') {
        throw new RefusedValue('radius', 'a number where the server steps report by report', 'auto');
      }
      return { loss: name, radius, degree, ...serving };
    },
    gradientVariance(request) {
      const made = parameters(request);
      const { dimension } = made;
      const setting = { ...varianceSetting(dimension), label: 1 };
      if (!hasMoments(made)) {
        const weightNorm = dimension === 1 ? 0.5 : 1;
        return sphericalVariance(made, loss, { weightNorm, along: dimension === 1 ? 1 : 0.5, squaredNorm: 1 });
      }
      if (made.variant === 'printed') {
        const coefficients = smoothedStepCoefficients(made.degree, DEFAULT_BETA);
        return mixtureVariance(made, convexMixture(loss), 'independent', { coefficients, ...setting });
      }
      const interval = { lower: -1, upper: 1 };
      const coefficients = chebyshevToMonomial(chebyshevSeries(loss.derivative, made.degree, interval), interval);
      return gradientVariance(made, channelOf(made).decoderOf('signs'), { coefficients, ...setting });
    },
    automaticRadius: RADII[RADII.length - 1],
    withLoss: (other) => studyOf(other) as Study,
    losses: [name, ...LOSS_NAMES.filter((other) => other !== name)],
    forecaster({ dimension, loss: asked, ...setting }) {
      const chosen = marginLossOf(asked);
      checkRadius(setting.radius, chosen);
      const query = { ...setting, ...forecastPopulation(dimension, setting), loss: chosen };
      const fit = (some: MarginParameters) => fitOf(some, {}, chosen, setting.radius);
      const forecast = createForecaster(dimension, { ...query, fit, decoder: 'signs' });
      return (request, players) => {
        const made = parameters(request);
        return hasMoments(made) ? forecast(made, players) : forecastSpherical(made, { ...query, players });
      };
    },
    uncertainty: (made, tally, estimate, { variant, server, decoder, intercept }) =>
      marginUncertainty(made, tally, estimate, { loss, intercept, ...studyServing(variant, { server, decoder }) }),
    details: (estimate) => ({ loss: name, ...estimateDetails(estimate) }),
  };
}

/** The protocol as the command line runs it when no loss is named. */
export const study: GeneralizedLinearStudy = studyOf(DEFAULT_LOSS);

/**
 * The non-private optimum: the linear model with ‖w‖ ≤ R and the least mean loss f(y⟨w, x⟩) on the records, by Newton's
 * method. A kink of f, where its slope jumps by J, is rounded ({@link roundedLoss}) to a width that falls to 0.001. The
 * risk is then within 5e-4·J of the least risk.
 */
export function marginOptimum(
  records: BaselineRecords,
  loss: MarginLoss,
  radius: number,
  rows?: Uint32Array,
): Baseline {
  checkPositive('radius', radius);
  checkRows(records, rows);
  const all = rows ?? Uint32Array.from({ length: records.players }, (_, i) => i);
  if (all.length === 0) throw new RefusedValue('"rows" expected one or more records, got none');
  let w: Float64Array = new Float64Array(records.dimension);
  for (const width of loss.kinks.length === 0 ? [0] : KINK_WIDTHS) {
    const objective = recordsRisk(records, all, roundedLoss(loss, width));
    w = ballNewton({ objective, radius, start: w, iterations: 30, tolerance: 1e-8 }).point;
  }
  return { w, risk: recordsRisk(records, all, loss).value(w) };
}

// Mean loss, its gradient and Hessian, in one pass.
function recordsRisk(
  { dimension: p, features, labels }: BaselineRecords,
  rows: Uint32Array,
  loss: Pick<MarginLoss, 'value' | 'derivative' | 'secondDerivative'>,
) {
  const margin = (w: Float64Array, row: number): number => {
    let t = 0;
    for (let j = 0, from = row * p; j < p; j++) t += w[j] * features[from + j];
    return labels[row] * t;
  };
  return {
    dimension: p,
    value: (w: Float64Array): number => rows.reduce((sum, row) => sum + loss.value(margin(w, row)), 0) / rows.length,
    evaluate(w: Float64Array, gradient: Float64Array, hessian: Float64Array): number {
      gradient.fill(0);
      hessian.fill(0);
      let sum = 0;
      for (let i = 0; i < rows.length; i++) {
        const from = rows[i] * p;
        const t = margin(w, rows[i]);
        const curvature = loss.secondDerivative(t);
        sum += loss.value(t);
        const force = labels[rows[i]] * loss.derivative(t);
        for (let j = 0; j < p; j++) gradient[j] += force * features[from + j];
        if (curvature < 1e-9) continue;
        for (let j = 0; j < p; j++) {
          const factor = curvature * features[from + j];
          for (let k = 0; k <= j; k++) hessian[j * p + k] += factor * features[from + k];
        }
      }
      for (let j = 0; j < p; j++) {
        gradient[j] /= rows.length;
        for (let k = 0; k <= j; k++) hessian[k * p + j] = hessian[j * p + k] /= rows.length;
      }
      return sum / rows.length;
    },
  };
}

/** The best constant score b in [−R, R] under the loss: what a model that ignores the features can reach. */
export function bestConstantScore(
  records: Pick<Dataset, 'players' | 'labels'>,
  loss: MarginLoss,
  radius: number,
  rows?: Uint32Array,
): ConstantBaseline {
  checkPositive('radius', radius);
  const share = positiveShare(records, rows);
  const risk = (b: number): number => share * loss.value(b) + (1 - share) * loss.value(-b);
  // The risk is convex in b: the bracket shrinks by a third at each step; then the kinks are tried.
  let [low, high] = [-radius, radius];
  while (high - low > 1e-9 * radius) {
    const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
    if (risk(a) < risk(b)) high = b;
    else low = a;
  }
  const kinks = loss.kinks.flatMap((at) => [at, -at]).filter((at) => Math.abs(at) <= radius);
  const candidates = [low, ...kinks, -radius, radius];
  const score = candidates.reduce((best, b) => (risk(b) < risk(best) - 1e-12 ? b : best));
  return { score, risk: risk(score), accuracy: Math.max(share, 1 - share) };
}

/** Least probability of [−1, 1] under a normal law that is held to it. */
const LEAST_INSIDE = 1e-3;

/**
 * The population that a declared law of margins stands for, for forecasts.
 *
 * Law: a signed record v = y·x has length 1; ⟨e₁, v⟩ = ±t with t of the declared law and − with the probability of a wrong label;
 * what is left of v is uniform on the sphere across e₁, so that E v is along e₁. The margins are quantiles at equal steps, not draws. With one
 * coordinate v is t itself.
 * @throws TypeError or RangeError naming the field: a share of wrong labels outside [0, ½), margins outside [−1, 1], or a normal law
 * with less than a thousandth of its probability there.
 */
export function declaredPopulation(dimension: number, { margin, labelNoise }: MarginLaw): ReferencePopulation {
  checkInteger('dimension', dimension, 1);
  if (!(labelNoise >= 0 && labelNoise < 0.5)) {
    throw new RefusedValue(`"label-noise" expected a number from 0 to below 0.5, got ${labelNoise}`);
  }
  const quantile = quantileOf(margin);
  const random = seededRandom(`declared population ${dimension}`);
  const records = new Float64Array(MEMBERS * dimension);
  for (let i = 0; i < MEMBERS; i++) {
    const record = records.subarray(i * dimension, (i + 1) * dimension);
    const along = quantile((i + 0.5) / MEMBERS);
    const across = record.subarray(1);
    if (dimension > 1) fillSphere(across, random);
    const rest = Math.sqrt(1 - along ** 2);
    for (let j = 0; j < across.length; j++) across[j] *= rest;
    record[0] = along;
    if (bernoulli(labelNoise, random)) for (let j = 0; j < dimension; j++) record[j] = -record[j];
  }
  return { dimension, members: MEMBERS, records };
}

/** The population that a study is told: public records, or a declared law; nothing where it is told neither. */
export function forecastPopulation(
  dimension: number,
  { records, declared }: Pick<ForecastSetting, 'records' | 'declared'>,
): Pick<ForecastQuery, 'population'> {
  if (records !== undefined) return { population: publicPopulation(records) };
  return declared === undefined ? {} : { population: declaredPopulation(dimension, declared) };
}

/** The quantiles of a margin. */
function quantileOf(margin: MarginLaw['margin']): (share: number) => number {
  if (margin.law === 'uniform') {
    const { low, high } = margin;
    if (!(low >= -1 && low < high && high <= 1)) {
      throw new RefusedValue(
        `"margins" expected uniform:LOW,HIGH with -1 <= LOW < HIGH <= 1, got uniform:${low},${high}`,
      );
    }
    return (share) => low + share * (high - low);
  }
  const { mean, deviation } = margin;
  const [below, within] = [normalCdf((-1 - mean) / deviation), normalCdf((1 - mean) / deviation)];
  if (!(deviation > 0 && within - below >= LEAST_INSIDE)) {
    throw new RefusedValue(
      `"margins" expected normal:MEAN,SD with SD > 0 and margins between -1 and 1, got normal:${mean},${deviation}`,
    );
  }
  return (share) => Math.max(-1, Math.min(1, mean + deviation * normalQuantile(below + share * (within - below))));
}

/**
 * What the noise of the reports leaves open about a model that was found from them: see `modelIntervals`. Noisy copies that the
 * server walked through one by one are averaged for it.
 *
 * Shape: coins come from the digest and the number of reports, both public: everybody finds the same intervals.
 * @throws RangeError for a tally without reports.
 */
export function marginUncertainty(
  parameters: ChannelParameters,
  tally: ChannelTally,
  { w }: Pick<MarginEstimate, 'w'>,
  { loss, intercept, decoder }: Pick<MarginQuery, 'decoder' | 'intercept'> & { readonly loss: MarginLoss },
): Uncertainty {
  const moments = hasMoments(parameters)
    ? channelOf(parameters).decode(tally, decoder === undefined || decoder === 'product' ? {} : { decoder })
    : meanOf(parameters, tally);
  const random = seededRandom(`${parameters.digest} uncertainty of ${tally.players} reports`);
  const { risk, effect, of, noise } = modelIntervals(moments, { w, loss, intercept }, random);
  return uncertaintyOf(tally.players, { risk, effect, what: EFFECTS[of], noise });
}

const EFFECTS = {
  sides: 'the mean score of the positive records minus that of the negative ones is',
  margin: 'the mean margin y⟨w, x⟩ is',
} as const;

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
