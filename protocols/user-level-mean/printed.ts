import { fieldOf, lengthOf } from '../../src/check/datum.ts';
import { type Budget, checkBudget, checkOpenUnit, checkWord, RefusedValue } from '../../src/check/refusal.ts';
import { randomizedResponse } from '../../src/mechanism/categories.ts';
import { pureToGdpMu, pureWithinGdp } from '../../src/privacy/conversion.ts';
import { analyticGaussianSigma, gdpMu } from '../../src/privacy/gaussian.ts';
import { approximate, gdp } from '../../src/privacy/guarantee.ts';
import { quotientAbove } from '../../src/privacy/rounding.ts';
import { gaussianRelease } from '../../src/privacy/totals.ts';
import { type Over, pairVariant, receivedInterval, reportsOf, type Variant } from './course.ts';
import {
  concentrationRadius,
  DEFAULT_FAILURE,
  foundMean,
  type NaivePlan,
  type NaiveRequest,
  naive,
  noisyMean,
  type VectorChoice,
} from './scalar/noisy-means.ts';
import {
  type BinQuestion,
  type NoisyQuestion,
  popularBin,
  questionChannel,
  type ScalarRound,
  scalarRound,
} from './scalar/question.ts';
import {
  guaranteeOf,
  type OfVectors,
  type PlanFields,
  planDigest,
  planFields,
  scalarFields,
  type UserLevelFamily,
  type UserLevelPlan,
} from './shape.ts';
import {
  type CoordinateRound,
  coordinateRound,
  coordinateTallies,
  createRotation,
  type Rotation,
  rotateBack,
  rotationBound,
} from './vector/coordinate-round.ts';
import { domainOf, longestOf, neighbourDistance, seedOf } from './vector/location.ts';

// The schemes that the slides print, in one dimension and in several: references to compare with and to audit.
// `printedNaive` and the calibration `unsplit` do not keep their claims, and their certificates show the guarantee that
// holds. A mean at the edge of a bin gives `printed` a bias that no n removes. No device plays them: they exist in the
// grade `simulation` only.

const { ceil, hypot, log, max, min, PI, sqrt } = Math;

/**
 * Noisy local means with the noise that the slides print, N(0, 2B²·ln(2/δ)/ε²).
 *
 * Refuted: the sensitivity is 2B, so this is a quarter of the variance that the claim needs. `holds` is the guarantee
 * that holds.
 * @theorem slides A naive estimator, noise and privacy
 */
export const printedNaive: Variant<NaiveRequest, NaivePlan, ScalarRound> = /* @__PURE__ */ Object.assign({}, naive, {
  make(family: UserLevelFamily, request: NaiveRequest): NaivePlan {
    const fields = scalarFields(family, 'printedNaive', request, false);
    const { epsilon, delta } = checkBudget(request);
    // On [−1, 1]: a quarter of the classical variance.
    const sigma = sqrt(2 * log(2 / delta)) / epsilon;
    const question = { kind: 'noisy', lower: -fields.bound, upper: fields.bound, sigma } as const;
    return { ...fields, variant: 'printedNaive', digest: planDigest(fields, { delta }), delta, question };
  },
  holds: ({ question }: NaivePlan) => gdp(quotientAbove(2, question.sigma)),
});

/** How the budget is split among rounds and, in several dimensions, coordinates; `unsplit` exists only there. */
export type PrintedCalibration = 'printed' | 'unsplit' | 'exact';

/** The fields of a request for the printed scheme. */
export interface PrintedRequest extends NaiveRequest, VectorChoice {
  /** ξ, the probability with which a local mean may lie far from the mean; .05 by default. */
  readonly failure?: number;
  /**
   * The noise: as `printed`, or `exact`, the slides' scheme at its best: ε/2 for the bin, and (ε/2, δ) calibrated
   * exactly for the projected mean. In several dimensions also `unsplit`: see `printedVector`.
   */
  readonly calibration?: PrintedCalibration;
}

/** Plan of the variant `printed`: the two rounds of the slides, both answered by every player. */
export interface PrintedPlan extends UserLevelPlan, Pick<NaiveRequest, 'delta'> {
  readonly variant: 'printed';
  /** ε′ of the randomized bin index. */
  readonly pilotEpsilon: number;
  readonly pilot: BinQuestion;
  /** Noise of round 2, in units of half the interval. */
  readonly sigma: number;
}

/** ε′ = ε/(4√(k·ln(3/δ))): advanced composition of 2k releases, each with δ/(3k). */
export function printedEpsilon({ epsilon, delta }: Budget, coordinates: number = 1): number {
  return epsilon / (4 * sqrt(coordinates * log(3 / delta)));
}

function termsOf<Calibration extends PrintedCalibration>(
  request: PrintedRequest,
  calibrations: readonly (Calibration | 'printed')[],
): { readonly budget: Budget; readonly failure: number; readonly calibration: Calibration | 'printed' } {
  const budget = checkBudget(request);
  const failure = checkOpenUnit('failure', request.failure ?? DEFAULT_FAILURE);
  return { budget, failure, calibration: checkWord('calibration', request.calibration ?? 'printed', calibrations) };
}

/** The pilot and the noise of each of D coordinates within ±range. */
function roundsWithin(
  range: number,
  { players, samples }: PlanFields,
  size: number,
  failure: number,
  { epsilon, sigma }: { readonly epsilon: number; readonly sigma: number },
): Pick<PrintedPlan, 'pilotEpsilon' | 'pilot' | 'sigma'> {
  const width = 2 * concentrationRadius(range, { players: players * size, samples }, failure);
  const mechanism = randomizedResponse({ epsilon, categories: max(2, ceil((2 * range) / width)) });
  return { pilotEpsilon: epsilon, pilot: { kind: 'bin', lower: -range, upper: range, mechanism }, sigma };
}

/**
 * The slides' two rounds as printed: k-ary randomized response of the bin at ε′, bins of width 2B√(2 ln(2n/ξ))/√m,
 * projection on the most popular bin, and noise N(0, 8σ²·ln(6/δ)/ε′²) on it. The slides do not define σ; here it is
 * half the length of the interval, so that the noise is that of the classical Gaussian mechanism at (ε′, δ/3). All
 * players answer both rounds.
 *
 * Guarantee: see the certificate: for δ ≤ .01 the claim holds, with much to spare. The estimate has a bias of .4·s/√m for a mean at
 * the edge of a bin, for every n.
 *
 * Source: Avella-Medina 2023 (slides), algorithm of the two-round estimator.
 * @theorem slides An improved estimator
 * @theorem slides Algorithm, round 1
 * @theorem slides Algorithm, round 2, projection
 * @theorem slides Algorithm, round 2, noise
 * @theorem slides Theorem, two-round estimator, privacy
 */
export const printed: Variant<PrintedRequest, PrintedPlan, ScalarRound> = /* @__PURE__ */ pairVariant(
  {
    pilot: (plan) => scalarRound(plan, { round: 0, share: 1, role: 'pilot' }, plan.pilot),
    locate: ({ pilot }, { tally }) => popularBin(pilot, tally, 0),
    read: ({ bound }, received) => receivedInterval('round.question', fieldOf(received, 'question'), bound),
    final(plan, { lower, upper }) {
      const question = { kind: 'noisy', lower, upper, sigma: plan.sigma } as const;
      return scalarRound(plan, { round: 1, share: 1, role: 'estimate', repeats: true }, question);
    },
  },
  {
    make(family, request) {
      const fields = scalarFields(family, 'printed', request, false);
      const { budget, failure, calibration } = termsOf(request, ['printed', 'exact']);
      const { delta } = budget;
      const epsilon = budget.epsilon / 2;
      const each =
        calibration === 'printed'
          ? coordinateBudget('printed', budget, 1)
          : { epsilon, sigma: analyticGaussianSigma({ epsilon, delta, sensitivity: 2 }) };
      const digest = planDigest(fields, { delta, failure, calibration });
      return { ...fields, variant: 'printed', digest, delta, ...roundsWithin(fields.bound, fields, 1, failure, each) };
    },
    answers: () => 2,
    finish: (_, finished) => foundMean(finished),
    claimed: (plan) => guaranteeOf(plan),
    releases({ epsilon, delta, pilot, sigma, pilotEpsilon }) {
      // The meaning of the slides' ε′: advanced composition of two releases, each (ε′, δ/3).
      const claimed = approximate({ epsilon: printedEpsilon({ epsilon, delta }), delta: delta / 3 });
      const second = gaussianRelease({ what: 'projected local mean', count: 1, sensitivity: 2, sigma });
      const asPrinted = pilotEpsilon === claimed.epsilon;
      return [questionChannel(pilot).release('bin of the local mean'), asPrinted ? { ...second, claimed } : second];
    },
    // Two different bins have distance 2, and so have the ends of an interval.
    neighbourDistance: () => hypot(2, 2),
    // A mean at the edge of a bin, the worst case.
    expected({ bound, players, samples, pilot, sigma }, spread) {
      const floor = edgeBias({ samples, spread });
      const half = bound / pilot.mechanism.categories;
      return { error: hypot(floor, hypot(spread / sqrt(samples), half * sigma) / sqrt(players)), floor };
    },
  },
);

/**
 * The least bias of `printed` for a mean at the edge of a bin: E max(0, y − μ) = s/√(2πm), for every n. The projection
 * on one of two bins moves every local mean of the other bin to the edge.
 * @theorem slides Algorithm, round 2, projection
 * @theorem slides Theorem, two-round estimator, error
 */
export function edgeBias({ samples, spread }: { readonly samples: number; readonly spread: number }): number {
  return spread / sqrt(2 * PI * samples);
}

/** Plan of the printed rounds on rotated coordinates, each with this pilot and noise; all players answer about all. */
export interface PrintedVectorPlan extends PrintedPlan, OfVectors {
  readonly calibration: PrintedCalibration;
  readonly rotation: Rotation;
  /** D. */
  readonly size: number;
  readonly shares: readonly [1, 1];
}

/**
 * The slides' two rounds in several dimensions: local means are rotated by H·diag(s)/√D, and each of the D coordinates
 * goes through the printed rounds of one dimension. All players answer all coordinates in both rounds.
 *
 * The range of a rotated coordinate is B′ = ‖mean‖·√(2·ln(2Dn/ξ)/D) (`rotationBound`), and bins have the width
 * 2B′·√(2·ln(2Dn/ξ)/m): ln(nd/ξ) stands in the slides' error. The slides do not print how the budget is split among
 * coordinates. Their error, √d·(ln(d/δ))^1.5/ε, is that of advanced composition over coordinates; this is the
 * calibration `printed`. The calibration `unsplit` runs the univariate algorithm on every coordinate, following
 * “running the univariate algorithm coordinate-wise”. It does not keep (ε, δ): its certificate shows the guarantee that
 * holds.
 *
 * Guarantee: (ε, δ) for `exact`, and for `printed` where δ ≤ .01; for `unsplit` the μ of the certificate.
 *
 * Source: slides of Avella Medina (2023), results for the multivariate case.
 * @theorem slides Results for the multivariate case, preprocessing
 * @theorem slides Theorem, multivariate case, privacy
 */
export const printedVector: Variant<PrintedRequest, PrintedVectorPlan, CoordinateRound> = /* @__PURE__ */ pairVariant(
  {
    pilot: (plan) => coordinateRound(plan, { round: 0, answers: 'all' }, new Array(plan.size).fill(plan.pilot)),
    locate: ({ pilot }, { round, tally }) => coordinateTallies(round, tally).map((one) => popularBin(pilot, one, 0)),
    read: ({ size, pilot }, received) => {
      const questions = fieldOf(received, 'questions');
      const length = lengthOf(questions);
      if (length !== size) throw new RefusedValue('round.questions', `${size} questions`, length);
      return Array.from({ length: size }, (_, j) =>
        receivedInterval(`round.questions[${j}]`, fieldOf(questions, j), pilot.upper),
      );
    },
    final(plan, intervals) {
      const { sigma } = plan;
      const questions = intervals.map(({ lower, upper }): NoisyQuestion => ({ kind: 'noisy', lower, upper, sigma }));
      return coordinateRound(plan, { round: 1, answers: 'all', repeats: true }, questions);
    },
  },
  {
    make(family, request) {
      const fields = planFields(family, 'printed', request, false);
      const { budget, failure, calibration } = termsOf(request, ['printed', 'unsplit', 'exact']);
      const [domain, seed] = [domainOf(request), seedOf(request)];
      const rotation = createRotation(fields.dimension, seed);
      const { size } = rotation;
      const longest = longestOf(domain, fields);
      const range = min(longest, rotationBound(longest, size, fields.players, failure));
      const { delta } = budget;
      const digest = planDigest(fields, { delta, failure, calibration, domain, seed });
      return {
        ...{ ...fields, variant: 'printed', digest, delta, calibration, domain, rotation, size, shares: [1, 1] },
        ...roundsWithin(range, fields, size, failure, coordinateBudget(calibration, budget, size)),
      };
    },
    answers: () => 2,
    finish({ rotation, size, dimension }, finished) {
      const { round, tally }: Over<CoordinateRound> = finished[1];
      const found = coordinateTallies(round, tally).map((one, j) =>
        noisyMean(round.questions[j] as NoisyQuestion, one),
      );
      const squares = found.reduce((sum, { standardError }) => sum + (standardError * standardError) / size, 0);
      const image = Float64Array.from(found, ({ mean }) => mean);
      const standardError = new Float64Array(dimension).fill(sqrt(squares));
      return { players: reportsOf(finished), mean: rotateBack(rotation, image), standardError };
    },
    claimed: (plan) => guaranteeOf(plan),
    holds(plan) {
      const { calibration, pilotEpsilon, sigma, size } = plan;
      if (calibration !== 'unsplit') return printedVector.claimed(plan);
      return gdp(sqrt(size) * hypot(pureToGdpMu(pilotEpsilon), 2 / sigma));
    },
    releases({ delta, pilot, sigma, size, calibration, pilotEpsilon }) {
      const second = gaussianRelease({ what: 'projected rotated coordinate', count: size, sensitivity: 2, sigma });
      const among = calibration === 'printed' ? size : 1;
      // The meaning of the slides' ε′: each release has (ε′, δ/3 divided by the number of coordinates that share it).
      const claimed = approximate({ epsilon: pilotEpsilon, delta: delta / (3 * among) });
      return [
        { ...questionChannel(pilot).release('bin of a rotated coordinate'), count: size },
        calibration === 'exact' ? second : { ...second, claimed },
      ];
    },
    neighbourDistance: (plan) => sqrt(2) * neighbourDistance(plan),
    // The floor is the bias at an edge of a bin, √d·s/√(2πm) at worst.
    expected({ size, dimension, players, samples, pilot, sigma }, spread) {
      const half = pilot.upper / pilot.mechanism.categories;
      const local = spread * sqrt(dimension / samples);
      const floor = local / sqrt(2 * PI);
      return { error: hypot(floor, local / sqrt(players), half * sigma * sqrt(size / players)), floor };
    },
  },
);

/**
 * The budget of one of D rotated coordinates.
 *
 * Law: `printed`: 2D releases, each (ε′, δ/(3D)), by advanced composition as in one dimension: ε′ = ε/(4√(D·ln(3/δ))),
 * noise 8σ²·ln(6D/δ)/ε′². `unsplit`: each coordinate as in one dimension. `exact`: half of the budget for D bins, by
 * Gaussian or basic composition; the rest for the projected means together, calibrated for their ℓ₂ sensitivity, 2√D
 * halves of an interval.
 */
export function coordinateBudget(
  calibration: PrintedCalibration,
  { epsilon, delta }: Budget,
  size: number,
): { readonly epsilon: number; readonly sigma: number } {
  if (calibration !== 'exact') {
    const among = calibration === 'printed' ? size : 1;
    const each = printedEpsilon({ epsilon, delta }, among);
    return { epsilon: each, sigma: sqrt(8 * log((6 * among) / delta)) / each };
  }
  const basic = epsilon / (2 * size);
  const mu = gdpMu({ epsilon, delta });
  const composed = pureWithinGdp(mu / sqrt(2 * size));
  const sensitivity = 2 * sqrt(size);
  if (composed <= basic) {
    return { epsilon: basic, sigma: analyticGaussianSigma({ epsilon: epsilon / 2, delta, sensitivity }) };
  }
  const left = sqrt(mu * mu - size * pureToGdpMu(composed) ** 2) * (1 - 1e-12);
  return { epsilon: composed, sigma: sensitivity / left };
}
