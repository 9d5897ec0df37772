import { normalDensity } from '../../../src/numeric/normal.ts';
import type { SignAnswers } from './sign.ts';
import type { SignFit } from './sign-fit.ts';
import { cellShares } from './sign-likelihood.ts';

const { abs, max, PI, sqrt } = Math;

/** Half the range of unbiased bits in standard deviations of a local mean: a normal tail beyond costs a bias below 1e-4 of one. */
export const RESIDUAL_REACH = 4;

/** The skewness γ of local means, with its standard error; 0 where it is public. */
export interface Skew {
  readonly skew: number;
  readonly standardError: number;
}

/**
 * Whether unbiased bits have less squared error than signs in the last round of n players: the squared bias E(γσ/6)² of a sign
 * against (r² − π/2)σ²/(κ²n), r the reach. With γ = κ₃/√m that is n·κ₃² against 36m, up to the constant (r² − π/2)/κ².
 */
export function residualIsBetter({ skew, standardError }: Skew, contrast: number, players: number): boolean {
  const squared = skew * skew + standardError * standardError;
  return squared / 36 > (RESIDUAL_REACH ** 2 - PI / 2) / (contrast * contrast * players);
}

/**
 * How far the range of unbiased bits reaches below and above the centre, in standard deviations of a local mean. Whatever the
 * law, what lies beyond w deviations costs a bias of at most about σ/(4w), and the bits vary by wσ/(2κ√n): both are the same at
 * w² = κ√n/2. Tails fall with the skewness, as 1/√m. Where the sign of γ is known, only the longer tail is followed.
 *
 * Law: E(y − μ − wσ)₊ ≤ σ(√(w² + 1) − w)/2, for any law of variance σ².
 */
export function residualRadius(
  { skew, standardError }: Skew,
  contrast: number,
  players: number,
  samples: number,
): readonly [below: number, above: number] {
  const far = max(RESIDUAL_REACH, sqrt((contrast * sqrt(players)) / (2 * sqrt(samples))));
  const known = abs(skew) > 2 * standardError;
  return [known && skew > 0 ? RESIDUAL_REACH : far, known && skew < 0 ? RESIDUAL_REACH : far];
}

/**
 * γ of local means of m samples, from what was measured and what is usual: κ₃ is taken as normal with variance 1 beforehand (that
 * of uniform samples is 0, that of exponential ones 2).
 */
export function expectedSkew(measured: Skew, samples: number): Skew {
  const said = 1 / (measured.standardError * measured.standardError);
  return { skew: (measured.skew * said) / (said + samples), standardError: 1 / sqrt(said + samples) };
}

/** Points of a cell at which the slopes of its probability are averaged. */
const POINTS = 4;

/**
 * γ from the bits, by one step of scoring from γ = 0 at the fitted μ and σ: P(y < t) = Φ(z) − γ/6·(z² − 1)φ(z) (Edgeworth). What
 * μ and σ could explain as well is taken out. Where the bits say nothing of γ its standard error is infinite.
 *
 * Source: Rao 1948 (scores); Hall 1992, The bootstrap and Edgeworth expansion, section 2.3.
 */
export function skewOfSigns(answers: readonly SignAnswers[], { mean, deviation }: SignFit): Skew {
  // Information and score of (μ/σ, log σ, γ), upper triangle row by row.
  const information = new Float64Array(6);
  const score = new Float64Array(3);
  const slope = new Float64Array(3);
  for (const { question, counts } of answers) {
    const { lower, upper, cells, coin } = question;
    const kappa = coin.contrast * (1 - 2 ** -40);
    const shares = cellShares(question, mean, deviation);
    for (let i = 0; i < cells; i++) {
      const [no, yes] = [counts[2 * i], counts[2 * i + 1]];
      slope.fill(0);
      for (let p = 0; p < POINTS; p++) {
        const t = lower + ((upper - lower) * (i + (p + 0.5) / POINTS)) / cells;
        const z = (t - mean) / deviation;
        const density = (kappa * normalDensity(z)) / POINTS;
        slope[0] += density;
        slope[1] += density * z;
        slope[2] += (density * (z * z - 1)) / 6;
      }
      const probability = 0.5 + kappa * (shares[i] - 0.5);
      const weight = 1 / (probability * (1 - probability));
      const residual = weight * (yes - (no + yes) * probability);
      for (let a = 0, at = 0; a < 3; a++) {
        score[a] += residual * slope[a];
        for (let b = a; b < 3; b++) information[at++] += (no + yes) * weight * slope[a] * slope[b];
      }
    }
  }
  return efficientStep(information, score);
}

// The last of three parameters, with the first two eliminated; a prior of weight 1e-9 keeps what is not asked solvable.
function efficientStep([mm, ms, mg, ss, sg, gg]: Float64Array, [m, s, g]: Float64Array): Skew {
  const [a, b] = [mm + 1e-9, ss + 1e-9];
  const determinant = a * b - ms * ms;
  const first = (b * mg - ms * sg) / determinant;
  const second = (a * sg - ms * mg) / determinant;
  const left = gg - first * mg - second * sg;
  // Below rounding of the sums nothing is left.
  if (!(left > 1e-12 * gg)) return { skew: 0, standardError: Infinity };
  return { skew: (g - first * m - second * s) / left, standardError: 1 / sqrt(left) };
}
