import { checkWord } from '../../src/check/refusal.ts';
import type { Auditing, AuditPair, PlainRequest } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import type { Rounds, RoundsProtocol } from '../../src/core/interactive.ts';
import { namesOf } from '../../src/core/request.ts';
import { euclideanNorm, projectBall } from '../../src/numeric/matrix.ts';
import { fillSphere, type Random } from '../../src/random/random.ts';
import { type ExpectedError, roundsBy } from './course.ts';
import { fillLocalMean, fillResidual, localMean, localProduct } from './local-mean.ts';
import {
  DEPLOYABLE,
  planFrom,
  type UserLevelMeanPlan,
  type UserLevelMeanRequest,
  type UserLevelMeanRound,
  userLevelMeanPlan,
  VARIANT_TABLE,
  VARIANTS,
  type VariantTable,
  variantOf,
} from './parameters.ts';
import { player } from './player.ts';
import type { ScalarRound } from './scalar/question.ts';
import { channelOf, report, server } from './server.ts';
import {
  type FoundMean,
  isVector,
  type MeanEstimate,
  type MeanTally,
  type RoundOfVectors,
  type UserDatum,
  type UserLevelRequest,
} from './shape.ts';
import { simulateRound } from './simulate.ts';
import { meanTheory, theory } from './theory.ts';
import { type CoordinateRound, fillRotationRow, rotate, type SignRound } from './vector/coordinate-round.ts';
import type { ResidualRound } from './vector/residual-round.ts';

const { abs, max, min } = Math;

/** A protocol for the mean, with some or all variants. */
export type MeanProtocol = RoundsProtocol<
  UserLevelMeanPlan,
  UserLevelMeanRound,
  UserDatum,
  ValuesReport,
  MeanTally,
  MeanEstimate
>;

/** The protocol with the variants of a table, and with a faster way to simulate, which a device does not carry. */
function meanProtocol(variants: VariantTable, faster?: MeanProtocol['simulateRound']): MeanProtocol {
  return {
    name: 'user-level-mean',
    player,
    report,
    server,
    rounds: withinDomain(roundsBy((plan: UserLevelMeanPlan) => variantOf(variants, plan))),
    theory: meanTheory(variants),
    auditing,
    ...(faster === undefined ? {} : { simulateRound: faster }),
    // The variants check every field, whatever its kind.
    make: (request) => planFrom(variants, request),
    fields: {
      request: namesOf<UserLevelMeanRequest>({
        variant: true,
        epsilon: true,
        delta: true,
        players: true,
        samples: true,
        bound: true,
        dimension: true,
        grade: true,
        spread: true,
        skew: true,
        pilot: true,
        shares: true,
        failure: true,
        calibration: true,
        domain: true,
        seed: true,
        rounds: true,
        form: true,
        interval: true,
        share: true,
        samePlayers: true,
      }),
      query: [],
    },
  };
}

/** The same rounds; their estimate is moved to the domain of the samples, which is convex and has the true mean in it. */
function withinDomain<Round>(
  rounds: Rounds<UserLevelMeanPlan, Round, MeanTally, FoundMean, undefined>,
): Rounds<UserLevelMeanPlan, Round, MeanTally, MeanEstimate, undefined> {
  return {
    ...rounds,
    estimate(plan, finished) {
      const found = rounds.estimate(plan, finished);
      const { bound } = plan;
      const mean =
        isVector(plan) && plan.domain === 'ball'
          ? projectBall(found.mean.slice(), bound)
          : found.mean.map((entry) => max(-bound, min(bound, entry)));
      return { ...found, mean, unprojected: found.mean };
    },
  };
}

/** What an audit may use to attack the player of a round. */
export const auditing: Auditing<UserLevelMeanRound, UserDatum, ValuesReport> = {
  pairs: (round, random) => (round.kind === 'scalar' ? pairsAround(round) : vectorPairs(round, random)),
  view: (round, { values }) => channelOf(round).view(values),
  channel: (round, datum) => channelOf(round).probabilities(imageOf(round, datum)),
  logLikelihoodRatio(round, { first, second }) {
    const ratio = channelOf(round).logRatio(imageOf(round, first), imageOf(round, second));
    return ({ values }) => ratio(values);
  },
};

/**
 * The mean of samples, estimated in rounds. Every player holds several samples, all of them protected together.
 *
 * Source: Avella-Medina 2023 (slides of Ramesh, Han, Avella-Medina, Rush), the two-round estimator, and later results.
 * @theorem slides Mean estimation under user-level local privacy constraints
 */
export const userLevelMean: MeanProtocol = /* @__PURE__ */ meanProtocol(VARIANT_TABLE, simulateRound);

/**
 * The same protocol with only the variants that a device may play: give it to `deployedRoundsPlayer` instead of
 * `userLevelMean`. Plans, rounds and reports are the same. Requests for schemes printed in the slides are refused, and
 * none of their code is loaded.
 */
export const deployableMean: MeanProtocol = /* @__PURE__ */ meanProtocol(DEPLOYABLE);

/** The request of a study of players with several samples: plain data. Samples lie in [−1, 1], or in the unit ball. */
export interface UserStudyRequest extends Omit<UserLevelRequest, 'bound' | 'dimension'> {
  readonly variant: string;
  /** δ of one player's transcript; variants with a pure guarantee do not use it. */
  readonly delta: number;
  /** d ≥ 1. */
  readonly dimension: number;
  /** s, the standard deviation of one sample, if it is public; used by variants whose interval depends on it. */
  readonly spread?: number;
  /** Whether samples lie in the unit ball; otherwise only each coordinate lies in [−1, 1]. */
  readonly inBall?: boolean;
}

/** Variants that are shown side by side, best first, and those among them with which the others are compared. */
type ComparedVariants = { readonly variants: readonly string[]; readonly baselines: readonly string[] };

/** What a protocol for means of players with several samples offers to users. See `Study` for labelled records. */
export interface UserStudy {
  readonly kind: 'users';
  readonly protocol: MeanProtocol;
  readonly summary: string;
  readonly variants: readonly string[];
  readonly scalar: ComparedVariants;
  readonly vector: ComparedVariants;
  /** What a device is sent. */
  request(asked: UserStudyRequest): PlainRequest;
  /** @throws TypeError or RangeError naming the field. */
  plan(asked: UserStudyRequest): UserLevelMeanPlan;
  /** What to expect before any data are collected; s is the standard deviation of a coordinate of one sample. */
  forecast(asked: UserStudyRequest, setting: { readonly spread: number }): ExpectedError;
}

const PURE: readonly string[] = ['oneBit', 'vector', 'coordinates'];

function request(asked: UserStudyRequest): PlainRequest {
  const { variant: word, delta, inBall = false, grade, dimension, spread, ...rest } = asked;
  const variant = checkWord('variant', word, VARIANTS);
  return {
    variant,
    ...rest,
    ...(dimension === 1 ? {} : { dimension }),
    ...(grade === undefined ? {} : { grade }),
    // Other variants find the spread themselves, and a wrong given value would mislead them.
    ...(spread === undefined || variant !== 'twoRound' ? {} : { spread }),
    ...(PURE.includes(variant) ? {} : { delta }),
    ...(inBall && (dimension > 1 || VARIANT_TABLE[variant].one === undefined) ? { domain: 'ball' } : {}),
  };
}

const plan = (asked: UserStudyRequest): UserLevelMeanPlan =>
  userLevelMeanPlan(request(asked) as unknown as UserLevelMeanRequest);

/**
 * By closed forms, for players alike and enough of them to find the mean roughly, or without a search where `oneBit` has
 * too few; `vector` and `coordinates`, which lose a coordinate now and then, by playing their rounds. For `printed` the
 * mean is assumed at the edge of a bin, the worst case.
 */
function forecast(asked: UserStudyRequest, { spread }: { readonly spread: number }): ExpectedError {
  const made = plan(asked);
  const { error, floor } = theory.forecast!(made, { players: made.players, spread });
  const { playersNeeded } = variantOf(VARIANT_TABLE, made).expected(made, spread);
  return { error, floor, ...(playersNeeded === undefined ? {} : { playersNeeded }) };
}

/** The user-level mean as the command line and the simulator try it. */
export const study: UserStudy = {
  kind: 'users',
  protocol: userLevelMean,
  summary:
    'mean of samples of which every player holds several, all protected together (Avella-Medina 2023, two rounds)',
  variants: VARIANTS,
  scalar: { variants: ['oneBit', 'twoRound', 'naive', 'printed'], baselines: ['naive', 'printed'] },
  vector: { variants: ['vector', 'twoRound', 'coordinates', 'printed'], baselines: ['coordinates', 'printed'] },
  request,
  plan,
  forecast,
};

/** The images of the kinds of rounds; a new kind needs a line here. */
const IMAGES = {
  scalar: ({ bound }: ScalarRound, datum: UserDatum): readonly number[] => [localMean(datum, bound)],
  sign: signImage,
  coordinate: (round: CoordinateRound, datum: UserDatum) => rotate(round.rotation, meanOf(round, datum)),
  residual: residualOf,
} as const;

/** The numbers of a datum that the player of a round compares or hides, in the order of the round's questions. */
function imageOf(round: UserLevelMeanRound, datum: UserDatum): ArrayLike<number> {
  const image: (round: never, datum: UserDatum) => ArrayLike<number> = IMAGES[round.kind];
  return image(round as never, datum);
}

function meanOf(round: RoundOfVectors, datum: UserDatum): Float64Array {
  const mean = new Float64Array(round.dimension);
  fillLocalMean(round, datum, mean);
  return mean;
}

function residualOf(round: ResidualRound, datum: UserDatum): Float64Array {
  const residual = new Float64Array(round.dimension);
  fillResidual(round, datum, residual);
  return residual;
}

/** Row by row, as the player computes it: the same sum in another order may fall on the other side of a threshold. */
function signImage(round: SignRound, datum: UserDatum): Float64Array {
  const { dimension, size, rotation } = round;
  if (rotation === undefined) return meanOf(round, datum);
  const row = new Float64Array(dimension);
  return Float64Array.from({ length: size }, (_, j) => {
    fillRotationRow(rotation, j, row);
    return localProduct(round, datum, row);
  });
}

/** Players with one sample each, around the interval of the question; and one with many samples. */
function pairsAround({ bound, question: { lower, upper } }: ScalarRound): readonly AuditPair<UserDatum>[] {
  const inside = (value: number): number => max(-bound, min(bound, value));
  const pair = (name: string, first: number, second: number): AuditPair<UserDatum> => ({
    name,
    first: { samples: [inside(first)] },
    second: { samples: [inside(second)] },
  });
  const middle = (lower + upper) / 2;
  const step = 0.005 * bound;
  return [
    pair('opposite ends of the range', bound, -bound),
    pair('ends of the interval asked about', upper + step, lower - step),
    pair('close to the middle of the interval', middle + step, middle - step),
    pair('middle and end', middle, upper),
    { name: 'many samples and one', first: { samples: [bound, -bound, bound] }, second: { samples: [-bound] } },
  ];
}

/** Pairs of data with one sample each: opposite corners, along an axis, and in random directions around the centre. */
function vectorPairs(round: RoundOfVectors, random: Random): readonly AuditPair<UserDatum>[] {
  const { dimension, bound, domain } = round;
  const pair = (name: string, direction: Float64Array): AuditPair<UserDatum> => {
    // The longest multiple that stays inside, slightly shortened for the rounding of norms.
    const size = domain === 'box' ? direction.reduce((most, x) => max(most, abs(x)), 0) : euclideanNorm(direction);
    const first = direction.map((x) => (x / size) * bound * (1 - 2 ** -40));
    return { name, first: { samples: first }, second: { samples: first.map((x) => -x) } };
  };
  const axis = new Float64Array(dimension);
  axis[0] = 1;
  const drawn = new Float64Array(dimension);
  fillSphere(drawn, random);
  return [pair('antipodal', new Float64Array(dimension).fill(1)), pair('axis', axis), pair('random direction', drawn)];
}
