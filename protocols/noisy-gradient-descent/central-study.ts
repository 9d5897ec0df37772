import { type AuditTarget, allClaims } from '../../src/audit/target.ts';
import { checkInteger, checkWord } from '../../src/check/refusal.ts';
import type { Certifiable } from '../../src/core/certify.ts';
import type { Auditing, AuditPair, PlainRequest, PublicParameters, Theory } from '../../src/core/contract.ts';
import { digestOf, type Json } from '../../src/core/request.ts';
import { packedLength, unpackSymmetric } from '../../src/inference/block-sums.ts';
import { innerProduct } from '../../src/numeric/matrix.ts';
import { type SymmetricEigen, symmetricEigen } from '../../src/optimize/ball.ts';
import { ballNewton } from '../../src/optimize/ball-newton.ts';
import type { Random } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { MOST_FEATURES } from '../../src/risk/regression/model.ts';
import { huberLoss, mallowsWeight } from '../../src/risk/response-loss.ts';
import type { ModelPlay, ModelRecords, ModelStudy, ModelStudyRequest } from '../../src/simulation/model-study.ts';
import { difference, fitIntervals, type NoisyFit, timesVector } from './curator.ts';
import {
  type BoundedModel,
  boundedModel,
  type CentralRecord,
  curvatureMoment,
  meanScore,
  scoreMoment,
} from './model.ts';
import type { NoisyFitPlan } from './parameters.ts';

const { sqrt } = Math;

/** A response so far away that the score has its largest length at every iterate. */
const FAR = 1e9;

/** The part of a plan that an attack reads. */
type AttackedPlan = Pick<NoisyFitPlan, 'records' | 'model' | 'sandwich'>;

/** Records of a curator, of which the attacker knows all but the first. */
export type AttackedRecords = readonly CentralRecord[];

/**
 * Pairs of data that differ in the first record, of full weight ‖(1, x)‖² = 2. First pair: its response is far above or
 * far below, which reverses its score. Second: orthogonal features too, which change the second moment of scores and
 * leave three quarters of the square by which scores differ, or half without an intercept. Third: orthogonal features
 * with responses on the model at 0, which change the Hessian only. No pair has the largest change of all releases, to
 * which the noise is calibrated one by one. All other records have the response 0, and lie on the axes in turn.
 */
function neighbours({ records, model }: AttackedPlan): readonly AuditPair<AttackedRecords>[] {
  const { intercept, features } = model.scores;
  const edge = intercept ? 1 : sqrt(2);
  const axis = (which: number, length: number): Float64Array =>
    Float64Array.from({ length: features }, (_, j) => (j === which % features ? length : 0));
  // A record that comes again is the same object: an attack goes through it once.
  const ends = Array.from(
    { length: 2 * features },
    (_, i): CentralRecord => ({ features: axis(i >> 1, i % 2 === 0 ? edge : -edge), response: 0 }),
  );
  const others = Array.from({ length: records - 1 }, (_, i) => ends[i % ends.length]);
  const pair = (name: string, first: CentralRecord, second: CentralRecord): AuditPair<AttackedRecords> => ({
    name,
    first: [first, ...others],
    second: [second, ...others],
  });
  // With an intercept and one feature (1, x) and (1, −x) are orthogonal at the edge of full weight.
  const orthogonal = features > 1 ? axis(1, edge) : axis(0, -edge);
  const far = (x: Float64Array, response: number): CentralRecord => ({ features: x, response });
  return [
    pair('opposite responses', far(axis(0, edge), FAR), far(axis(0, edge), -FAR)),
    ...(intercept || features > 1
      ? [
          pair('orthogonal features, opposite responses', far(axis(0, edge), FAR), far(orthogonal, -FAR)),
          pair('orthogonal features, responses on the model', far(axis(0, edge), 0), far(orthogonal, 0)),
        ]
      : []),
  ];
}

/** Every record of a pair once, with its share of the first and of the second data. */
type Shares = ReadonlyMap<CentralRecord, readonly [inFirst: number, inSecond: number]>;

function sharesOf({ first, second }: AuditPair<AttackedRecords>): Shares {
  const shares = new Map<CentralRecord, [number, number]>();
  [first, second].forEach((records, side) => {
    for (const record of records) {
      const found = shares.get(record) ?? [0, 0];
      found[side] += 1 / records.length;
      shares.set(record, found);
    }
  });
  return shares;
}

/** The means over the first and over the second data of numbers that every record has. */
function meansOf(shares: Shares, length: number, numbersOf: (record: CentralRecord) => Float64Array) {
  const [one, other] = [new Float64Array(length), new Float64Array(length)];
  for (const [record, [inFirst, inSecond]] of shares) {
    const numbers = numbersOf(record);
    for (let i = 0; i < length; i++) {
      one[i] += inFirst * numbers[i];
      other[i] += inSecond * numbers[i];
    }
  }
  return [one, other] as const;
}

/** The log likelihood ratio of the two matrices of the sandwich, given the last iterate. */
function sandwichLogRatio({ model, sandwich }: AttackedPlan, { theta, region }: NoisyFit, shares: Shares): number {
  if (sandwich === undefined || region === undefined) return 0;
  const ratio = (moment: typeof curvatureMoment, released: Float64Array, sigma: number): number => {
    const point = packed(model, released);
    const [one, other] = meansOf(shares, point.length, (record) => moment(model, [record], theta));
    return normalLogRatio(point, one, other, sigma * sigma);
  };
  return ratio(curvatureMoment, region.hessian, sandwich.hessian) + ratio(scoreMoment, region.scores, sandwich.scores);
}

/** The distinct entries of a symmetric matrix: its lower triangle, row after row. */
function packed({ dimension }: BoundedModel, matrix: Float64Array): Float64Array {
  const at = Array.from({ length: dimension }, (_, i) => matrix.subarray(i * dimension, i * dimension + i + 1));
  return Float64Array.from(at.flatMap((row) => [...row]));
}

/** Log of the density of N(mean, σ²) over that of N(other, σ²) at a point, coordinate by coordinate. */
function normalLogRatio(point: Float64Array, mean: Float64Array, other: Float64Array, variance: number): number {
  let sum = 0;
  for (let i = 0; i < point.length; i++) sum += (mean[i] - other[i]) * (2 * point[i] - mean[i] - other[i]);
  return sum / (2 * variance);
}

/** The release as numbers: the displacement of every step, and the distinct entries of both matrices. */
function releasedNumbers({ model }: AttackedPlan, { iterates, region }: NoisyFit): Float64Array {
  const moves = iterates.slice(1).map((theta, k) => difference(theta, iterates[k]));
  const matrices = region === undefined ? [] : [region.hessian, region.scores];
  const parts = [...moves, ...matrices.map((matrix) => packed(model, matrix))];
  return Float64Array.from(parts.flatMap((part) => Array.from(part)));
}

/** Standard deviations of the noise of one step: on every coordinate of its gradient, and on every distinct entry of its matrix. */
export type StepNoise = Readonly<Record<'gradient' | 'matrix', number>>;

/** The noise of the steps of an algorithm: first the steps along a noisy gradient, then those of noisy Newton. */
interface AttackedSteps {
  /** Steps along −g̃: their number, their size, and the standard deviation of the noise on every coordinate. */
  readonly gradient: { readonly steps: number; readonly step: number; readonly noise: number };
  /** Steps −H̃⁻¹g̃: the matrix before its noise, and the deviations of the noise of step k, from 0. */
  readonly newton?: { readonly matrix: typeof curvatureMoment; noise(k: number): StepNoise };
}

/**
 * What an audit of a curator may use: the attacker knows all records except the first. Iterates show every noisy
 * gradient, g̃ = (θ⁽ᵏ⁾ − θ⁽ᵏ⁺¹⁾)/η, and the sandwich is released unchanged. So their likelihood ratio is known exactly.
 * A Newton step Δ = −H̃⁻¹g̃ shows only that g̃ + H̃Δ = 0: given Δ, −(g + HΔ) is noise of variance σ_g² + σ_H²‖Δ‖² or,
 * in one direction, a little more.
 *
 * Law: the ratio of a Newton step is an approximation, so it proves less than the best attack could. The result is
 * still valid, because the audit counts events.
 */
export function auditingOf<Plan extends AttackedPlan>(
  stepsOf: (plan: Plan) => AttackedSteps,
): Auditing<Plan, AttackedRecords, NoisyFit> {
  return {
    pairs: neighbours,
    view: releasedNumbers,
    logLikelihoodRatio(plan, pair) {
      const { model } = plan;
      // A step that was projected back to the least scale does not show its gradient.
      if (model.leastScale !== undefined) return undefined;
      const { gradient, newton } = stepsOf(plan);
      const { dimension } = model;
      const shares = sharesOf(pair);
      const [point, move, score] = [0, 1, 2].map(() => new Float64Array(dimension));
      const zero = new Float64Array(dimension);
      /** The centre of the noise of a step under each data: the mean score, plus H·Δ for a Newton step. */
      const centres = (theta: Float64Array, matrix: typeof curvatureMoment | undefined) => {
        const means = meansOf(shares, dimension, (record) => {
          meanScore(model, [record], theta, score);
          return score;
        });
        if (matrix === undefined) return means;
        const hessians = meansOf(shares, packedLength(dimension), (record) => matrix(model, [record], theta));
        means.forEach((mean, side) => {
          const turned = timesVector(unpackSymmetric(hessians[side], dimension), move);
          for (let i = 0; i < dimension; i++) mean[i] += turned[i];
        });
        return means;
      };
      return (fit) => {
        const { iterates } = fit;
        let sum = sandwichLogRatio(plan, fit, shares);
        for (let k = 0; k + 1 < iterates.length; k++) {
          let squared = 0;
          for (let i = 0; i < dimension; i++) {
            move[i] = iterates[k + 1][i] - iterates[k][i];
            point[i] = -move[i] / gradient.step;
            squared += move[i] * move[i];
          }
          const curved = k >= gradient.steps;
          const [one, other] = centres(iterates[k], curved ? newton?.matrix : undefined);
          const noise = curved ? newton?.noise(k - gradient.steps) : undefined;
          const variance =
            noise === undefined ? gradient.noise ** 2 : noise.gradient ** 2 + noise.matrix ** 2 * squared;
          sum += normalLogRatio(curved ? zero : point, one, other, variance);
        }
        return sum;
      };
    },
  };
}

/** The part of a plan that its digest and the forecast of its study read; all other entries of a plan are numbers. */
interface CentralPlan extends NoisyFitPlan {
  readonly protocol: string;
  readonly variant: string;
}

/** One algorithm of a curator. */
export interface CentralVariant<Plan extends CentralPlan> {
  /** The plan of a request, whose fields it checks. */
  make(request: PlainRequest): Plan;
  readonly theory: Theory<Plan>;
  readonly auditing: Auditing<Plan, AttackedRecords, NoisyFit>;
  fit(plan: Plan, records: AttackedRecords, random: Random): NoisyFit;
  /** √E‖θ⁽ᴷ⁾ − θ̂‖² from the noise of the steps, given the eigenvalues of the Hessian. */
  privacyError(plan: Plan, curvatures: Float64Array): number;
}

/** What is specific to the study of one curator. */
export interface CentralCurator<Plan extends CentralPlan> {
  readonly name: string;
  readonly summary: string;
  /** Its algorithms; the first is the one that is shown first. */
  readonly variants: { readonly [variant: string]: CentralVariant<Plan> };
  /** Number of records under attack: every trial repeats all steps on them. */
  readonly attacked: number;
}

const VERSION = 1;

/** What certificates know of a curator: plans with a version, and a digest of all numbers and the requested model. */
function certifiable<Plan extends CentralPlan>({
  name,
  variants,
}: CentralCurator<Plan>): Certifiable<Plan & PublicParameters> {
  return {
    name,
    theory: { certificate: (plan) => variants[plan.variant].theory.certificate(plan) },
    make(request) {
      const plan = variants[checkWord('variant', request.variant as string, Object.keys(variants))].make(request);
      const { model: _, start, ...numbers } = plan;
      const bound = { ...numbers, version: VERSION, model: request.model, start: Array.from(start) };
      return { ...plan, version: VERSION, digest: digestOf(bound as unknown as Json), request };
    },
  };
}

/** Huber regression with Mallows weights and an intercept; forced, since the guarantee holds for any n. */
function huberRequest({ variant, mu, players, dimension }: ModelStudyRequest): PlainRequest {
  const features = checkInteger('dimension', dimension, 1, MOST_FEATURES);
  return { variant, mu, records: players, model: { kind: 'huber', features }, force: true };
}

/** The study of a curator that releases a noisy fit: Huber regression with Mallows weights. */
export function centralStudy<Plan extends CentralPlan>(curator: CentralCurator<Plan>): ModelStudy {
  const { summary, variants, attacked } = curator;
  const protocol = certifiable(curator);
  const planOf = (asked: ModelStudyRequest): Plan & PublicParameters => protocol.make!(huberRequest(asked));
  return {
    kind: 'model',
    setting: 'central',
    protocol: protocol as unknown as ModelStudy['protocol'],
    summary,
    variants: Object.keys(variants),
    budget: 'mu',
    defaults: {
      certify: { players: 40_000, samples: 1, dimension: 10 },
      audit: { players: attacked, samples: 1, dimension: 2 },
    },
    request: huberRequest,
    forecast(asked) {
      const plan = planOf(asked);
      const curvatures = new Float64Array(plan.model.dimension).fill(plan.strongConvexity);
      return {
        what: 'root of the mean squared distance to the non-private fit, by the noise of the steps',
        error: variants[plan.variant].privacyError(plan, curvatures),
        assumed: `a Hessian with all eigenvalues at the least believed, τ₁ = ${plan.strongConvexity}`,
      };
    },
    target(asked) {
      const parameters = planOf(asked);
      const { fit, theory, auditing } = variants[parameters.variant];
      const target = { player: { randomize: fit }, parameters, claimed: allClaims(theory, parameters), auditing };
      return target as unknown as AuditTarget<unknown, unknown, unknown>;
    },
    play: playOf((asked, records, seed) => {
      const plan = planOf(asked);
      const found = variants[plan.variant].fit(plan, recordsOf(records), seededRandom(seed));
      const intervals = fitIntervals(found, { level: LEVEL }).map(({ low, high }) => [low, high] as const);
      return { theta: found.theta, intervals, finished: found.region!.finished };
    }),
  };
}

const LEVEL = 0.95;

/** The radius of the search without privacy: far larger than any model whose response is in units of its noise. */
const RADIUS = 1e4;

function playOf(fit: ModelPlay['fit']): ModelPlay {
  return {
    records: 'regression',
    intercept: true,
    fit,
    optimum(records) {
      const model = boundedModel({ kind: 'huber', features: records.dimension });
      const list = recordsOf(records);
      const { dimension } = model;
      const objective = {
        dimension,
        evaluate(point: Float64Array, gradient: Float64Array, hessian: Float64Array) {
          meanScore(model, list, point, gradient);
          hessian.set(unpackSymmetric(curvatureMoment(model, list, point), dimension));
          return riskOf(records, point);
        },
      };
      const { point } = ballNewton({ objective, radius: RADIUS, tolerance: 1e-10 });
      const hessian = unpackSymmetric(curvatureMoment(model, list, point), dimension);
      return withoutFlat(point, symmetricEigen(hessian, dimension));
    },
    risk: riskOf,
    constantRisk(records) {
      // A model without features, with the weights of the features: its score falls with the intercept.
      const constant = new Float64Array(records.dimension + 1);
      let [low, high] = [-RADIUS, RADIUS];
      while (high - low > 1e-9) {
        constant[0] = (low + high) / 2;
        if (meanSlope(records, constant) > 0) high = constant[0];
        else low = constant[0];
      }
      return riskOf(records, constant);
    },
    notes: () => [
      'A trusted curator holds the records and releases every step and the sandwich of the intervals.',
      'The guarantee holds for any records; τ₁, a tenth of τ₂, is a belief that only the number of steps rests on.',
    ],
  };
}

/** The share of the largest curvature below which a direction is flat, but for rounding. */
const FLAT = 1e-10;

/**
 * The shortest of the models that are as good as this one: where features depend on each other, or one is constant beside the intercept, the
 * risk does not tell them apart, and a search ends anywhere.
 */
function withoutFlat(point: Float64Array, { values, vectors }: SymmetricEigen): Float64Array {
  const { length } = point;
  const shortest = point.slice();
  values.forEach((value, k) => {
    if (value > FLAT * values[length - 1]) return;
    const vector = vectors.subarray(k * length, (k + 1) * length);
    const along = innerProduct(vector, point);
    for (let i = 0; i < length; i++) shortest[i] -= along * vector[i];
  });
  return shortest;
}

function recordsOf({ players, dimension, features, responses }: ModelRecords): readonly CentralRecord[] {
  return Array.from({ length: players }, (_, i) => ({
    features: features.subarray(i * dimension, (i + 1) * dimension),
    response: responses[i],
  }));
}

/** The mean over records of w(x)·value(⟨θ, x⟩, y). */
function meanOf(
  { players, dimension, features, responses }: ModelRecords,
  theta: Float64Array,
  value: (inner: number, response: number) => number,
): number {
  let sum = 0;
  for (let i = 0; i < players; i++) {
    let [inner, squared] = [theta[0], 1];
    for (let j = 0, from = i * dimension; j < dimension; j++) {
      inner += theta[j + 1] * features[from + j];
      squared += features[from + j] ** 2;
    }
    sum += mallowsWeight(squared) * value(inner, responses[i]);
  }
  return sum / players;
}

/** The loss of a `huber` model whose request names neither threshold nor scale. */
const { value, derivative } = huberLoss();

const riskOf = (records: ModelRecords, theta: Float64Array): number => meanOf(records, theta, value);

const meanSlope = (records: ModelRecords, theta: Float64Array): number => meanOf(records, theta, derivative);
