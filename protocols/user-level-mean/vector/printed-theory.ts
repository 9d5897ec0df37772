import type { Theory } from '../../../src/core/contract.ts';
import { type Certificate, certificate as certificateOf } from '../../../src/privacy/certificate.ts';
import { pureToGdpMu } from '../../../src/privacy/conversion.ts';
import { approximate, type Guarantee, gdp } from '../../../src/privacy/guarantee.ts';
import { gaussianRelease } from '../../../src/privacy/totals.ts';
import { binRelease } from '../scalar/theory.ts';
import type { PrintedVectorPlan } from './printed.ts';
import { neighbourDistance } from './theory.ts';

const { hypot, sqrt } = Math;

function guarantee({ epsilon, delta, calibration, pilotEpsilon, sigma, size }: PrintedVectorPlan): Guarantee {
  if (calibration !== 'unsplit') return approximate({ epsilon, delta });
  return gdp(sqrt(size) * hypot(pureToGdpMu(pilotEpsilon), 2 / sigma));
}

function certificate(plan: PrintedVectorPlan): Certificate {
  const { protocol, variant, epsilon, delta, pilot, sigma, size, calibration, pilotEpsilon } = plan;
  const second = gaussianRelease({ what: 'projected rotated coordinate', count: size, sensitivity: 2, sigma });
  const among = calibration === 'printed' ? size : 1;
  // What the slides' ε′ is for: each release (ε′, δ/3 over the coordinates it is split among).
  const claimed = approximate({ epsilon: pilotEpsilon, delta: delta / (3 * among) });
  const releases = [
    { ...binRelease(pilot), what: 'bin of a rotated coordinate', count: size },
    calibration === 'exact' ? second : { ...second, claimed },
  ];
  return certificateOf({ protocol, variant, releases, claimed: approximate({ epsilon, delta }) });
}

/** What is claimed of the printed scheme. */
export const printedVectorTheory: Theory<PrintedVectorPlan> = {
  guarantee,
  certificate,
  neighbourDistance: (plan) => sqrt(2) * neighbourDistance(plan),
};

/**
 * Root mean squared error to expect in ℓ₂, √D·half·σ/√n and that of sampling; its floor is the bias of means at an edge of a bin,
 * √d·s/√(2πm), where all rotated coordinates are worst.
 */
export function expectedPrintedError(
  { size, dimension, players, samples, pilot, sigma }: PrintedVectorPlan,
  spread: number,
): { readonly error: number; readonly floor: number } {
  const half = pilot.upper / pilot.mechanism.categories;
  const local = spread * sqrt(dimension / samples);
  const floor = local / sqrt(2 * Math.PI);
  return { error: hypot(floor, local / sqrt(players), half * sigma * sqrt(size / players)), floor };
}
