import { integerNoise } from '../../../src/core/integer-noise.ts';
import type { UnitRandomizer } from '../../../src/core/unit-report.ts';
import type { DiscreteGaussianMechanism } from '../../../src/mechanism/discrete-gaussian.ts';
import { kClosest } from '../../../src/mechanism/k-closest.ts';
import { privUnitG } from '../../../src/mechanism/priv-unit-gaussian.ts';
import { analyticGaussianSigma } from '../../../src/privacy/gaussian.ts';
import type { PlanFields } from '../scalar/plan.ts';
import { clipContraction } from './contraction.ts';

const { max, min, sqrt } = Math;

/** What a player of the last round answers: a sign again, or all of its residual as a unit vector, or with Gaussian noise. */
export type VectorForm = 'sign' | 'unit' | 'gaussian';

/** How the residual of the last round is sent. */
export interface ResidualDesign {
  readonly form: 'unit' | 'gaussian';
  /** The randomizer of the residual completed to the unit sphere. */
  readonly mechanism?: UnitRandomizer;
  /** δ of the Gaussian noise. */
  readonly delta?: number;
  /** σ of the Gaussian noise on the unit ball, where the sensitivity is 2. */
  readonly sigma?: number;
  /** Grid and integer noise of the grade `deployment`. */
  readonly noise?: DiscreteGaussianMechanism;
  /** Variance of the noise on a coordinate of the unit ball. */
  readonly coordinateVariance: number;
}

/** Radius of the clip, in units of the root mean square length of a residual. */
export const RESIDUAL_CLIP: number = 1;

/** Share of the players who locate, where the last round sends residuals, at least and at most. */
const LEAST_PILOT = 0.2;
const MOST_PILOT = 0.5;

/** Bits' worth of players for each coordinate that locate it to within its deviation, nearly always. */
const PILOT_BITS = 120;

/**
 * n·E‖error‖²/τ² of each form, τ the standard deviation of a coordinate of a local mean: sums over the d coordinates, without
 * what locating costs beyond its share of the players. Only forms that are possible are there.
 */
export interface FormCosts {
  /** Signs to the end: d²·(π/2)/κ², over the share of the players whose threshold is close. */
  readonly sign: number;
  /** Residuals as unit vectors: d·(r²v/a² + 1), r the radius of the clip, v the variance of a coordinate, a the contraction. */
  readonly unit?: number;
  /** The same with Gaussian noise. */
  readonly gaussian?: number;
}

/** The costs of the forms that are possible. */
export function formCosts(
  { dimension, players }: Pick<PlanFields, 'dimension' | 'players'>,
  contrast: number,
  size: number,
  rounds: number,
  designs: readonly ResidualDesign[],
): FormCosts {
  const bits = (players * contrast * contrast) / size;
  const shares = signShares(rounds, bits);
  // Thresholds are close from the third round before the end on.
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
 * Shares of rounds of signs: each larger than the one before by a factor that grows from 1, where players are few and every
 * round has to find where to ask next, to 2; of those tried, from 1 to 2 with 5 to 12 rounds, the best.
 */
export function signShares(rounds: number, bits: number): number[] {
  const factor = min(2, max(1, (bits / 20) ** 0.23));
  const powers = Array.from({ length: rounds }, (_, round) => factor ** round);
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

/** Shares of all rounds, whose last one has the form. `bits` is n·κ²/D. */
export function vectorShares(form: VectorForm, rounds: number, bits: number): number[] {
  if (form === 'sign') return signShares(rounds, bits);
  const pilot = pilotShare(bits);
  return [...signShares(rounds - 1, bits * pilot).map((share) => share * pilot), 1 - pilot];
}

/** Whether the rounds before the last find every coordinate: without that, signs to the end are better. */
export function locates(bits: number): boolean {
  return MOST_PILOT * bits >= PILOT_BITS;
}

function pilotShare(bits: number): number {
  return min(MOST_PILOT, max(LEAST_PILOT, PILOT_BITS / bits));
}

/** Residuals as unit vectors. */
export function unitDesign({ epsilon, dimension, grade }: PlanFields): ResidualDesign {
  const request = { epsilon, dimension: dimension + 1 };
  const mechanism = grade === 'deployment' ? kClosest(request) : privUnitG(request);
  return { form: 'unit', mechanism, coordinateVariance: mechanism.coordinateVariance };
}

/** Residuals with Gaussian noise. */
export function gaussianDesign({ epsilon, dimension, grade }: PlanFields, delta: number): ResidualDesign {
  if (grade === 'deployment') {
    const noise = integerNoise({ epsilon, delta, dimension });
    return { form: 'gaussian', delta, sigma: noise.deviation, noise, coordinateVariance: noise.coordinateVariance };
  }
  const sigma = analyticGaussianSigma({ epsilon, delta, sensitivity: 2 });
  return { form: 'gaussian', delta, sigma, coordinateVariance: sigma * sigma };
}

/** The form of least cost; signs, which cost a player least time, unless another is better by a tenth. */
export function cheapestForm(costs: FormCosts): VectorForm {
  const forms: readonly VectorForm[] = ['sign', 'unit', 'gaussian'];
  const cost = (form: VectorForm): number => (costs[form] ?? Infinity) * (form === 'sign' ? 0.9 : 1);
  return forms.reduce((best, form) => (cost(form) < cost(best) ? form : best));
}
