import { auditVectors } from '../../src/audit/target.ts';
import { transcriptTarget } from '../../src/audit/transcript.ts';
import { checkInteger } from '../../src/check/refusal.ts';
import { channelAuditing } from '../../src/core/channel.ts';
import type { Auditing, Expectation, ForecastSetting, PlainRequest, Theory } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import type { RoundsProtocol } from '../../src/core/interactive.ts';
import { normalCriticalValue } from '../../src/inference/critical-value.ts';
import { MODEL_LEVEL, uncertaintyOf } from '../../src/inference/model-interval.ts';
import { innerProduct } from '../../src/numeric/matrix.ts';
import { ballNewton } from '../../src/optimize/ball-newton.ts';
import { fillNormal, fillSphere, uniform } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { logisticLoss } from '../../src/risk/named-loss.ts';
import { hingeOptimum } from '../../src/simulation/hinge-optimum.ts';
import type { ModelRecords, ModelStudy, ModelStudyRequest } from '../../src/simulation/model-study.ts';
import { conduct, referenceRounds } from '../../src/simulation/runner.ts';
import { type ReferencePopulation, referencePopulation } from '../generalized-linear/margin/reference-population.ts';
import {
  type GradientWavesPlan,
  type GradientWavesRequest,
  gradientWavesPlan,
  LOSS,
  LOSSES,
  WAVES_REQUEST,
  type Wave,
  type WaveDatum,
  type WaveLoss,
} from './parameters.ts';
import { fillAnswer, player } from './player.ts';
import {
  channelClaims,
  channelOf,
  coordinateNoise,
  type GradientWavesEstimate,
  nextPoint,
  type PointGradient,
  report,
  rounds,
  server,
  type WaveTally,
} from './server.ts';
import { simulateRound } from './simulate.ts';

const { abs, ceil, exp, hypot, max, min, sqrt } = Math;

const logistic = /* @__PURE__ */ logisticLoss();

const SIGNAL = 0.5;

const DRAWS = 32;

/** Numbers of players for whose noise steps are made along exact gradients; the best of them is the floor. */
const STEPS_FOR = [1e3, 1e5, 1e7, 1e9, 1e11, Infinity];

/** Mean risk at w, and the variance of a coordinate of one gradient; the mean gradient is written into `target`. */
function riskAt(
  { variant }: Pick<GradientWavesPlan, 'variant'>,
  { dimension, members, records }: ReferencePopulation,
  w: Float64Array,
  target: Float64Array,
): { readonly risk: number; readonly spread: number } {
  const loss = LOSS[variant];
  const one = new Float64Array(dimension);
  target.fill(0);
  let risk = 0;
  let squares = 0;
  for (let i = 0; i < members; i++) {
    // The loss of (x, y) with y = ±1 is that of (y·x, 1), and a point needs no label.
    const datum = { features: records.subarray(i * dimension, (i + 1) * dimension), label: 1 };
    risk += loss.value(w, datum) / members;
    loss.fillGradient(w, datum, one);
    for (let j = 0; j < dimension; j++) target[j] += one[j] / members;
    squares += innerProduct(one, one) / members;
  }
  return { risk, spread: (squares - innerProduct(target, target)) / dimension };
}

/**
 * The excess risk to expect of n players: the whole descent on the reference population, with the mean gradients of the
 * waves as n players report them (Gaussian by the central limit theorem, privacy noise and sampling), averaged over
 * draws of all noise.
 * @throws TypeError or RangeError naming the field; RangeError for more than 1000 features.
 */
export function forecast(plan: GradientWavesPlan, setting: ForecastSetting): Expectation {
  const players = checkInteger('players', setting.players, 1);
  const { waves, shares, radius, variant, dimension } = plan;
  const population = referencePopulation(dimension, SIGNAL);
  const { members, records } = population;
  const labels = new Int8Array(members).fill(1);
  const people = { players: members, dimension, features: Float32Array.from(records), labels };
  const least = leastRisk(variant, people, radius);
  const random = seededRandom(`waves ${plan.digest}`);
  const gradient = new Float64Array(dimension);
  const noise = coordinateNoise(plan);
  // With steps for so many players, and their gradients or exact ones.
  const excessOf = (count: number, exact: boolean): number => {
    const past: PointGradient[] = [];
    const normals = new Float64Array(dimension);
    for (let t = 0; t < waves; t++) {
      const w = nextPoint(plan, past);
      const { spread } = riskAt(plan, population, w, gradient);
      const reports = max(1, count * shares[t]);
      const scale = exact ? 0 : sqrt((noise + spread) / reports);
      if (!exact) fillNormal(normals, random, 0, dimension);
      past.push({ w, gradient: gradient.map((entry, j) => entry + scale * normals[j]), variance: noise / reports });
    }
    return max(0, riskAt(plan, population, nextPoint(plan, past), gradient).risk - least);
  };
  let error = 0;
  for (let draw = 0; draw < DRAWS; draw++) error += excessOf(players, false) / DRAWS;
  // Steps for no noise are long, also where the slope is next to nothing, and may end further away than those for some.
  const exact = STEPS_FOR.map((count) => excessOf(count, true));
  const points = variant === 'median' ? 'points' : 'records';
  return {
    what: `excess ${variant} risk over ‖w‖ ≤ ${radius}`,
    assumption: `${points} uniform on the sphere, turned to one side: P(right label) − P(wrong label) = ${SIGNAL}`,
    error,
    floor: min(error, ...exact),
  };
}

/** E‖ḡ − g‖² of the mean gradient of one wave with m reports, because of the players' noise: p·c_ε·B²/m. */
export function gradientNoise(plan: GradientWavesPlan, reports: number): number {
  return (plan.dimension * coordinateNoise(plan)) / checkInteger('reports', reports, 1);
}

/**
 * R·√(p·c_ε·B²/n): the order of the excess risk on the hardest problem for n players. For ε ≤ 1 no locally private
 * protocol, however interactive, has a better one than R·√(p/(nε²)); the number of waves is not in it.
 *
 * Source: Duchi, Jordan, Wainwright 2018 (lower bound, and stochastic gradients that reach it).
 */
export function excessOrder(plan: GradientWavesPlan, players: number): number {
  return plan.radius * sqrt(gradientNoise(plan, players));
}

/** The claims about plans, and what to expect of them. */
export const theory: Theory<GradientWavesPlan> = { ...channelClaims, forecast };

/** Records in the clear: record i is `features[i·p] … features[i·p + p − 1]` with `labels[i]`. */
export interface ClearRecords extends Pick<ModelRecords, 'players' | 'dimension' | 'features'> {
  readonly labels: ArrayLike<number>;
}

/** Widths of the rounded corner, each starting where the one before ended; the last costs at most 5e-4 of the risk. */
const WIDTHS = [0.3, 0.03, 0.001];

const SAMPLE = 100_000;

/** Reads records: each call overwrites what the one before gave. */
function readerOf({ dimension, features, labels }: ClearRecords): (index: number) => WaveDatum {
  const held = { features: new Float64Array(dimension), label: 0 };
  return (index) => {
    for (let j = 0, at = index * dimension; j < dimension; j++) held.features[j] = features[at + j];
    held.label = labels[index];
    return held;
  };
}

/** The mean loss of a model over the records. */
export function riskOf(variant: WaveLoss, records: ClearRecords, w: Float64Array): number {
  const { players } = records;
  const loss = LOSS[variant];
  const read = readerOf(records);
  let sum = 0;
  for (let i = 0; i < players; i++) sum += loss.value(w, read(i));
  return sum / players;
}

/** The model with ‖w‖ ≤ R of least risk, by Newton's method: corners rounded by a width that falls to 0.001. */
export function leastModel(variant: WaveLoss, records: ClearRecords, radius: number): Float64Array {
  if (variant === 'hinge') {
    const { labels } = records;
    return hingeOptimum({ ...records, labels: labels as Int8Array }, radius).w;
  }
  let start: Float64Array = new Float64Array(records.dimension);
  const stride = ceil(records.players / SAMPLE);
  WIDTHS.forEach((width, i) => {
    const last = i === WIDTHS.length - 1;
    const objective = roundedRisk(ROUNDED[variant], records, width, last ? 1 : stride);
    start = ballNewton({ objective, radius, start, iterations: last ? 12 : 30, tolerance: 1e-7 }).point;
  });
  return start;
}

/** The risk of {@link leastModel}. */
export function leastRisk(variant: WaveLoss, records: ClearRecords, radius: number): number {
  return riskOf(variant, records, leastModel(variant, records, radius));
}

/** A loss with its corner rounded by a width, as a function of ⟨w, x⟩, or of ‖w − x‖² where it is centred. */
interface RoundedLoss {
  /** Whether gradients are multiples of w − x in the place of x. */
  readonly centred: boolean;
  /** The loss, its slope along that vector, its curvature along it, and its curvature in every direction. */
  at(place: number, label: number, width: number): { value: number; slope: number; along: number; across: number };
}

const ROUNDED: { readonly [name in Exclude<WaveLoss, 'hinge'>]: RoundedLoss } = {
  logistic: {
    centred: false,
    at(inner, label) {
      const t = label * inner;
      // One exponential for both derivatives: this is done for every record in every step.
      const e = exp(-abs(t));
      const slope = (-label * (t > 0 ? e : 1)) / (1 + e);
      return { value: logistic.value(t), slope, along: (label ** 2 * e) / (1 + e) ** 2, across: 0 };
    },
  },
  absolute: {
    centred: false,
    at(inner, label, width) {
      const off = inner - label;
      const length = sqrt(off * off + width * width);
      return { value: length, slope: off / length, along: width ** 2 / length ** 3, across: 0 };
    },
  },
  median: {
    centred: true,
    at(squared, _, width) {
      const length = sqrt(squared + width * width);
      return { value: length / 2, slope: 0.5 / length, along: -0.5 / length ** 3, across: 0.5 / length };
    },
  },
};

/** The risk on every k-th record, with gradient and Hessian. */
function roundedRisk({ centred, at }: RoundedLoss, records: ClearRecords, width: number, stride: number) {
  const { players, dimension, features, labels } = records;
  const vector = new Float64Array(dimension);
  return {
    dimension,
    evaluate(w: Float64Array, gradient: Float64Array, hessian: Float64Array): number {
      gradient.fill(0);
      hessian.fill(0);
      const weight = 1 / ceil(players / stride);
      let risk = 0;
      for (let i = 0; i < players; i += stride) {
        let place = 0;
        for (let j = 0, from = i * dimension; j < dimension; j++) {
          const x = features[from + j];
          vector[j] = centred ? w[j] - x : x;
          place += centred ? vector[j] ** 2 : w[j] * x;
        }
        const { value, slope, along, across } = at(place, labels[i], width);
        risk += weight * value;
        for (let j = 0; j < dimension; j++) {
          gradient[j] += weight * slope * vector[j];
          const row = weight * along * vector[j];
          for (let k = 0; k < dimension; k++) hessian[j * dimension + k] += row * vector[k];
          hessian[j * dimension + j] += weight * across;
        }
      }
      return risk;
    },
  };
}

/** Records whose gradients point away from each other, from w or across it, and the exact density ratio. */
export const auditing: Auditing<Wave, WaveDatum, ValuesReport> = channelAuditing<Wave, WaveDatum>(channelOf, {
  pairs({ dimension, w }, random) {
    const { unit, opposite, orthogonal, axis, zero, inside } = auditVectors(dimension, random);
    const norm = hypot(...w);
    // Along w the margins of the two are furthest apart; at w = 0 the axis does as well.
    const along = norm > 0 ? w.map((entry) => entry / (norm * (1 + 1e-12))) : axis[0];
    const against = along.map((entry) => 0 - entry);
    return [
      { name: 'antipodal', first: { features: unit, label: 1 }, second: { features: opposite, label: 1 } },
      { name: 'opposite labels', first: { features: axis[0], label: 1 }, second: { features: axis[0], label: -1 } },
      { name: 'along w and against it', first: { features: along, label: 1 }, second: { features: against, label: 1 } },
      ...(orthogonal === undefined
        ? []
        : [{ name: 'orthogonal', first: { features: unit, label: 1 }, second: { features: orthogonal, label: 1 } }]),
      { name: 'zero and edge', first: { features: zero, label: 0 }, second: { features: unit, label: 1 } },
      {
        name: 'random',
        first: { features: inside[0].subarray(0, dimension), label: inside[0][dimension] },
        second: { features: inside[1].subarray(0, dimension), label: inside[1][dimension] },
      },
    ];
  },
  vectorOf(wave, datum) {
    const answer = new Float64Array(wave.dimension);
    fillAnswer(wave, datum, answer);
    return answer;
  },
});

/**
 * Sequentially interactive learning from one report per player. A wave is a group of fresh players who answer at one
 * public point: each reports the gradient of its own loss there. The point is made from the waves before. So every
 * player is protected with pure ε, whatever the number of waves, and no polynomial takes the place of the loss.
 *
 * Source: Smith, Thakurta, Upadhyay 2017 (few rounds); Duchi, Jordan, Wainwright 2018 (stochastic gradients under local
 * privacy, and R√(p/(nε²)) as the best possible order).
 */
export const gradientWaves: RoundsProtocol<
  GradientWavesPlan,
  Wave,
  WaveDatum,
  ValuesReport,
  WaveTally,
  GradientWavesEstimate
> = {
  name: 'gradient-waves',
  player,
  report,
  server,
  rounds,
  theory,
  // The maker of plans checks every field, whatever its type.
  make: (request) => gradientWavesPlan(request as unknown as GradientWavesRequest),
  fields: { request: WAVES_REQUEST, query: [] },
  simulateRound,
  auditing,
};

function request({ variant, epsilon, dimension, radius, waves, grade }: ModelStudyRequest): PlainRequest {
  const chosen = { radius, waves, grade };
  const given = Object.entries(chosen).filter(([, value]) => value !== undefined);
  return { variant, epsilon, dimension, ...(Object.fromEntries(given) as PlainRequest) };
}

const planOf = (asked: ModelStudyRequest): GradientWavesPlan =>
  gradientWavesPlan(request(asked) as unknown as GradientWavesRequest);

const lossOf = ({ variant }: ModelStudyRequest): WaveLoss => variant as WaveLoss;

const clear = (records: ModelRecords): ClearRecords => ({ ...records, labels: records.responses });

/** The waves of an attacked plan, after the answers of others with records on the sphere. */
function wavesOf(plan: GradientWavesPlan, players: number): readonly Wave[] {
  const features = new Float64Array(plan.dimension);
  return referenceRounds(gradientWaves, plan, players, (random): WaveDatum => {
    fillSphere(features, random);
    return { features, label: uniform(random) < 0.5 + 0.4 * features[0] ? 1 : -1 };
  });
}

/** The waves as the command line tries them. */
export const study: ModelStudy = {
  kind: 'model',
  setting: 'rounds',
  protocol: gradientWaves as unknown as ModelStudy['protocol'],
  summary:
    'linear model or median from one report a player: in each of a few waves fresh players report gradients at one public point',
  variants: LOSSES,
  budget: 'epsilon',
  waves: true,
  defaults: {
    certify: { players: 1_000_000, samples: 1, dimension: 10 },
    audit: { players: 1_000_000, samples: 1, dimension: 10 },
  },
  request,
  forecast(asked) {
    const { what, error, floor, assumption } = theory.forecast!(planOf(asked), asked);
    return { what, error, without: floor, assumed: assumption };
  },
  target(asked) {
    const plan = planOf(asked);
    return transcriptTarget(gradientWaves, plan, wavesOf(plan, asked.players)) as unknown as ReturnType<
      ModelStudy['target']
    >;
  },
  // All waves at once: a player answers in one of them, and no other reveals more.
  parts: () => ['transcript'],
  play: {
    records: 'sides',
    intercept: false,
    fit(asked, records, seed) {
      const { players } = records;
      const people = { players, datum: readerOf(clear(records)) };
      const { w, gain } = conduct(gradientWaves, planOf(asked), people, { seed }).estimate;
      const half = normalCriticalValue(MODEL_LEVEL) * gain.standardError;
      const what = 'the risk of the last public point is below that of w = 0 by at least';
      const effect = [gain.value - half, gain.value + half] as const;
      // No risk is below 0, and so none is further below that of w = 0 than this one is.
      const most = LOSS[lossOf(asked)].largest(0);
      return { theta: w, uncertainty: uncertaintyOf(players, { risk: null, effect, what, most }) };
    },
    optimum: (records, asked) => leastModel(lossOf(asked), clear(records), planOf(asked).radius),
    risk: (records, theta, asked) => riskOf(lossOf(asked), clear(records), theta),
    constantRisk: (records, asked) => constantRisk(lossOf(asked), records, planOf(asked).radius),
    notes(asked) {
      const { waves, radius } = planOf(asked);
      return [`${waves} waves of fresh players; ‖w‖ ≤ ${radius}.`];
    },
  },
};

/** The risk of the best score in [−R, R] that is the same for every record; for points, that of the centre. */
function constantRisk(variant: WaveLoss, records: ModelRecords, radius: number): number {
  if (variant === 'median') return riskOf(variant, clear(records), new Float64Array(records.dimension));
  const { players, responses } = records;
  const features = new Float32Array(players).fill(1);
  const scores: ClearRecords = { players, dimension: 1, features, labels: responses };
  return riskOf(variant, scores, leastModel(variant, scores, radius));
}
