import { checkPositive, checkWord, refusal } from '../../src/check/number.ts';
import { RefusedValue } from '../../src/check/refusal.ts';
import type { ChannelTally } from '../../src/core/channel.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import { ballNewton } from '../../src/optimize/ball-newton.ts';
import { chebyshevSeries, chebyshevToMonomial } from '../../src/polynomial/chebyshev.ts';
import { convexMixture } from '../../src/risk/convex-mixture.ts';
import { type MarginLoss, slopesAt } from '../../src/risk/margin-loss.ts';
import { LOSS_NAMES } from '../../src/risk/named-loss.ts';
import type { Baseline, ConstantBaseline } from '../../src/simulation/metrics.ts';
import type { Dataset } from '../../src/simulation/population.ts';
import { checkRows } from '../../src/simulation/population.ts';
import { type Study, type StudyRequest, varianceSetting } from '../../src/simulation/study.ts';
import { DEFAULT_BETA, mixtureVariance, smoothedStepCoefficients } from './algorithm-2.ts';
import { fitOf, studyServing } from './fit.ts';
import { gradientVariance } from './margin/channels.ts';
import { forecastMargin } from './margin/forecast.ts';
import type { MarginParameters } from './margin/parameters.ts';
import { DEFAULT_LOSS, estimateDetails, type MarginEstimate, marginLossOf } from './margin/query.ts';
import { forecastSpherical, sphericalVariance } from './margin/spherical.ts';
import { forecastPopulation, marginUncertainty } from './margin/study.ts';
import { type GeneralizedLinearParameters, generalizedLinearParameters, VARIANTS } from './parameters.ts';
import { generalizedLinear } from './protocol.ts';
import { type GeneralizedLinearQuery, RADII } from './server.ts';
import { marginSums } from './sum-law.ts';

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
  if (variant === 'lifted' || variant === 'sampled') return generalizedLinearParameters({ variant, degree, ...rest });
  return generalizedLinearParameters({ variant, delta, degree, ...rest });
}

/**
 * The protocol as the command line and the simulator run it, under the loss of this name.
 *
 * @throws RangeError for an unknown name, naming the known ones.
 */
export function studyOf(name: string): GeneralizedLinearStudy {
  const loss = marginLossOf(name);
  return {
    kind: 'records',
    protocol: generalizedLinear,
    summary: `linear model under the ${loss.name} loss from one report per player (Wang, Smith, Xu 2020, algorithm 2)`,
    variants: VARIANTS,
    pureVariants: ['lifted', 'sampled', 'sphericalLaplace'],
    sums: marginSums,
    loss,
    optimum: (records, radius, rows) => marginOptimum(records, loss, radius, rows),
    bestConstant: (records, radius, rows) => bestConstantScore(records, loss, radius, rows),
    parameters,
    query({ radius, degree = 'automatic', variant, server, decoder, intercept }) {
      const serving = studyServing(variant, { server, decoder });
      if (radius === 'automatic' && (serving.server ?? 'newton') !== 'newton') {
        throw new RefusedValue(refusal('radius', 'a number where the server steps report by report', 'auto'));
      }
      return { loss: name, radius, degree, intercept, ...serving };
    },
    gradientVariance(request) {
      const made = parameters(request);
      const { dimension } = made;
      const setting = { ...varianceSetting(dimension), label: 1 };
      if (made.variant === 'sphericalLaplace') {
        const weightNorm = dimension === 1 ? 0.5 : 1;
        return sphericalVariance(made, loss, { weightNorm, along: dimension === 1 ? 1 : 0.5, squaredNorm: 1 });
      }
      if (made.variant === 'printed') {
        const coefficients = smoothedStepCoefficients(made.degree, DEFAULT_BETA);
        return mixtureVariance(made, convexMixture(loss), 'independent', { coefficients, ...setting });
      }
      const interval = { lower: -1, upper: 1 };
      const coefficients = chebyshevToMonomial(chebyshevSeries(loss.derivative, made.degree, interval), interval);
      const decoder = made.variant === 'copies' ? 'signs' : made.variant;
      return gradientVariance(made, decoder, { coefficients, ...setting });
    },
    automaticRadius: RADII[RADII.length - 1],
    withLoss: (other) => studyOf(other) as Study,
    losses: [name, ...LOSS_NAMES.filter((other) => other !== name)],
    forecast(request, { loss: asked, records, declared, ...rest }) {
      const made = parameters(request);
      const query = { ...rest, ...forecastPopulation(made.dimension, { records, declared }) };
      const chosen = marginLossOf(asked);
      if (made.variant === 'sphericalLaplace') return forecastSpherical(made, { ...query, loss: chosen });
      const fit = (some: MarginParameters) => fitOf(some, {}, chosen, query.radius);
      return forecastMargin(made, { ...query, loss: chosen, fit, decoder: 'signs' });
    },
    uncertainty: (made, tally, estimate, { variant, server, decoder, intercept }) =>
      marginUncertainty(made, tally, estimate, { loss, intercept, ...studyServing(variant, { server, decoder }) }),
    details: (estimate) => ({ loss: name, ...estimateDetails(estimate) }),
  };
}

/** The protocol as the command line runs it when no loss is named. */
export const study: GeneralizedLinearStudy = studyOf(DEFAULT_LOSS);

type Records = Pick<Dataset, 'players' | 'dimension' | 'features' | 'labels'>;

/** Widths to which kinks are rounded. Each search starts where the one before ended. A smooth loss needs none. */
const WIDTHS = [0.3, 0.1, 0.03, 0.01, 0.003, 0.001];

/**
 * The non-private optimum: the linear model with ‖w‖ ≤ R and the least mean loss f(y⟨w, x⟩) on the records, by Newton's
 * method. Where f has a kink (its slope jumps by J), |t| is rounded to √(t² + β²) with β falling to 0.001. The risk is
 * then within 5e-4·J of the least risk.
 *
 * @throws RangeError for no records.
 */
export function marginOptimum(records: Records, loss: MarginLoss, radius: number, rows?: Uint32Array): Baseline {
  checkPositive('radius', radius);
  checkRows(records, rows);
  const all = rows ?? Uint32Array.from({ length: records.players }, (_, i) => i);
  if (all.length === 0) throw new RefusedValue('"rows" expected one or more records, got none');
  const kinks = loss.kinks.map((at) => {
    const { left, right } = slopesAt(loss, at);
    return { at, jump: right - left };
  });
  let w: Float64Array = new Float64Array(records.dimension);
  for (const beta of kinks.length === 0 ? [0] : WIDTHS) {
    const objective = roundedRisk(records, all, loss, kinks, beta);
    w = ballNewton({ objective, radius, start: w, iterations: 30, tolerance: 1e-8 }).point;
  }
  return { w, risk: roundedRisk(records, all, loss, [], 0).value(w) };
}

interface Kink {
  readonly at: number;
  readonly jump: number;
}

// Mean loss with rounded kinks, its gradient and Hessian, in one pass.
function roundedRisk(
  { dimension: p, features, labels }: Records,
  rows: Uint32Array,
  loss: MarginLoss,
  kinks: readonly Kink[],
  beta: number,
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
        let value = loss.value(t);
        let slope = loss.derivative(t);
        let curvature = loss.secondDerivative(t);
        for (const { at, jump } of kinks) {
          // jump/2·(√(d² + β²) − |d|) on top of the loss.
          const d = t - at;
          const root = Math.hypot(d, beta);
          value += (jump / 2) * (root - Math.abs(d));
          slope += (jump / 2) * (d / root - (d < 0 ? -1 : 1));
          curvature += ((jump / 2) * beta * beta) / root ** 3;
        }
        sum += value;
        const force = labels[rows[i]] * slope;
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

/**
 * The best constant score b in [−R, R] under the loss: what a model that ignores the features can reach.
 *
 * @throws RangeError for no records.
 */
export function bestConstantScore(
  records: Pick<Dataset, 'players' | 'labels'>,
  loss: MarginLoss,
  radius: number,
  rows?: Uint32Array,
): ConstantBaseline {
  checkPositive('radius', radius);
  checkRows(records, rows);
  const n = rows?.length ?? records.players;
  if (n === 0) throw new RefusedValue('"rows" expected one or more records, got none');
  let positives = 0;
  for (let i = 0; i < n; i++) if (records.labels[rows === undefined ? i : rows[i]] > 0) positives++;
  const share = positives / n;
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
