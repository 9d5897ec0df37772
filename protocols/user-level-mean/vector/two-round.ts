import { checkBoolean, checkOpenUnit, checkWord, RefusedValue } from '../../../src/check/refusal.ts';
import { unitRelease } from '../../../src/core/vector-channel.ts';
import { twoLevels } from '../../../src/mechanism/exact-coin.ts';
import { normalCdf } from '../../../src/numeric/normal.ts';
import type { Release } from '../../../src/privacy/totals.ts';
import { type Over, type Pair, pairVariant, reportsOf, type Variant } from '../course.ts';
import type { TwoRoundRequest } from '../scalar/noisy-means.ts';
import { type BinQuestion, binQuestion, questionChannel } from '../scalar/question.ts';
import {
  checkBudgets,
  checkGroups,
  guaranteeOf,
  type MeanTally,
  type OfVectors,
  type PlanFields,
  planDigest,
  planFields,
  type UserLevelPlan,
} from '../shape.ts';
import { type BinContrast, binContrast, binVariance, locateBins } from './coordinate-location.ts';
import {
  type CoordinateRound,
  coordinateRound,
  coordinateTallies,
  createRotation,
  type Rotation,
} from './coordinate-round.ts';
import {
  deltaOf,
  domainOf,
  type LocationModel,
  locationModel,
  longestOf,
  neighbourDistance,
  seedOf,
  spreadOf,
} from './location.ts';
import {
  clipContraction,
  type Estimated,
  gaussianDesign,
  type Located,
  type ResidualDesign,
  type ResidualRound,
  receivedResidual,
  residualAround,
  residualMean,
  residualRelease,
  residualRound,
  unitDesign,
  unrotated,
} from './residual-round.ts';

const { max, min, sqrt } = Math;

/** A plan of two rounds in several dimensions: first the location of the mean, then the residual from there. */
export interface TwoRoundVectorPlan extends UserLevelPlan, OfVectors, TwoRoundDesign {
  readonly variant: 'twoRound';
  readonly rotation: Rotation;
  /** D. */
  readonly size: number;
  /** Whether the same players answer both rounds, with a part of ε for each. */
  readonly samePlayers: boolean;
  readonly shares: readonly [number, number];
  readonly model: LocationModel;
}

/** A round of such a plan. */
export type TwoRoundVectorRound = CoordinateRound | ResidualRound;

/** The pair of rounds of a plan, exported separately because a gradient of a descent uses it too. */
export const twoRoundVectorPair: Pair<TwoRoundVectorPlan, TwoRoundVectorRound, Located> = {
  pilot: (plan) => kindOf(plan.pilot).round(plan, plan.pilot),
  locate: (plan, pilot) => residualAround(plan, kindOf(plan.pilot).locate(plan, plan.pilot, pilot)),
  read: receivedResidual,
  final(plan, located) {
    const round = residualRound(plan, 1, located);
    return plan.samePlayers ? { ...round, repeats: true } : round;
  },
};

/**
 * Two rounds in several dimensions, fresh players in each.
 *
 * Law: round 1 locates the mean. A player draws one coordinate of the rotated local mean and reports, with the whole ε,
 * in which of k bins it lies; with too few players for that, it reports the local mean as a unit vector. Round 2
 * reports the residual from there, clipped in ℓ₂ (a rotation changes no norm): as a unit vector (PrivUnitG; k-closest
 * encoding in a deployment) or, with a δ and if that has less noise, with Gaussian noise. The kind of pilot, the number
 * of bins and the share of players minimise `twoRoundSquaredError`.
 *
 * Guarantee: pure ε, or (ε, δ) with Gaussian noise. With the same players by basic composition: a part of ε, and the
 * rest.
 *
 * Source: slides of Avella Medina (2023), the two rounds and the rotation of the multivariate case.
 * @theorem slides Results for the multivariate case, preprocessing
 * @theorem slides Theorem, multivariate case, privacy
 * @theorem slides Theorem, multivariate case, error
 */
export const twoRoundVector: Variant<TwoRoundRequest, TwoRoundVectorPlan, TwoRoundVectorRound> =
  /* @__PURE__ */ pairVariant(twoRoundVectorPair, {
    make(family, request) {
      const fields = planFields(family, 'twoRound', request, true);
      for (const name of ['failure', 'interval'] as const) {
        if (request[name] !== undefined) throw new RefusedValue(name, 'nothing in several dimensions', request[name]);
      }
      const { dimension, bound, players } = fields;
      const form = checkWord('form', request.form ?? 'automatic', ['automatic', 'unit', 'gaussian']);
      const delta = deltaOf(request);
      const samePlayers = checkBoolean('samePlayers', request.samePlayers ?? false);
      const asked = request.share === undefined ? undefined : checkOpenUnit('share', request.share);
      const [domain, seed, spread] = [domainOf(request), seedOf(request), spreadOf(request, bound)];
      const rotation = createRotation(dimension, seed);
      const { size } = rotation;
      // No signs are requested: the coin has the full budget, and is not used.
      const model = locationModel(fields, twoLevels(fields.epsilon, 1, 1), domain, spread, size);
      const budget = delta === undefined ? {} : { delta };
      const design = twoRoundDesign({ fields, form, ...budget, samePlayers, size, domain, model }, asked);
      const { share, pilot, residual } = design;
      if (!samePlayers) checkGroups(players, [share, 1 - share]);
      const digest = planDigest(fields, {
        ...{ domain, seed, samePlayers, share, form: residual.form, ...(spread === undefined ? {} : { spread }) },
        ...(residual.delta === undefined ? {} : { delta: residual.delta }),
        pilot: kindOf(pilot).named(pilot),
      });
      const shares: readonly [number, number] = samePlayers ? [1, 1] : [share, 1 - share];
      const made = { ...fields, variant: 'twoRound', digest, domain, rotation, size, samePlayers, shares } as const;
      return { ...made, model, share, pilot, residual };
    },
    answers: ({ samePlayers }) => (samePlayers ? 2 : 1),
    finish(plan, finished) {
      const { round, tally } = finished[1] as Over<ResidualRound>;
      return { players: reportsOf(finished), ...residualMean(plan, round, tally) };
    },
    claimed: ({ epsilon, residual }) => guaranteeOf({ ...residual, epsilon }),
    releases: (plan) => [kindOf(plan.pilot).release(plan.pilot), residualRelease(plan)!],
    neighbourDistance: (plan) => neighbourDistance(plan),
    expected: (plan, spread) => ({ error: sqrt(expectedTwoRoundError(plan, spread)), floor: 0 }),
  });

/** The variance of a coordinate of a mean of unit reports that is shrunk to a part; if everything is noise, what the noise could hide. `among` is R²/d. */
export const shrunkVariance = (noise: number, among: number, kept: number): number =>
  noise * min(among / (among + noise), max(kept, 1 / 3));

/**
 * The mean of unit reports, shrunk according to the part of its length that is noise (James and Stein), and at least as for a mean of the
 * largest length: few reports alone would put it, and the clip of round 2, far beyond.
 */
function shrunk(
  { radius, deviation, dimension }: ResidualRound,
  { players, sums }: MeanTally,
  residual: ResidualDesign,
): Estimated {
  const noise = (radius * radius * residual.coordinateVariance + deviation * deviation) / players;
  const square = sums.reduce((sum, x) => sum + ((radius * x) / players) ** 2, 0) / dimension;
  const among = (radius * radius) / dimension;
  const kept = min(among / (among + noise), max(0, 1 - noise / square));
  return {
    mean: sums.map((x) => (kept * radius * x) / players),
    standardError: Float64Array.of(sqrt(shrunkVariance(noise, among, kept))),
    deviation: Float64Array.of(deviation),
  };
}

/**
 * The expected error, E‖estimate − mean‖², if coordinates of samples have the standard deviation s, without what a clip
 * leaves of the error of a centre.
 */
export function expectedTwoRoundError(plan: TwoRoundVectorPlan, spread: number): number {
  const { dimension, size, samples } = plan;
  return twoRoundSquaredError({ ...plan, fields: plan }, plan, spread * sqrt(dimension / size / samples));
}

/** A first round where a report is a bin of one rotated coordinate. */
type BinPilot = { readonly kind: 'bin'; readonly question: BinQuestion };

/** A first round where a report is the local mean as a unit vector. */
export type UnitPilot = { readonly kind: 'unit'; readonly residual: ResidualDesign };

/** A first round of either kind. */
type Pilot = BinPilot | UnitPilot;

/** The design of both rounds. */
export interface TwoRoundDesign {
  /** The question of round 1. */
  readonly pilot: Pilot;
  readonly residual: ResidualDesign;
  /** Share of the players in round 1 or, if the same players answer both, of the budget. */
  readonly share: number;
}

/** The setting in which a design is judged. */
interface Judged extends Pick<TwoRoundVectorPlan, 'samePlayers' | 'size' | 'domain' | 'model'> {
  readonly fields: PlanFields;
}

/** The setting for which a design is chosen; with a δ, round 2 may have Gaussian noise. */
type TwoRoundSetting = Judged & Required<Pick<TwoRoundRequest, 'form'>> & Pick<TwoRoundRequest, 'delta'>;

/** The shares that are tried, and the ratios of the numbers of bins. */
const SHARES: readonly number[] = [0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5];

const BIN_RATIO = 1.5;

const MOST_BINS = 2 ** 12;

/** The design of least expected error: every share, with a unit vector or bins from ¼ of the range to ½ a deviation. */
function twoRoundDesign(setting: TwoRoundSetting, asked?: number): TwoRoundDesign {
  const { fields, samePlayers, model } = setting;
  const shares = asked === undefined ? SHARES : [asked];
  if (samePlayers)
    checkBudgets(
      asked,
      shares.flatMap((share) => [fields.epsilon * share, fields.epsilon * (1 - share)]),
    );
  let best: TwoRoundDesign | undefined;
  let least = Infinity;
  const fresh = residualOf(setting, fields);
  for (const share of shares) {
    const first = samePlayers ? { ...fields, epsilon: fields.epsilon * share } : fields;
    const residual = samePlayers ? residualOf(setting, { ...fields, epsilon: fields.epsilon * (1 - share) }) : fresh;
    const pilots: Pilot[] = [{ kind: 'unit', residual: unitDesign(first) }];
    const most = min(MOST_BINS, (4 * model.halfRange) / model.deviation);
    for (let bins = 4; bins <= most; bins = Math.ceil(bins * BIN_RATIO)) {
      pilots.push({ kind: 'bin', question: binQuestion(model.halfRange, bins, first.epsilon) });
    }
    for (const pilot of pilots) {
      const design = { pilot, residual, share };
      const error = twoRoundSquaredError(setting, design, model.deviation);
      if (error < least) [best, least] = [design, error];
    }
  }
  return best!;
}

function residualOf({ form, delta }: TwoRoundSetting, fields: PlanFields): ResidualDesign {
  const unit = unitDesign(fields);
  if (delta === undefined || form === 'unit') return unit;
  const gaussian = gaussianDesign(fields, delta);
  return form === 'gaussian' || gaussian.coordinateVariance < unit.coordinateVariance ? gaussian : unit;
}

/**
 * The expected error, E‖estimate − mean‖², if rotated coordinates of local means have the deviation τ.
 *
 * Law: bins find a coordinate unless one of k other places fits better, k·Φ(−√(Σp²/2v)). The error is then the smaller
 * of a bin and of v/Σ(dp/dθ)², which the shares of its neighbours allow. A unit vector finds a coordinate to within its
 * noise, shrunk by the prior. Round 2 has d·(ρ²·d·u/a² + τ²)/n₂ for residuals of the deviation ρ, with noise u of a
 * coordinate and contraction a of the clip. Both rounds are weighted by their precision. A coordinate that was not
 * found has an error of twice its prior variance.
 */
function twoRoundSquaredError(setting: Judged, design: TwoRoundDesign, deviation: number): number {
  const { fields, samePlayers, size, model } = setting;
  const { players, dimension } = fields;
  const reports = samePlayers ? players : players * (1 - design.share);
  const answers = players * (samePlayers ? 1 : design.share);
  const { error, failure } = kindOf(design.pilot).doubt(setting, design.pilot, answers, deviation);
  const lost = 2 * failure * model.largestSpread ** 2;
  const contraction = clipContraction(dimension, sqrt(dimension));
  const noise = (dimension * design.residual.coordinateVariance) / contraction ** 2;
  const last = (size * ((deviation ** 2 + error + lost) * noise + deviation ** 2)) / reports;
  return 1 / (1 / last + 1 / (size * error)) + size * lost;
}

/** What is done with a first round of one kind, and what is known of it. */
interface PilotKind<Own extends Pilot> {
  round(plan: TwoRoundVectorPlan, pilot: Own): TwoRoundVectorRound;
  locate(plan: TwoRoundVectorPlan, pilot: Own, finished: Over<TwoRoundVectorRound>): Estimated;
  /** What a digest says of it. */
  named(pilot: Own): number | string;
  release(pilot: Own): Release;
  /** Squared error of a rotated coordinate of the centre that was found, and the probability that one was not. */
  doubt(
    setting: Judged,
    pilot: Own,
    reports: number,
    tau: number,
  ): { readonly error: number; readonly failure: number };
}

const PILOTS: { readonly bin: PilotKind<BinPilot>; readonly unit: PilotKind<UnitPilot> } = {
  bin: {
    round: (plan, { question }) =>
      coordinateRound(plan, { round: 0, answers: 'one' }, new Array(plan.size).fill(question)),
    locate(plan, { question }, { round, tally }) {
      return unrotated(plan, locateBins(question, coordinateTallies(round as CoordinateRound, tally), plan.model));
    },
    named: ({ question }) => question.mechanism.categories,
    release: ({ question }) => questionChannel(question).release('bin of one rotated coordinate, in round 1 of 2'),
    doubt({ size }, { question }, reports, tau) {
      const { width, variance, powers, slopes } = binDoubt(question, reports / size, tau);
      const average = (values: readonly number[]): number =>
        values.reduce((sum, value) => sum + value / values.length, 0);
      const wrong = average(powers.map((power) => normalCdf(-sqrt(power / (2 * variance)))));
      const error = average(slopes.map((slope) => min((width * width) / 12, variance / slope)));
      return { error, failure: min(1, question.mechanism.categories * wrong) };
    },
  },
  unit: {
    round(plan, { residual }) {
      const { size, dimension, model, domain } = plan;
      const radius = longestOf(domain, plan);
      const prior = { centre: new Float64Array(dimension), radius, centreError: radius / sqrt(dimension) };
      return residualRound({ ...plan, residual }, 0, { ...prior, deviation: model.deviation * sqrt(size / dimension) });
    },
    locate: (_, { residual }, { round, tally }) => shrunk(round as ResidualRound, tally, residual),
    named: ({ kind }) => kind,
    release: ({ residual }) => unitRelease('local mean as a unit vector, in round 1 of 2', residual.mechanism!),
    doubt({ fields, size, domain, model }, { residual }, reports) {
      const prior = model.largestSpread ** 2;
      const noise = (longestOf(domain, fields) ** 2 * residual.coordinateVariance * fields.dimension) / size / reports;
      return { error: prior * (noise / (prior + noise)), failure: 0 };
    },
  },
};

/** What is done with this pilot: the same one is given to it. */
const kindOf = ({ kind }: Pilot): PilotKind<Pilot> => PILOTS[kind] as PilotKind<Pilot>;

/** The width of a bin, the variance of the frequency of one, and what frequencies tell about places in a bin. */
export function binDoubt(
  question: BinQuestion,
  reports: number,
  tau: number,
): BinContrast & { readonly width: number; readonly variance: number } {
  const width = (question.upper - question.lower) / question.mechanism.categories;
  return { width, variance: binVariance(question, reports), ...binContrast(width, tau) };
}
