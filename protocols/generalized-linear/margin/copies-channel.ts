import {
  checkNorm,
  checkNorms,
  correctedLiftBounds,
  correctedPowerBounds,
  gaussianNormLimit,
  HONEST_REFUSAL,
  type NormLimit,
  squaredNorm,
  totalNorm,
} from '../../../src/core/influence.ts';
import { normalLogRatio } from '../../../src/core/likelihood.ts';
import { finiteOrInfinity, GAUSSIAN_THEOREM, type ReportLimits } from '../../../src/core/report-limits.ts';
import {
  averageCopies,
  averagedNoise,
  COPY_SENSITIVITY,
  type NoisyCopies,
} from '../../../src/mechanism/noisy-copies.ts';
import { correctedGradientSecondMoment } from '../../../src/polynomial/corrected-variance.ts';
import { certificate } from '../../../src/privacy/certificate.ts';
import { approximate, type Guarantee, gdp } from '../../../src/privacy/guarantee.ts';
import { gaussianRelease, type Release } from '../../../src/privacy/totals.ts';
import { asTheyAre, type GradientPoint, type MarginChannel } from './channel.ts';
import type { CopiesParameters } from './parameters.ts';
import type { MarginDatum } from './shape.ts';

const { hypot, sqrt } = Math;

/**
 * Noisy copies of x and y, by either variant, and a tally of the reports.
 *
 * Guarantee: of `copies` the (ε, δ) asked for; of `printed` the μ-GDP that holds, which is *not* what the paper claims. The certificate has
 * both: each copy carries the (ε_k, δ) that the proof gives it, so that basic composition shows what that proof adds up to.
 *
 * Source: Wang, Smith, Xu 2020, proof of theorem 11.
 */
export function copiesChannel(parameters: CopiesParameters): MarginChannel {
  const { protocol, variant, budget, copies, dimension } = parameters;
  return {
    guarantee: () => (variant === 'printed' ? gdp(transcriptMu(copies)) : approximate(budget)),
    certificate: () =>
      certificate({ protocol, variant, releases: copyReleases(parameters), claimed: approximate(budget) }),
    // 2 for each copy of x and of y.
    neighbourDistance: () => sqrt(2 * (copies.further + 1)) * COPY_SENSITIVITY,
    limits: () => copiesLimits(parameters),
    view: asTheyAre,
    logRatio: (first, second) =>
      normalLogRatio(copiesOf(copies, first), copiesOf(copies, second), deviationsOf(copies)),
    variance(decoder, at) {
      const { coefficients, mean } = at;
      if (decoder === 'product') return productSecondMoment(copies, at) - mean * mean;
      if (decoder !== 'averaged' && decoder !== 'signs') return undefined;
      const { features: sigma, label: labelSigma } = averagedNoise(copies);
      const averaged = { ...at, dimension, sigma, labelSigma, signs: decoder === 'signs' };
      return correctedGradientSecondMoment(coefficients, averaged) - mean * mean;
    },
  };
}

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

function copyReleases(parameters: CopiesParameters): Release[] {
  const { variant, budget } = parameters;
  const { further, degree, firstNoise, furtherNoise } = parameters.copies;
  // What the proof of theorem 11 gives each copy by the classical Gaussian mechanism.
  const claim = (epsilon: number) =>
    variant === 'printed' ? { claimed: approximate({ epsilon, delta: budget.delta }) } : {};
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

// Every copy of x and of y has a limit, which products of copies need, and so has their average, which is what the powers are
// corrected of. Together they refuse no more than one honest report in 10¹².
function copiesLimits({ copies, degree }: { readonly copies: NoisyCopies; readonly degree: number }): ReportLimits {
  const { dimension, further, length, firstNoise, furtherNoise } = copies;
  const refusal = HONEST_REFUSAL / (2 * (further + 2));
  const limits: NormLimit[] = [];
  let honest = 0;
  for (let from = 0; from < length; from += dimension + 1) {
    const { features, label } = from === 0 ? firstNoise : furtherNoise;
    const to = from + dimension;
    limits.push({ from, to, norm: gaussianNormLimit(1, features, dimension, refusal) });
    limits.push({ from: to, to: to + 1, norm: gaussianNormLimit(1, label, 1, refusal) });
    honest += 2 + dimension * features * features + label * label;
  }
  const deviation = averagedNoise(copies);
  const most = gaussianNormLimit(1, deviation.features, dimension, refusal);
  const mostLabel = gaussianNormLimit(1, deviation.label, 1, refusal);
  // A block of the sums is H_j(y)·H_j(x), each corrected by its own noise.
  const powers = correctedLiftBounds({ dimension, degree: degree + 1 }, deviation.features, most);
  const labels = correctedPowerBounds(degree + 1, deviation.label, mostLabel);
  const target = new Float64Array(dimension);
  return {
    influence: {
      reportNorm: totalNorm(limits.map(({ norm }) => norm * norm)),
      bound: finiteOrInfinity(totalNorm(powers.map((power, k) => power * labels[k + 1]))),
      honestNorm: sqrt(honest),
      honestRefusal: HONEST_REFUSAL,
      theorem: `${GAUSSIAN_THEOREM}, of every copy and of their average`,
    },
    check(values) {
      checkNorms(limits, values);
      const label = averageCopies(copies, values, 0, target);
      checkNorm(label * label, mostLabel);
      checkNorm(squaredNorm(target, 0, dimension), most);
    },
  };
}

function productSecondMoment(
  { dimension, firstNoise, furtherNoise }: NoisyCopies,
  { coefficients, inner, norm, recordNorm, label }: GradientPoint,
): number {
  const mean = label * inner;
  const square = (label ** 2 + furtherNoise.label ** 2) * (inner ** 2 + (furtherNoise.features * norm) ** 2);
  let first = 0;
  let spread = 0;
  for (let j = 0; j < coefficients.length; j++) {
    first += coefficients[j] * mean ** j;
    spread += coefficients[j] ** 2 * (square ** j - mean ** (2 * j));
  }
  const gradient = (label ** 2 + firstNoise.label ** 2) * (recordNorm ** 2 + dimension * firstNoise.features ** 2);
  return (first * first + spread) * gradient;
}

function copiesOf({ further }: NoisyCopies, { features, label }: MarginDatum): Float64Array {
  const copy = [...Array.from(features), label];
  return Float64Array.from(Array.from({ length: further + 1 }, () => copy).flat());
}

function deviationsOf({ dimension, further, firstNoise, furtherNoise }: NoisyCopies): Float64Array {
  const deviations = Array.from({ length: further + 1 }, (_, copy) => {
    const { features, label } = copy === 0 ? firstNoise : furtherNoise;
    return [...new Array<number>(dimension).fill(features), label];
  });
  return Float64Array.from(deviations.flat());
}
