import { logNormalCdf } from '../../../src/numeric/normal.ts';
import { pureToGdpMu } from '../../../src/privacy/conversion.ts';
import { analyticGaussianSigma, gdpMu } from '../../../src/privacy/gaussian.ts';
import type { PrintedCalibration } from '../scalar/printed.ts';

const { log, sqrt } = Math;

/** What one coordinate may spend, by calibration. */
interface CoordinateBudget {
  readonly epsilon: number;
  readonly sigma: number;
}

/**
 * The budget of one of D rotated coordinates.
 *
 * Law: `printed`: 2D releases, each (ε′, δ/(3D)), by advanced composition as in one dimension: ε′ = ε/(4√(D·ln(3/δ))), noise
 * 8σ²·ln(6D/δ)/ε′². `unsplit`: each coordinate as in one dimension. `exact`: half of the budget for D bins, by Gaussian or basic
 * composition, the rest for the projected means together, calibrated for their ℓ₂ sensitivity, 2√D halves of an interval.
 */
export function coordinateBudget(
  calibration: PrintedCalibration,
  { epsilon, delta }: { readonly epsilon: number; readonly delta: number },
  size: number,
): CoordinateBudget {
  if (calibration !== 'exact') {
    const among = calibration === 'printed' ? size : 1;
    const each = epsilon / (4 * sqrt(among * log(3 / delta)));
    return { epsilon: each, sigma: sqrt(8 * log((6 * among) / delta)) / each };
  }
  const basic = epsilon / (2 * size);
  const mu = gdpMu({ epsilon, delta });
  const half = mu / sqrt(2 * size);
  // Inverse of μ = 2Φ⁻¹(e^ε/(1 + e^ε)), on the safe side of rounding.
  const composed = (logNormalCdf(half / 2) - logNormalCdf(-half / 2)) * (1 - 1e-9);
  if (composed <= basic) {
    return {
      epsilon: basic,
      sigma: analyticGaussianSigma({ epsilon: epsilon / 2, delta, sensitivity: 2 * sqrt(size) }),
    };
  }
  const left = sqrt(mu * mu - size * pureToGdpMu(composed) ** 2) * (1 - 1e-12);
  return { epsilon: composed, sigma: (2 * sqrt(size)) / left };
}
