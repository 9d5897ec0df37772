import { checkBudget } from '../../../src/check/budget.ts';
import { checkInteger } from '../../../src/check/number.ts';
import type { Theory } from '../../../src/core/contract.ts';
import { discreteGaussianRelease, unitRelease } from '../../../src/core/releases.ts';
import { COPY_SENSITIVITY, type NoisyCopies } from '../../../src/mechanism/noisy-copies.ts';
import { type Certificate, certificate as certificateOf } from '../../../src/privacy/certificate.ts';
import { approximate, type Guarantee, gdp, pure } from '../../../src/privacy/guarantee.ts';
import { gaussianRelease, type Release } from '../../../src/privacy/release.ts';
import { marginInfluence } from './influence.ts';
import { type CopiesParameters, type MarginParameters, NEIGHBOUR_DISTANCE } from './parameters.ts';
import type { MarginTask } from './request.ts';

const { hypot, log, sqrt } = Math;

/**
 * μ of one player's whole transcript of noisy copies, by composition of Gaussian DP: √Σ(2/σ)².
 *
 * @theorem noninteractive Theorem 11
 * @theorem noninteractive Remark 12
 */
export function transcriptMu(copies: NoisyCopies): number {
  const { further, firstNoise, furtherNoise } = copies;
  const first = hypot(COPY_SENSITIVITY / firstNoise.features, COPY_SENSITIVITY / firstNoise.label);
  if (further === 0) return first;
  const other = hypot(COPY_SENSITIVITY / furtherNoise.features, COPY_SENSITIVITY / furtherNoise.label);
  return hypot(first, sqrt(further) * other);
}

/**
 * The guarantee of one player's whole transcript.
 *
 * `lifted`: pure ε. `gaussian` and `copies`: the (ε, δ) asked for. `printed`: the μ-GDP that holds, which is *not* what the
 * paper claims; the certificate has both.
 */
function guarantee(parameters: MarginParameters): Guarantee {
  if (parameters.maker === 'lifted') return pure(parameters.epsilon);
  if (parameters.maker === 'printed') return gdp(transcriptMu(parameters.copies));
  return approximate(parameters.budget);
}

/**
 * Every release of one player's transcript, and the total under every accounting that applies.
 *
 * For `printed` each copy carries the (ε_k, δ) the paper's proof gives it, so that basic composition shows what that proof
 * adds up to, beside what Gaussian DP certifies.
 *
 * Source: Wang, Smith, Xu 2020, proof of theorem 11.
 */
function certificate(parameters: MarginParameters): Certificate {
  const { protocol, maker } = parameters;
  if (parameters.maker === 'lifted') {
    const { epsilon, mechanism } = parameters;
    const release = unitRelease(`lifted vector of ${vector(parameters.task)}`, mechanism);
    return certificateOf({ protocol, maker, releases: [release], claimed: pure(epsilon) });
  }
  const claimed = approximate(parameters.budget);
  if (parameters.maker === 'gaussian') {
    const what = vector(parameters.task);
    const { noise, sigma } = parameters;
    const release =
      noise === undefined
        ? gaussianRelease({ what, count: 1, sensitivity: NEIGHBOUR_DISTANCE, sigma })
        : discreteGaussianRelease(what, noise);
    return certificateOf({ protocol, maker, releases: [release], claimed });
  }
  return certificateOf({ protocol, maker, releases: copyReleases(parameters), claimed });
}

const vector = (task: MarginTask): string => (task === 'regression' ? 'z = (x, y)/√2' : 'v = y·x');

function copyReleases(parameters: CopiesParameters): Release[] {
  const { maker, budget } = parameters;
  const { further, degree, firstNoise, furtherNoise } = parameters.copies;
  // What the proof of theorem 11 gives each copy by the classical Gaussian mechanism.
  const claim = (epsilon: number) =>
    maker === 'printed' ? { claimed: approximate({ epsilon, delta: budget.delta }) } : {};
  const first = claim(budget.epsilon / 2);
  const group = (what: string, count: number, sigma: number, claimed: { claimed?: Guarantee }): Release =>
    gaussianRelease({ what, count, sensitivity: COPY_SENSITIVITY, sigma, ...claimed });
  const releases = [
    group('copy 0 of x', 1, firstNoise.features, first),
    group('copy 0 of y', 1, firstNoise.label, first),
  ];
  if (further === 0) return releases;
  const other = claim(budget.epsilon / (degree * (degree + 1)));
  return [
    ...releases,
    group(`copies 1 to ${further} of x`, further, furtherNoise.features, other),
    group(`copies 1 to ${further} of y`, further, furtherNoise.label, other),
  ];
}

/** Largest ℓ₂ distance between two of what the player randomizes: 2 for each copy of x, of y, and for v. */
function neighbourDistance(parameters: MarginParameters): number {
  if (!('copies' in parameters)) return NEIGHBOUR_DISTANCE;
  return sqrt(2 * (parameters.copies.further + 1)) * COPY_SENSITIVITY;
}

/** What the budget of algorithm 1 as printed adds up to. */
export interface PrintedBudget {
  /** ε by basic composition: 2ε (ε for degree 0). */
  readonly basicEpsilon: number;
  /** δ by basic composition: (d(d + 1) + 2)·δ. */
  readonly basicDelta: number;
  /** μ by composition of Gaussian DP: μ² = ε²/(4L) + ε²/(2L·d(d + 1)), L = ln(1.25/δ). */
  readonly mu: number;
}

/**
 * The budget of algorithm 1 as printed, by both accountings. Each of copy 0's two releases is (ε/2, δ), each of the
 * d(d + 1) others (ε/(d(d + 1)), δ): they add up to 2ε, not ε.
 *
 * Source: Wang, Smith, Xu 2020, algorithm 1 and theorem 11; Dong, Roth, Su 2022, corollary 3.3.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem noninteractive Theorem 11
 */
export function printedBudget(request: {
  readonly epsilon: number;
  readonly delta: number;
  readonly degree: number;
}): PrintedBudget {
  const { epsilon, delta } = checkBudget(request);
  const degree = checkInteger('degree', request.degree, 0);
  const releases = degree * (degree + 1);
  const scale = log(1.25 / delta);
  const others = degree === 0 ? 0 : epsilon ** 2 / (2 * scale * releases);
  return {
    basicEpsilon: degree === 0 ? epsilon : 2 * epsilon,
    basicDelta: (releases + 2) * delta,
    mu: sqrt(epsilon ** 2 / (4 * scale) + others),
  };
}

/** The theory of every protocol with reports on a signed record. */
export const marginTheory: Theory<MarginParameters> = {
  guarantee,
  certificate,
  neighbourDistance,
  influence: marginInfluence,
};
