import { normalCdf } from '../../../src/numeric/normal.ts';
import type { PlanFields } from '../scalar/plan.ts';
import { type BinQuestion, binQuestion } from '../scalar/question.ts';
import { binContrast, binVariance } from './bin-location.ts';
import { clipContraction } from './contraction.ts';
import { gaussianDesign, RESIDUAL_CLIP, type ResidualDesign, unitDesign } from './design.ts';
import type { LocationModel } from './posterior.ts';

const { min, sqrt } = Math;

/** What the first of two rounds asks: the bin of one rotated coordinate, or the whole local mean as a unit vector. */
export type TwoRoundPilot =
  | { readonly kind: 'bin'; readonly question: BinQuestion }
  | { readonly kind: 'unit'; readonly residual: ResidualDesign };

/** Two rounds, and what they are expected to come to. */
export interface TwoRoundDesign {
  readonly pilot: TwoRoundPilot;
  readonly residual: ResidualDesign;
  /** Share of the players in round 1 or, where the same players answer both, of the budget. */
  readonly share: number;
}

/** What a design is for. */
export interface TwoRoundSetting {
  readonly fields: PlanFields;
  /** What round 2 sends; by default what has less noise. */
  readonly form: 'automatic' | 'unit' | 'gaussian';
  /** δ of the Gaussian noise of round 2, where that may be. */
  readonly delta?: number;
  readonly samePlayers: boolean;
  /** D. */
  readonly size: number;
  /** The largest norm of a local mean. */
  readonly longest: number;
  /** What is public of the rotated coordinates; of its contrast nothing is used. */
  readonly model: LocationModel;
}

/** Shares that are tried, and ratios of the numbers of bins. */
const SHARES: readonly number[] = [0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5];
const BIN_RATIO = 1.5;
const MOST_BINS = 2 ** 12;

/**
 * The design of least expected error: every share of the list (or the one asked for), with a unit vector or with bins of every width
 * from a quarter of the range to half a deviation.
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

/** What round 1 is expected to leave open. */
interface Doubt {
  /** Squared error of a rotated coordinate of the centre, where it was found. */
  readonly error: number;
  /** Probability that a coordinate was not found. */
  readonly failure: number;
}

/**
 * The error to expect, E‖estimate − mean‖², where rotated coordinates of local means have the deviation τ.
 *
 * Law: bins find a coordinate unless one of k other places fits better, k·Φ(−√(Σp²/2v)), to within the smaller of a bin and of
 * what the shares of its neighbours tell, v/Σ(dp/dθ)²; a unit vector finds it to within its noise, shrunk by the prior. Round 2 has
 * d·(ρ²·d·u/a² + τ²)/n₂ for residuals of the deviation ρ, u the noise of a coordinate and a the contraction of the clip; both are
 * added by their precision. A coordinate that was not found is off by twice its prior variance.
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
