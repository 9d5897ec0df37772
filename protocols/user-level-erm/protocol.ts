import { transcriptTarget } from '../../src/audit/transcript.ts';
import { checkInteger, checkNonNegative } from '../../src/check/refusal.ts';
import type {
  Auditing,
  AuditPair,
  Expectation,
  ForecastSetting,
  PlainRequest,
  Theory,
} from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import type { RoundsProtocol } from '../../src/core/interactive.ts';
import { euclideanNorm } from '../../src/numeric/matrix.ts';
import { ballNewton } from '../../src/optimize/ball-newton.ts';
import { type Certificate, certificate as certificateOf } from '../../src/privacy/certificate.ts';
import type { Guarantee } from '../../src/privacy/guarantee.ts';
import { fillSphere, type Random, uniform } from '../../src/random/random.ts';
import { logisticLoss } from '../../src/risk/named-loss.ts';
import type { ModelRecords, ModelStudy, ModelStudyRequest } from '../../src/simulation/model-study.ts';
import { conduct, referenceRounds } from '../../src/simulation/runner.ts';
import { roundsBy } from '../user-level-mean/course.ts';
import { auditing as meanAuditing } from '../user-level-mean/protocol.ts';
import { guaranteeOf, type MeanTally, type UserDatum } from '../user-level-mean/shape.ts';
import { rotateBack, type SignRound } from '../user-level-mean/vector/coordinate-round.ts';
import { contraction, courseBy, type ErmEstimate, shortfallOf } from './descent.ts';
import {
  ERM_REQUEST,
  gradientsOf,
  type UserLevelErmPlan,
  type UserLevelErmRequest,
  type UserLevelErmRound,
  userLevelErmPlan,
  VARIANTS,
} from './parameters.ts';
import { player } from './player.ts';
import { type ErmDatum, fillGradient } from './record.ts';
import { report, server } from './server.ts';

const { abs, hypot, sqrt } = Math;

/**
 * The guarantee of one player's whole transcript.
 * @theorem slides User-level privacy, user-level LDP
 */
export const guarantee: (plan: UserLevelErmPlan) => Guarantee = guaranteeOf;

/**
 * Every release of one player's transcript. Fresh players answer once, and different players compose in parallel: the
 * release is one bit for any number of rounds or, with two-round gradients, the bin or the unit vector of one round. If
 * the same players answer in all rounds, their bits add up.
 * @theorem slides User-level privacy, user-level LDP
 */
export function certificate(plan: UserLevelErmPlan): Certificate {
  const { protocol, variant } = plan;
  const releases = gradientsOf(plan).releases(plan);
  return certificateOf({ protocol, variant, releases, claimed: guarantee(plan), alternatives: releases.length > 1 });
}

/**
 * The largest ℓ₂ distance between the mean gradients of two data: 2B.
 * @theorem slides User-level privacy, neighbours
 */
export function neighbourDistance({ objective }: UserLevelErmPlan): number {
  return 2 * objective.gradientBound;
}

/**
 * How many players are missing to reach `requiredPlayers`; 0 if there are enough.
 * @theorem slides Guarantees for user-level LDP ERM, conditions
 */
export function shortfall(plan: UserLevelErmPlan): number {
  const { gradientBound, radius } = plan.objective;
  return shortfallOf({ ...plan, gradientBound, radius, groups: gradientsOf(plan).groups(plan) });
}

/**
 * The bound on ‖θ_T − θ̂‖ of noisy gradient descent on a risk that is τ₁-strongly convex and τ₂-smooth:
 * (1 − ητ₁)^T·‖θ_0 − θ̂‖ + max_t‖ĝ_t − g(θ_t)‖/τ₁, for η ≤ 1/τ₂ and a minimiser θ̂ inside the ball.
 *
 * Law: θ ↦ θ − ηg(θ) contracts by 1 − ητ₁ and projecting does not expand; the errors add up to η·max‖Z‖·Σ(1 − ητ₁)^t.
 *
 * Source: slides of Avella Medina (2023), guarantees for user-level LDP ERM, with the constant of its proof.
 * @throws TypeError or RangeError for a number that is not finite and ≥ 0.
 * @theorem slides User-level LDP ERM, rewritten update
 * @theorem slides Theorem, user-level LDP ERM
 */
export function descentBound(
  plan: UserLevelErmPlan,
  { start, gradientError }: { readonly start: number; readonly gradientError: number },
): number {
  checkNonNegative('start', start);
  checkNonNegative('gradientError', gradientError);
  return contraction(plan) ** plan.iterations * start + gradientError / plan.strongConvexity;
}

/**
 * √E‖ĝ_t − g(θ_t)‖² of one iteration by its own signs alone, with thresholds close: d·√((π/2)/(m·n_t))·s/κ. Here n_t is
 * the number of players of an iteration after the first, and s is the standard deviation of a coordinate of a record's
 * gradient. A prediction from earlier iterations can only reduce the error. For two-round gradients: the expected error
 * of a two-round mean by n/T players.
 * @throws TypeError or RangeError for a spread that is not a finite number ≥ 0.
 * @theorem slides Bounding the noise terms
 */
export function expectedGradientError(plan: UserLevelErmPlan, spread: number): number {
  return gradientsOf(plan).gradientError(plan, checkNonNegative('spread', spread));
}

/** The expected distance of θ_T: what stays of a start at distance R, and noise; curvature τ₁ in all directions. */
function forecast(plan: UserLevelErmPlan, setting: ForecastSetting): Expectation {
  const { strongConvexity, objective, gradient, samples, dimension, iterations } = plan;
  const players = checkInteger('players', setting.players, 1);
  const spread = gradient.model.deviation * sqrt((samples * gradient.size) / dimension);
  const floor = contraction(plan) ** iterations * objective.radius;
  // The plan of a mean has its own n, and every law divides by it.
  const scale = sqrt(plan.players / players);
  return {
    what: 'root mean squared ℓ₂ distance of the model to the minimiser without privacy',
    assumption: `a minimiser at a distance of ${objective.radius}, the curvature τ₁ = ${strongConvexity} in every direction, gradients of records with coordinates of standard deviation ${spread}, and enough players to locate them`,
    error: hypot(floor, scale * gradientsOf(plan).noise(plan, spread)),
    floor,
  };
}

export const theory: Theory<UserLevelErmPlan> = { guarantee, certificate, neighbourDistance, forecast };

/** Records whose gradient a response reverses, also along the axis of the least threshold; orthogonal; and many. */
function pairs(round: UserLevelErmRound, random: Random): readonly AuditPair<ErmDatum>[] {
  const { asked, objective } = round;
  const { dimension, featureBound, loss } = objective;
  // Gradients are largest at the largest features, except with the weights of `huber`, where the maximum is at
  // ‖x‖ = √2.
  const largest = loss === 'huber' ? sqrt(2) : featureBound;
  const features = (): Float64Array => {
    const direction = new Float64Array(dimension);
    fillSphere(direction, random);
    return direction.map((coordinate) => largest * coordinate);
  };
  const response = loss === 'huber' ? 1e6 : 1;
  const one = features();
  const other = features();
  const axis = Float64Array.from({ length: dimension }, (_, i) => (i === 0 ? largest : 0));
  const stated = asked.kind === 'sign' ? nearestAxis(asked).map((coordinate) => largest * coordinate) : undefined;
  const all = Float64Array.from({ length: 8 * dimension }, (_, i) => one[i % dimension]);
  const opposite = (name: string, features: Float64Array, records: number = 1): AuditPair<ErmDatum> => ({
    name: `opposite responses${name}`,
    first: { features, responses: new Array(records).fill(response) },
    second: { features, responses: new Array(records).fill(-response) },
  });
  return [
    opposite('', one),
    opposite(', on an axis', axis),
    ...(stated === undefined ? [] : [opposite(', on the rotated axis of the least threshold', stated)]),
    opposite(', eight records', all, 8),
    {
      name: 'random',
      first: { features: one, responses: [response] },
      second: { features: other, responses: [response] },
    },
  ];
}

/** The unit vector whose image is largest in the rotated coordinate with the threshold nearest to 0. */
function nearestAxis({ size, thresholds, rotation }: SignRound): Float64Array {
  let nearest = 0;
  for (let q = 1; q < thresholds.length; q++) if (abs(thresholds[q]) < abs(thresholds[nearest])) nearest = q;
  const axis = rotateBack(
    rotation!,
    Float64Array.from({ length: size }, (_, j) => (j === nearest >> 1 ? 1 : 0)),
  );
  const norm = euclideanNorm(axis);
  return axis.map((coordinate) => coordinate / norm);
}

/** The local gradient of a datum: for a player of the mean, that is its one sample. */
function gradientOf({ objective, theta }: UserLevelErmRound, datum: ErmDatum): UserDatum {
  const samples = new Float64Array(objective.dimension);
  fillGradient(objective, theta, datum, samples);
  return { samples };
}

/** What an audit may use to attack a player of a round: a channel of finitely many reports where it is one, and the ratio of densities. */
export const auditing: Auditing<UserLevelErmRound, ErmDatum, ValuesReport> = {
  pairs,
  // For signs, a 1 at the threshold and the side; for a two-round gradient the report itself.
  view(round, report) {
    const { asked } = round;
    if (asked.kind !== 'sign') return meanAuditing.view(asked, report);
    return Array.from({ length: 4 * asked.size }, (_, output) => (report.values[0] === output ? 1 : 0));
  },
  // 4D outputs for signs, D times the outputs of a question for bins.
  channel: (round, datum) => meanAuditing.channel!(round.asked, gradientOf(round, datum)),
  logLikelihoodRatio: (round, { name, first, second }) =>
    meanAuditing.logLikelihoodRatio!(round.asked, {
      name,
      first: gradientOf(round, first),
      second: gradientOf(round, second),
    }),
};

/**
 * Empirical risk minimisation by noisy gradient descent; all records of a player are protected together.
 *
 * Source: slides of Avella Medina (2023), user-level LDP ERM.
 * @theorem slides User-level LDP ERM
 */
export const userLevelErm: RoundsProtocol<
  UserLevelErmPlan,
  UserLevelErmRound,
  ErmDatum,
  ValuesReport,
  MeanTally,
  ErmEstimate
> = {
  name: 'user-level-erm',
  player,
  report,
  server,
  // The same θ while its gradient is being located, otherwise the next θ.
  rounds: roundsBy((plan: UserLevelErmPlan) => courseBy(gradientsOf(plan))),
  theory,
  // The variant checks every field, whatever its kind.
  make: (request) => userLevelErmPlan(request as unknown as UserLevelErmRequest),
  fields: { request: ERM_REQUEST, query: [] },
  auditing,
};

/** τ₁ of the logistic risk for which plans are made, a tenth of its τ₂ = ¼: a public assumption. */
const STRONG_CONVEXITY = 0.025;

const RADIUS = 1;

function request({ epsilon, players, samples, dimension, variant, grade }: ModelStudyRequest): PlainRequest {
  const model = { loss: 'logistic', radius: RADIUS, strongConvexity: STRONG_CONVEXITY };
  const given = grade === undefined ? {} : { grade };
  return { variant, epsilon, players, samples, dimension, ...model, ...given, force: true };
}

const planOf = (asked: ModelStudyRequest): UserLevelErmPlan =>
  userLevelErmPlan(request(asked) as unknown as UserLevelErmRequest);

/** The rounds of an attacked plan, after the answers of others with records on the sphere. */
function roundsOf(plan: UserLevelErmPlan): readonly UserLevelErmRound[] {
  const { players, dimension } = plan;
  return referenceRounds(userLevelErm, plan, players, (random): ErmDatum => {
    const features = new Float64Array(dimension);
    fillSphere(features, random);
    return { features, responses: [uniform(random) < 0.5 + 0.4 * features[0] ? 1 : -1] };
  });
}

/** The user-level descent as the command line tries it: logistic regression, with gradients by signs. */
export const study: ModelStudy = {
  kind: 'model',
  setting: 'rounds',
  protocol: userLevelErm as unknown as ModelStudy['protocol'],
  summary:
    'logistic regression from players with many records each, all protected together (Avella-Medina 2023, user-level ERM)',
  variants: VARIANTS,
  budget: 'epsilon',
  defaults: {
    certify: { players: 40_000, samples: 14, dimension: 10 },
    audit: { players: 40_000, samples: 14, dimension: 10 },
  },
  request,
  forecast(asked) {
    const plan = planOf(asked);
    const { radius } = plan.objective;
    const gradientError = expectedGradientError(plan, 0.5 / Math.sqrt(plan.dimension));
    return {
      what: 'bound on the distance to the non-private fit: what is left of the start, and the error of a gradient over τ₁',
      error: descentBound(plan, { start: radius, gradientError }),
      assumed: `records spread evenly on the unit sphere, a model near 0, τ₁ = ${plan.strongConvexity}`,
    };
  },
  target(asked) {
    const plan = planOf(asked);
    const target = transcriptTarget(userLevelErm, plan, roundsOf(plan));
    // Players are fresh: a transcript is one report and the number of its round. All its probabilities are known.
    const auditing: typeof target.auditing = {
      ...target.auditing!,
      view(_, { reports }) {
        const round = reports.findIndex((report) => report !== undefined);
        return [round, reports[round]?.values[0] ?? -1];
      },
    };
    return { ...target, auditing } as unknown as ReturnType<ModelStudy['target']>;
  },
  // All rounds at once: the joint channel is known, and no round by itself reveals more.
  parts: () => ['transcript'],
  play: {
    records: 'players',
    intercept: false,
    fit(asked, records, seed) {
      const { players } = records;
      const datum = (index: number): ErmDatum => recordsOf(records, index);
      const { theta, finished } = conduct(userLevelErm, planOf(asked), { players, datum }, { seed }).estimate;
      return { theta, ...(finished === undefined ? {} : { finished }) };
    },
    optimum(records) {
      const { dimension } = records;
      const objective = {
        dimension,
        evaluate: (point: Float64Array, gradient: Float64Array, hessian: Float64Array) =>
          riskSums(records, point, gradient, hessian),
      };
      return ballNewton({ objective, radius: RADIUS, tolerance: 1e-10 }).point;
    },
    risk: (records, theta) => riskSums(records, theta),
    constantRisk(records) {
      // The entropy of the share of players' records on one side, as far as scores in [−1, 1] can express it.
      const share = positiveShare(records);
      const score = Math.max(-RADIUS, Math.min(RADIUS, Math.log(share / (1 - share))));
      return share * value(score) + (1 - share) * value(-score);
    },
    notes(asked) {
      const missing = shortfall(planOf(asked));
      const fewer = `The theorem asks for ${missing.toLocaleString('en-US')} players more at this budget and τ₁ = ${STRONG_CONVEXITY}; the guarantee holds without them, the rate may not.`;
      return [
        `Every player counts once, whatever its number of records; ‖θ‖ ≤ ${RADIUS}.`,
        ...(missing === 0 ? [] : [fewer]),
      ];
    },
  },
};

const { value, derivative, secondDerivative } = logisticLoss();

function recordsOf({ dimension, features, responses, from, until }: ModelRecords, index: number): ErmDatum {
  const [first, end] = [from(index), until(index)];
  return {
    features: features.subarray(first * dimension, end * dimension),
    responses: Float64Array.from({ length: end - first }, (_, i) => responses[first + i]),
  };
}

function positiveShare({ players, responses, from, until }: ModelRecords): number {
  let share = 0;
  for (let i = 0; i < players; i++) {
    for (let k = from(i); k < until(i); k++) if (responses[k] > 0) share += 1 / (until(i) - from(i)) / players;
  }
  return share;
}

/** The mean over players of their mean logistic losses; also writes gradient and Hessian into arrays, if given. */
function riskSums(
  { players, dimension: d, features, responses, from, until }: ModelRecords,
  theta: Float64Array,
  gradient?: Float64Array,
  hessian?: Float64Array,
): number {
  gradient?.fill(0);
  hessian?.fill(0);
  let risk = 0;
  for (let i = 0; i < players; i++) {
    const weight = 1 / (until(i) - from(i)) / players;
    for (let k = from(i); k < until(i); k++) {
      let inner = 0;
      for (let j = 0; j < d; j++) inner += theta[j] * features[k * d + j];
      const margin = responses[k] * inner;
      risk += weight * value(margin);
      if (gradient === undefined || hessian === undefined) continue;
      const slope = weight * responses[k] * derivative(margin);
      const curvature = weight * secondDerivative(margin);
      for (let j = 0; j < d; j++) {
        gradient[j] += slope * features[k * d + j];
        for (let l = 0; l < d; l++) hessian[j * d + l] += curvature * features[k * d + j] * features[k * d + l];
      }
    }
  }
  return risk;
}
