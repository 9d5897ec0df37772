import { checkInteger, checkNonNegative, checkWord, RefusedValue } from '../../../src/check/refusal.ts';
import type { Json } from '../../../src/core/request.ts';
import { twoLevels } from '../../../src/mechanism/exact-coin.ts';
import { type Over, receivedNumbers, reportsOf, type Variant } from '../course.ts';
import type { VectorChoice } from '../scalar/noisy-means.ts';
import { coinRelease } from '../scalar/question.ts';
import {
  guaranteeOf,
  type PlanFields,
  planDigest,
  planFields,
  type SampleDomain,
  type UserLevelRequest,
} from '../shape.ts';
import { locateEach } from './coordinate-location.ts';
import { createRotation, type SignPlan, type SignRound, signRound } from './coordinate-round.ts';
import {
  deltaOf,
  domainOf,
  type Location,
  type LocationModel,
  locationModel,
  neighbourDistance,
  type SignCounts,
  seedOf,
  spreadOf,
} from './location.ts';
import {
  clipContraction,
  gaussianDesign,
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

const { ceil, floor, log, max, min, sqrt } = Math;

/** The fields of a request for a plan whose players answer all coordinates, one bit each. */
export interface CoordinatesRequest extends UserLevelRequest, Pick<VectorChoice, 'domain'> {
  /** One more than the number of moves of the thresholds: rounds of disjoint players. 3 or more, 8 by default. */
  readonly rounds?: number;
  /** s, if it is public: standard deviation of a coordinate of a sample, averaged over coordinates. */
  readonly spread?: number;
}

/** The fields of a request for a plan of `vector`. */
export interface VectorRequest extends CoordinatesRequest, VectorChoice {
  /** The question of the last round; by default the form with the least error by closed forms. */
  readonly form?: VectorForm | 'automatic';
  /** δ, for the form `gaussian` only. */
  readonly delta?: number;
}

/** A plan for means in d dimensions. */
export interface VectorPlan extends SignPlan {
  readonly variant: 'vector' | 'coordinates';
  /** The public prior of the coordinates that are located. */
  readonly model: LocationModel;
  /** The question of the last round. */
  readonly form: VectorForm;
  /** Error of each form for one player and τ = 1, by closed forms; the automatic choice compares these. */
  readonly costs: FormCosts;
  /** How the residual is sent; absent if all rounds request signs. */
  readonly residual?: ResidualDesign;
}

type FinishedVector = Over<SignRound | ResidualRound>;

/**
 * Players answer one bit each about one coordinate of the rotated local mean or, in the last round, the residual from
 * the mean that the bits have found.
 *
 * Law: y is rotated by H·diag(s)/√D, so that all its coordinates have about the same size. Each player draws a
 * coordinate and one of two thresholds with its own coins and reports both, and the sign of y_j − t through randomized
 * response. Thresholds move, round after round, to where the posterior leaves doubt. The last round either requests signs too, or sends y − c, clipped in ℓ₂: as a unit vector (PrivUnitG; k-closest encoding
 * in a deployment) or with Gaussian noise.
 *
 * Coordinates of rotated local means are normal only as m·D grows: skewness γ moves an estimate by about γτ/6, and the
 * rotation averages out the skewness of d coordinates.
 *
 * Guarantee: pure ε for one player's transcript, for every form except `gaussian`, which has (ε, δ). Players are fresh
 * in every round.
 *
 * Source: slides of Avella Medina (2023), two-round estimation with a random rotation; signs and their likelihood in
 * place of bins.
 * @theorem slides Results for the multivariate case, preprocessing
 * @theorem slides Results for the multivariate case, random rotation
 * @theorem slides Theorem, multivariate case, privacy
 * @theorem slides Theorem, multivariate case, error
 * @theorem slides Theorem, multivariate case, condition
 */
export const vector: Variant<VectorRequest, VectorPlan, SignRound | ResidualRound> = {
  make(family, request) {
    const fields = planFields(family, 'vector', request, true);
    const { dimension, epsilon, bound } = fields;
    const seed = seedOf(request);
    const wanted = checkWord('form', request.form ?? 'automatic', ['automatic', 'sign', 'unit', 'gaussian']);
    const delta = deltaOf(request);
    const rotation = createRotation(dimension, seed);
    const { size } = rotation;
    const coin = twoLevels(epsilon, 1, 1);
    const designs = [unitDesign(fields), ...(delta === undefined ? [] : [gaussianDesign(fields, delta)])];
    const rounds = roundsOf(request, fields.players, size);
    const costs = formCosts(fields, coin.contrast, size, rounds, designs);
    const bits = (fields.players * coin.contrast ** 2) / size;
    // If the rounds before the last do not locate every coordinate, signs in all rounds are better.
    const located = MOST_PILOT * bits >= PILOT_BITS;
    const form = wanted !== 'automatic' ? wanted : located ? cheapestForm(costs) : 'sign';
    const residual = designs.find((design) => design.form === form);
    const shares = vectorShares(form, rounds, bits);
    const domain = domainOf(request);
    const spread = spreadOf(request, bound);
    const model = locationModel(fields, coin, domain, spread, size);
    const named = { seed, form, ...(form === 'gaussian' ? { delta: delta as number } : {}) };
    const digest = planDigest(fields, { ...agreed(domain, shares, spread), ...named });
    return {
      ...{ ...fields, variant: 'vector', digest, domain, answers: 'one', rotation, size, shares, coin, model, form },
      ...{ costs, ...(residual === undefined ? {} : { residual }) },
    };
  },
  rounds: ({ shares }) => shares.length,
  answers: () => 1,
  after,
  remake(plan, round, received) {
    if (plan.residual !== undefined && round === plan.shares.length - 1) {
      return residualRound(plan, round, receivedResidual(plan, received));
    }
    return signRound(plan, round, receivedNumbers(received, 'thresholds', 2 * plan.size));
  },
  // Uses the signs of all rounds or, with a round of residuals, the signs and the centre together, each weighted by its
  // precision.
  finish(plan, finished) {
    checkGroups(plan, finished);
    const { round, tally } = finished[finished.length - 1];
    const found =
      round.kind === 'residual' ? residualMean(plan, round, tally) : unrotated(plan, locatedBy(plan, finished));
    return { players: reportsOf(finished), ...found };
  },
  claimed: ({ epsilon, residual }) => guaranteeOf({ ...residual, epsilon }),
  releases(plan) {
    const { answers, size, coin } = plan;
    const sign =
      answers === 'one'
        ? coinRelease('sign of one rotated coordinate, in one of the rounds', 1, 1, coin)
        : coinRelease('sign of a coordinate, in one of the rounds', size, 1, coin);
    const last = residualRelease(plan);
    return last === undefined ? [sign] : [sign, last];
  },
  neighbourDistance,
  expected: (plan, spread) => ({ error: sqrt(expectedSquaredError(plan, spread)), floor: 0 }),
};

/**
 * The coordinate-wise scheme, for comparison: every player answers all d coordinates of its local mean, one bit each,
 * with its budget split evenly. Nothing is rotated.
 *
 * Law: as for {@link vector} with signs in all rounds, at ε/d for each coordinate; each coordinate has its own
 * deviation.
 *
 * Guarantee: pure ε, by basic composition of d bits; their exact losses add up to at most ε.
 *
 * Source: slides of Avella Medina (2023), the multivariate case: error Õ(d/(√(mn)·ε)).
 * @theorem slides Results for the multivariate case, coordinate-wise
 */
export const coordinates: Variant<CoordinatesRequest, VectorPlan, SignRound | ResidualRound> = {
  ...vector,
  make(family, request) {
    const fields = planFields(family, 'coordinates', request, true);
    const { dimension, epsilon, bound, players } = fields;
    const coin = twoLevels(epsilon, 1, 1, dimension);
    const rounds = roundsOf(request, players, 1);
    const shares = signShares(rounds, players * coin.contrast ** 2);
    const domain = domainOf(request);
    const spread = spreadOf(request, bound);
    const model = locationModel(fields, coin, domain, spread);
    const costs = formCosts({ ...fields, dimension: 1 }, coin.contrast, 1, rounds, []);
    const digest = planDigest(fields, agreed(domain, shares, spread));
    return {
      ...{ ...fields, variant: 'coordinates', digest, domain, answers: 'all', size: dimension },
      ...{ shares, coin, model, form: 'sign', costs },
    };
  },
};

function roundsOf(request: CoordinatesRequest, players: number, groups: number): number {
  if (players < 2 * groups) {
    throw new RefusedValue('players', `at least ${2 * groups}, two for each of ${groups} groups`, players);
  }
  // With too few players, rounds would be empty.
  const most = min(64, floor(players / groups));
  if (request.rounds === undefined) return min(8, most);
  const rounds = checkInteger('rounds', request.rounds, 2, most);
  // Thresholds that move only once do not find a coordinate: at d = 8, n = 20,000, m = 50 and ε = 1 the error is .23,
  // and .0073 after eight rounds.
  if (rounds === 2) throw new RefusedValue('rounds', '3 or more (the variant for two rounds is twoRound)', rounds);
  return rounds;
}

function agreed(domain: SampleDomain, shares: readonly number[], spread?: number): { readonly [name: string]: Json } {
  return { domain, shares: [...shares], ...(spread === undefined ? {} : { spread }) };
}

/** Thresholds by the posterior given all signs so far (without signs, by the prior), or residuals from its mean. */
function after(plan: VectorPlan, finished: readonly FinishedVector[]): SignRound | ResidualRound | undefined {
  const { shares, residual } = plan;
  const round = finished.length;
  if (round === shares.length) return undefined;
  const location = locatedBy(plan, finished);
  if (residual === undefined || round < shares.length - 1) return signRound(plan, round, location.quartiles);
  checkGroups(plan, finished);
  return residualRound(plan, round, residualAround(plan, unrotated(plan, location)));
}

function locatedBy({ model, size, shares, residual }: VectorPlan, finished: readonly FinishedVector[]): Location {
  const signs: SignCounts[] = [];
  for (const { round, tally } of finished) {
    if (round.kind === 'sign') signs.push({ thresholds: round.thresholds, counts: tally.sums });
  }
  const left = shares.length - (residual === undefined ? 0 : 1) - signs.length;
  return locateEach(model, signs, size, left);
}

/** Every coordinate needs an answer: otherwise its estimate would be the prior alone. */
function checkGroups({ size, answers }: VectorPlan, finished: readonly FinishedVector[]): void {
  if (answers === 'all') return;
  for (let j = 0; j < size; j++) {
    let reports = 0;
    for (const { round, tally } of finished) {
      if (round.kind === 'sign') for (let i = 4 * j; i < 4 * j + 4; i++) reports += tally.sums[i];
    }
    if (reports > 0) continue;
    // With n·q players in the rounds of signs, a group stays empty with probability e^{−nq/D}.
    const needed = ceil(max(1, size * log(1000 * size)));
    throw new RefusedValue(
      `"players" expected enough for reports of each of ${size} groups of coordinates (about ${needed} in the rounds of signs), got none of group ${j}`,
    );
  }
}

/**
 * The expected error, E‖estimate − mean‖², if coordinates of samples have the standard deviation s and every coordinate
 * is found: the cost of the plan's form times s²/(mn), over all coordinates. For `coordinates` it is d times the cost of
 * one. The uncertainty that the rounds of signs leave is added; it matters if rounds are fewer than the default. A
 * forecast does not count on that.
 * @throws TypeError or RangeError for a spread that is not a finite number ≥ 0.
 */
export function expectedSquaredError(plan: VectorPlan, spread: number): number {
  const { costs, form, samples, players, answers, dimension, shares, model, size } = plan;
  const local = checkNonNegative('spread', spread) ** 2 / samples;
  const open = model.largestSpread * NARROWING ** (form === 'sign' ? shares.length : shares.length - 1);
  const squaredAt = (length: number): number => (length / players) * costs[form]! * (answers === 'all' ? dimension : 1);
  // For signs the uncertainty is added as it is; the noise of a residual grows with its length.
  return form === 'sign' ? squaredAt(local) + size * open * open : squaredAt(local + open * open * (size / dimension));
}

/** The best factor by which one round of signs narrows a coordinate's range: measured, an order of magnitude. */
const NARROWING = 0.28;

/** The answer of a player of the last round: another sign, or its residual as a unit vector or with Gaussian noise. */
export type VectorForm = 'sign' | 'unit' | 'gaussian';

/** The least and the largest share of the players who locate, if the last round sends residuals. */
const LEAST_PILOT = 0.2;
const MOST_PILOT = 0.5;

/** With so many bits for each coordinate, players locate it to within its deviation, nearly always. */
const PILOT_BITS = 120;

/** n·E‖error‖²/τ² of each possible form, τ the deviation of a coordinate of a local mean; sums over d coordinates. */
export interface FormCosts {
  /** Signs to the end: d²·(π/2)/κ², over the share of the players whose threshold is close. */
  readonly sign: number;
  /** Residuals as unit vectors: d·(r²v/a² + 1), with radius r of the clip, coordinate variance v and contraction a. */
  readonly unit?: number;
  /** The same cost with Gaussian noise. */
  readonly gaussian?: number;
}

function formCosts(
  { dimension, players }: Pick<PlanFields, 'dimension' | 'players'>,
  contrast: number,
  size: number,
  rounds: number,
  designs: readonly ResidualDesign[],
): FormCosts {
  const bits = (players * contrast * contrast) / size;
  const shares = signShares(rounds, bits);
  // Thresholds are close in the last three rounds.
  const close = shares.slice(-3).reduce((sum, share) => sum + share, 0);
  const sign = (dimension * dimension * Math.PI) / 2 / (contrast * contrast) / close;
  const radius = sqrt(dimension);
  const contraction = clipContraction(dimension, radius);
  const last = 1 - pilotShare(bits);
  const residual = designs.map(({ form, coordinateVariance }) => [
    form,
    (dimension * ((radius * radius * coordinateVariance) / (contraction * contraction) + 1)) / last,
  ]);
  return { sign, ...Object.fromEntries(residual) };
}

/**
 * Shares of rounds of signs: each is larger than the one before by a factor between 1, with few players, and 2. With
 * few players every round has to find the next thresholds. The factor was the best of those tried, from 1 to 2 with 5
 * to 12 rounds.
 */
export function signShares(rounds: number, bits: number): number[] {
  const factor = min(2, max(1, (bits / 20) ** 0.23));
  const powers = Array.from({ length: rounds }, (_, round) => factor ** round);
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

/** Shares of all rounds; the last round has this form. `bits` is n·κ²/D. */
function vectorShares(form: VectorForm, rounds: number, bits: number): number[] {
  if (form === 'sign') return signShares(rounds, bits);
  const pilot = pilotShare(bits);
  return [...signShares(rounds - 1, bits * pilot).map((share) => share * pilot), 1 - pilot];
}

function pilotShare(bits: number): number {
  return min(MOST_PILOT, max(LEAST_PILOT, PILOT_BITS / bits));
}

/** The form of least cost; signs, which take a player the least time, unless another form is better by a tenth. */
function cheapestForm(costs: FormCosts): VectorForm {
  const forms: readonly VectorForm[] = ['sign', 'unit', 'gaussian'];
  const cost = (form: VectorForm): number => (costs[form] ?? Infinity) * (form === 'sign' ? 0.9 : 1);
  return forms.reduce((best, form) => (cost(form) < cost(best) ? form : best));
}
