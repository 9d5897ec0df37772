import { normalCdf } from '../../../src/numeric/normal.ts';
import { type BinQuestion, binQuestion } from '../scalar/question.ts';
import type { PlanFields } from '../shape.ts';
import { binContrast, binVariance } from './coordinate-location.ts';
import type { LocationModel } from './location.ts';
import { clipContraction, gaussianDesign, RESIDUAL_CLIP, type ResidualDesign, unitDesign } from './residual-round.ts';

const { max, min, sqrt } = Math;

/** The answer of a player of the last round: another sign, or its residual as a unit vector or with Gaussian noise. */
export type VectorForm = 'sign' | 'unit' | 'gaussian';

/** The least and the largest share of the players who locate, if the last round sends residuals. */
const LEAST_PILOT = 0.2;
const MOST_PILOT = 0.5;

/** With so many bits for each coordinate, players locate it to within its deviation, nearly always. */
const PILOT_BITS = 120;

/**
 * n·E‖error‖²/τ² of each form, where τ is the standard deviation of a coordinate of a local mean: sums over the d
 * coordinates, without the cost of locating beyond its share of the players. Only possible forms are present.
 */
export interface FormCosts {
  /** Signs to the end: d²·(π/2)/κ², over the share of the players whose threshold is close. */
  readonly sign: number;
  /**
   * Residuals as unit vectors: d·(r²v/a² + 1), with radius r of the clip, variance v of a coordinate and contraction a.
   */
  readonly unit?: number;
  /** The same cost with Gaussian noise. */
  readonly gaussian?: number;
}

/** The costs of the possible forms. */
export function formCosts(
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
  const radius = RESIDUAL_CLIP * sqrt(dimension);
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
export function vectorShares(form: VectorForm, rounds: number, bits: number): number[] {
  if (form === 'sign') return signShares(rounds, bits);
  const pilot = pilotShare(bits);
  return [...signShares(rounds - 1, bits * pilot).map((share) => share * pilot), 1 - pilot];
}

/** Whether the rounds before the last locate every coordinate; otherwise signs in all rounds are better. */
export function locates(bits: number): boolean {
  return MOST_PILOT * bits >= PILOT_BITS;
}

function pilotShare(bits: number): number {
  return min(MOST_PILOT, max(LEAST_PILOT, PILOT_BITS / bits));
}

/** The form of least cost; signs, which take a player the least time, unless another form is better by a tenth. */
export function cheapestForm(costs: FormCosts): VectorForm {
  const forms: readonly VectorForm[] = ['sign', 'unit', 'gaussian'];
  const cost = (form: VectorForm): number => (costs[form] ?? Infinity) * (form === 'sign' ? 0.9 : 1);
  return forms.reduce((best, form) => (cost(form) < cost(best) ? form : best));
}

/** The question of the first of two rounds: the bin of one rotated coordinate, or the local mean as a unit vector. */
export type TwoRoundPilot =
  | { readonly kind: 'bin'; readonly question: BinQuestion }
  | { readonly kind: 'unit'; readonly residual: ResidualDesign };

/** Two rounds and their expected results. */
export interface TwoRoundDesign {
  readonly pilot: TwoRoundPilot;
  readonly residual: ResidualDesign;
  /** Share of the players in round 1 or, if the same players answer both, of the budget. */
  readonly share: number;
}

/** The setting for which a design is chosen. */
export interface TwoRoundSetting {
  readonly fields: PlanFields;
  /** The report of round 2; by default that with less noise. */
  readonly form: 'automatic' | 'unit' | 'gaussian';
  /** δ of the Gaussian noise of round 2, if that is allowed. */
  readonly delta?: number;
  readonly samePlayers: boolean;
  /** D. */
  readonly size: number;
  /** The largest norm of a local mean. */
  readonly longest: number;
  /** The public prior of the rotated coordinates; its contrast is not used. */
  readonly model: LocationModel;
}

/** The shares that are tried, and the ratios of the numbers of bins. */
const SHARES: readonly number[] = [0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5];
const BIN_RATIO = 1.5;
const MOST_BINS = 2 ** 12;

/**
 * The design of least expected error: every share of the list (or the requested one), with a unit vector or with bins
 * of every width from a quarter of the range to half a deviation.
 */
export function twoRoundDesign(setting: TwoRoundSetting, asked?: number): TwoRoundDesign {
  const { fields, samePlayers, model } = setting;
  const shares = asked === undefined ? SHARES : [asked];
  let best: TwoRoundDesign | undefined;
  let least = Infinity;
  const fresh = residualOf(setting, fields);
  for (const share of shares) {
    const first = samePlayers ? { ...fields, epsilon: fields.epsilon * share } : fields;
    const residual = samePlayers ? residualOf(setting, { ...fields, epsilon: fields.epsilon * (1 - share) }) : fresh;
    const pilots: TwoRoundPilot[] = [{ kind: 'unit', residual: unitDesign(first) }];
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

/** The uncertainty that is expected after round 1. */
interface Doubt {
  /** Squared error of a rotated coordinate of the centre, if it was found. */
  readonly error: number;
  /** Probability that a coordinate was not found. */
  readonly failure: number;
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
export function twoRoundSquaredError(setting: TwoRoundSetting, design: TwoRoundDesign, deviation: number): number {
  const { fields, samePlayers, size, model } = setting;
  const { players, dimension } = fields;
  const reports = samePlayers ? players : players * (1 - design.share);
  const { error, failure } = doubtOf(setting, design, deviation);
  const lost = 2 * failure * model.largestSpread ** 2;
  const contraction = clipContraction(dimension, RESIDUAL_CLIP * sqrt(dimension));
  const noise = (RESIDUAL_CLIP ** 2 * dimension * design.residual.coordinateVariance) / contraction ** 2;
  const last = (size * ((deviation ** 2 + error + lost) * noise + deviation ** 2)) / reports;
  return 1 / (1 / last + 1 / (size * error)) + size * lost;
}

function doubtOf(
  { fields, samePlayers, size, longest, model }: TwoRoundSetting,
  design: TwoRoundDesign,
  tau: number,
): Doubt {
  const reports = fields.players * (samePlayers ? 1 : design.share);
  const { pilot } = design;
  if (pilot.kind === 'unit') {
    const prior = model.largestSpread ** 2;
    const noise = (longest ** 2 * pilot.residual.coordinateVariance * fields.dimension) / size / reports;
    return { error: (prior * noise) / (prior + noise), failure: 0 };
  }
  const { question } = pilot;
  const { categories } = question.mechanism;
  const width = (question.upper - question.lower) / categories;
  const { powers, slopes } = binContrast(width, tau);
  const variance = binVariance(question, reports / size);
  const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value / values.length, 0);
  const wrong = average(powers.map((power) => normalCdf(-sqrt(power / (2 * variance)))));
  const error = average(slopes.map((slope) => min((width * width) / 12, variance / slope)));
  return { error, failure: min(1, categories * wrong) };
}
