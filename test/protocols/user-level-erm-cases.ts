import type { ErmPlan, ErmRound } from '../../protocols/user-level-erm/gradients.ts';
import { descent, type ErmRequest, userLevelErm } from '../../protocols/user-level-erm/index.ts';
import type { ErmLoss, TwoRoundErmRequest } from '../../protocols/user-level-erm/objective.ts';
import type { UserLevelErmPlan, UserLevelErmRound } from '../../protocols/user-level-erm/parameters.ts';
import type { ErmDatum } from '../../protocols/user-level-erm/record.ts';
import type { MeanTally } from '../../protocols/user-level-mean/shape.ts';
import { fillNormal, uniform } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { conduct } from '../../src/simulation/runner.ts';
import type { ContractCase } from '../../src/testing/contract/law.ts';
import { populationOf, type Records } from '../evidence/user-level-erm/validations/records.ts';
import type { RoundContent } from './round-protocol.ts';

/** A request of each loss for few players and little time. */
export function smallRequest(loss: ErmLoss, change: Partial<ErmRequest> = {}): ErmRequest {
  const request = { epsilon: 2, players: 3000, samples: 4, dimension: 3, loss, radius: 2, strongConvexity: 0.1 };
  return { ...request, iterations: 6, force: true, ...change };
}

/** The same with gradients of two rounds, of players who are enough to locate each. */
export function smallTwoRoundRequest(loss: ErmLoss, change: Partial<TwoRoundErmRequest> = {}): TwoRoundErmRequest {
  const { epsilon, samples, dimension, radius, strongConvexity } = smallRequest(loss);
  const fields = { epsilon, players: 3000, samples, dimension, loss, radius, strongConvexity, iterations: 3 };
  return { ...fields, spread: 0.4, force: true, gradients: 'two-round', ...change };
}

/** What records are drawn from. */
export interface RecordLaw {
  readonly loss: ErmLoss;
  readonly players: number;
  readonly samples: number;
  /** The model behind the responses. */
  readonly truth: readonly number[];
  readonly seed: string;
}

/**
 * Records with features uniform in the unit ball, for `huber` standard normal; labels from the logistic model, or responses around
 * ⟨θ, x⟩ that are up to ½ off, for `huber` one in twenty with ten times the noise of the others.
 */
export function drawRecords({ loss, players, samples, truth, seed }: RecordLaw): Records {
  const dimension = truth.length;
  const random = seededRandom(seed);
  const count = players * samples;
  const features = new Float64Array(count * dimension);
  const responses = new Float64Array(count);
  const noise = new Float64Array(1);
  fillNormal(features, random, 0, features.length);
  for (let record = 0, at = 0; record < count; record++, at += dimension) {
    let factor = 1;
    if (loss !== 'huber') {
      let squared = 0;
      for (let i = 0; i < dimension; i++) squared += features[at + i] ** 2;
      factor = uniform(random) ** (1 / dimension) / Math.sqrt(squared);
    }
    let inner = 0;
    for (let i = 0; i < dimension; i++) {
      features[at + i] *= factor;
      inner += truth[i] * features[at + i];
    }
    if (loss === 'huber') {
      fillNormal(noise, random, 0, 1);
      responses[record] = inner + (uniform(random) < 0.05 ? 10 : 1) * noise[0];
    } else if (loss === 'squared') {
      responses[record] = Math.max(-1, Math.min(1, inner + uniform(random) - 0.5));
    } else {
      responses[record] = uniform(random) < 1 / (1 + Math.exp(-inner)) ? 1 : -1;
    }
  }
  return { features, responses };
}

/** The rounds of plans that were played, by digest: a case asks for several of one plan. */
const played = new Map<string, readonly UserLevelErmRound[]>();

/** A round of a plan, after those before it were played. */
export function roundOf(plan: ErmPlan, round: number): ErmRound;
export function roundOf(plan: UserLevelErmPlan, round: number): UserLevelErmRound;
export function roundOf(plan: UserLevelErmPlan, round: number): UserLevelErmRound {
  const { players, dimension, objective, digest } = plan;
  if (!played.has(digest)) {
    const truth = Array.from({ length: dimension }, (_, i) => 0.5 - 0.2 * i);
    const records = drawRecords({ loss: objective.loss, players, samples: 1, truth, seed: 'rounds' });
    const { finished } = conduct(userLevelErm, plan, populationOf(records, players), { seed: 'rounds' });
    played.set(
      digest,
      finished.map((one) => one.round),
    );
  }
  return structuredClone(played.get(digest)![round]);
}

/** What is not a datum for features of this dimension. */
export function strangers(loss: ErmLoss, dimension: number): { readonly [what: string]: unknown } {
  const inside = 0.3141592653589793 / Math.sqrt(dimension);
  const fill = (value: unknown, records: number): unknown[] => new Array(records * dimension).fill(value);
  const good = fill(inside, 2);
  const labels = [0.6180339887498949, -0.6180339887498949];
  const robust: boolean = loss === 'huber';
  return {
    null: null,
    undefined,
    'a number': 0.6180339887498949,
    'a text': '0.6180339887498949',
    'no responses': { features: good },
    'no features': { responses: labels },
    'features that are null': { features: null, responses: labels },
    'features that are a number': { features: 0.6180339887498949, responses: labels },
    'responses that are a text': { features: good, responses: '11' },
    'no records': { features: [], responses: [] },
    'one number too few': { features: good.slice(1), responses: labels },
    'one number too many': { features: [...good, inside], responses: labels },
    'records of another dimension': {
      features: new Array(2 * (dimension + 1)).fill(inside),
      responses: labels,
    },
    'a NaN among the features': { features: good.with(1, NaN), responses: labels },
    'an infinity among the features': { features: good.with(0, -Infinity), responses: labels },
    'a text among the features': { features: good.with(1, '0.6180339887498949'), responses: labels },
    'a hole among the features': { features: Array.from({ length: 2 * dimension }), responses: labels },
    'a NaN among the responses': { features: good, responses: [NaN, 0.6180339887498949] },
    'an infinity among the responses': { features: good, responses: [0.6180339887498949, Infinity] },
    'a text among the responses': { features: good, responses: [0.6180339887498949, '0.6180339887498949'] },
    'a norm beyond the largest': {
      features: good.with(dimension, robust ? 1.73205080756887e160 : 1.73205080756887),
      responses: labels,
    },
    'a response beyond the largest': {
      features: good,
      responses: [robust ? 1.0000012345678e160 : 1.0000012345678, 0.6180339887498949],
    },
  };
}

/** The case of one round of a request, and the rounds its reports must not be taken for. */
export function ermCase(
  request: ErmRequest | TwoRoundErmRequest,
  round: number,
): ContractCase<UserLevelErmRound, ErmDatum, MeanTally, RoundContent, undefined> {
  const { loss, dimension, epsilon } = request;
  const plan = descent(request);
  const made = roundOf(plan, round);
  const truth = Array.from({ length: dimension }, () => 0.3);
  const records = drawRecords({ loss, players: 11, samples: 3, truth, seed: `contract ${dimension}` });
  const { datum } = populationOf(records, 11);
  const changes: readonly Pick<Partial<ErmRequest>, 'epsilon' | 'radius' | 'step'>[] = [
    { epsilon: 1.5 * epsilon },
    { radius: 2.5 },
    { step: 0.1 },
  ];
  const exact = made.asked.kind !== 'residual';
  return {
    name: `${loss}, ${plan.gradients}, ${request.grade ?? 'simulation'}, ε = ${epsilon}, dimension ${dimension}, round ${round}`,
    make: () => structuredClone(made),
    others: [
      roundOf(plan, round + 1),
      ...changes.map((change) => roundOf(descent({ ...request, ...change }), round)),
      roundOf(descent(smallRequest(loss, { dimension: dimension + 1 })), round),
    ],
    data: Array.from({ length: 11 }, (_, i) => structuredClone(datum(i))),
    refused: strangers(loss, dimension),
    queries: [undefined],
    content: (_, { players, sums }) => [players, ...sums],
    numbers: ({ numbers }) => numbers,
    exact,
    // Sums of a few dozen unit reports in another order.
    tolerance: exact ? 0 : 1e-9,
  };
}
