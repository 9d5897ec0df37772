import { checkBudget } from '../../../check/budget.ts';
import { entryOf, fieldOf, lengthOf } from '../../../check/datum.ts';
import { checkFinite, checkInteger, checkOpenUnit, checkWord, refusal } from '../../../check/number.ts';
import { randomizedResponse } from '../../../mechanism/randomized-response.ts';
import { logNormalCdf } from '../../../numeric/normal.ts';
import { type Certificate, certificate as certificateOf } from '../../../privacy/certificate.ts';
import { pureToGdpMu } from '../../../privacy/conversion.ts';
import { analyticGaussianSigma, gdpMu } from '../../../privacy/gaussian.ts';
import { approximate, type Guarantee, gdp } from '../../../privacy/guarantee.ts';
import { gaussianRelease } from '../../../privacy/release.ts';
import type { Theory } from '../../contract.ts';
import { checkReplay, madeHere } from '../../replay.ts';
import type { Rounds } from '../../rounds.ts';
import { type LocatedInterval, popularBin } from '../interval.ts';
import { planDigest, planFields } from '../plan.ts';
import { concentrationReach, DEFAULT_FAILURE, type PrintedRequest } from '../printed.ts';
import type { BinQuestion, NoisyQuestion } from '../question.ts';
import { binRelease } from '../theory.ts';
import type { MeanEstimate, UserLevelFamily, UserLevelPlan } from '../types.ts';
import { type CoordinateRound, coordinateRound, coordinateTallies } from './coordinate-round.ts';
import type { SampleDomain } from './model.ts';
import { domainOf, longestOf, seedOf } from './plan.ts';
import { createRotation, type Rotation, rotateBack } from './rotation.ts';
import type { FinishedVector, VectorRound, VectorTally } from './round.ts';
import { checkFinished } from './rounds.ts';
import { neighbourDistance, rotationBound } from './theory.ts';

const { ceil, hypot, log, max, min, sqrt } = Math;

/** How the budget is shared out among the coordinates and the rounds; see {@link printedVector}. */
export type PrintedCalibration = 'printed' | 'unsplit' | 'exact';

/** Plan of the slides' two rounds on the rotated coordinates, all of which every player answers in both rounds. */
export interface PrintedVectorPlan extends UserLevelPlan {
  readonly maker: 'printed';
  /** δ of one player's transcript. */
  readonly delta: number;
  readonly calibration: PrintedCalibration;
  /** Where samples lie. */
  readonly domain: SampleDomain;
  /** What local means are rotated by. */
  readonly rotation: Rotation;
  /** D. */
  readonly size: number;
  /** All players, twice. */
  readonly shares: readonly [1, 1];
  /** ε of the bin of one coordinate. */
  readonly pilotEpsilon: number;
  /** Round 1, of every rotated coordinate. */
  readonly pilot: BinQuestion;
  /** Noise of round 2 on a rotated coordinate, in units of half the interval. */
  readonly sigma: number;
}

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

/**
 * The slides' two rounds in several dimensions: local means rotated by H·diag(s)/√D, and on each of the D coordinates the printed
 * rounds of one dimension. All players answer all coordinates in both rounds.
 *
 * The range of a rotated coordinate is B′ = ‖mean‖·√(2·ln(2Dn/ξ)/D) (`rotationBound`), bins have the width 2B′·√(2·ln(2Dn/ξ)/m): ln(nd/ξ)
 * stands in the slides' error. How the budget is shared out among coordinates is not printed. Their error, √d·(ln(d/δ))^1.5/ε, is that
 * of advanced composition over coordinates: `printed` is this. The univariate algorithm `unsplit` on every coordinate, as “running
 * the univariate algorithm coordinate-wise” says, does not keep (ε, δ): its certificate shows what holds.
 *
 * Guarantee: (ε, δ) for `printed` and `exact`; for `unsplit` the μ of the certificate.
 *
 * Source: slides of Avella Medina (2023), results for the multivariate case.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function printedVector(family: UserLevelFamily, request: PrintedRequest): PrintedVectorPlan {
  const fields = planFields(family, 'printed', request, false);
  const budget = checkBudget(request);
  const failure = checkOpenUnit('failure', request.failure ?? DEFAULT_FAILURE);
  const calibration = checkWord('calibration', request.calibration ?? 'printed', ['printed', 'unsplit', 'exact']);
  const [domain, seed] = [domainOf(request), seedOf(request)];
  const rotation = createRotation(fields.dimension, seed);
  const { size } = rotation;
  const { players, samples } = fields;
  const longest = longestOf(domain, fields);
  const range = min(longest, rotationBound(longest, size, players, failure));
  const width = 2 * concentrationReach(range, { players: players * size, samples }, failure);
  const { epsilon, sigma } = coordinateBudget(calibration, budget, size);
  const categories = max(2, ceil((2 * range) / width));
  const mechanism = randomizedResponse({ epsilon, categories });
  const pilot = { kind: 'bin', lower: -range, upper: range, mechanism } as const;
  const { delta } = budget;
  const digest = planDigest(fields, { delta, failure, calibration, domain, seed });
  return {
    ...fields,
    ...{ maker: 'printed', digest, delta, calibration, domain, rotation, size },
    ...{ shares: [1, 1], pilotEpsilon: epsilon, pilot, sigma },
  };
}

/** The round of this index: the first is the plan's alone, the second projects on one interval for each coordinate. */
export function printedVectorRound(
  plan: PrintedVectorPlan,
  index: number,
  intervals: readonly LocatedInterval[] = [],
): CoordinateRound {
  const { size, pilot, sigma } = plan;
  if (index === 0) return coordinateRound(plan, { round: 0, answers: 'all' }, new Array(size).fill(pilot));
  const questions = intervals.map(({ lower, upper }): NoisyQuestion => ({ kind: 'noisy', lower, upper, sigma }));
  return coordinateRound(plan, { round: 1, answers: 'all', repeats: true }, questions);
}

function checkRounds(plan: PrintedVectorPlan, finished: readonly FinishedVector[]): void {
  if (finished.length > 2) throw new RangeError(refusal('finished', 'at most 2 rounds', finished.length));
  for (const [i, over] of finished.entries()) {
    checkFinished(plan, over, i, (round) =>
      round.kind === 'coordinate' && round.questions.length === plan.size
        ? printedVectorRound(plan, i, round.questions).digest
        : 'none: it asks about coordinates',
    );
  }
  checkReplay(plan, finished, roundAfter);
}

/** Mean and standard error of noisy answers about one coordinate. */
function noisyMean({ lower, upper, sigma }: NoisyQuestion, players: number, sums: Float64Array): [number, number] {
  const half = 0.5 * (upper - lower);
  const mean = sums[0] / players;
  const variance = players > 1 ? max(0, sums[1] - players * mean * mean) / (players - 1) : sigma * sigma;
  return [0.5 * (lower + upper) + half * mean, half * sqrt(variance / players)];
}

function roundAfter(plan: PrintedVectorPlan, finished: readonly FinishedVector[]): CoordinateRound | undefined {
  if (finished.length === 0) return printedVectorRound(plan, 0);
  if (finished.length > 1) return undefined;
  const [{ round, tally }] = finished;
  const tallies = coordinateTallies(round as CoordinateRound, tally.sums);
  return printedVectorRound(
    plan,
    1,
    tallies.map((one) => popularBin(plan.pilot, one)),
  );
}

/** The intervals that a device was sent, one for each rotated coordinate, within the range of the bins. */
function receivedIntervals({ size, pilot }: PrintedVectorPlan, received: unknown): LocatedInterval[] {
  const questions = fieldOf(received, 'questions');
  const length = lengthOf(questions);
  if (length !== size) throw new RangeError(refusal('round.questions', `${size} questions`, length));
  // The edge of a bin may be off by the rounding of the range.
  const most = pilot.upper * (1 + 2 ** -40);
  return Array.from({ length: size }, (_, j) => {
    const [name, question] = [`round.questions[${j}]`, entryOf(questions, j)];
    const lower = checkFinite(`${name}.lower`, fieldOf(question, 'lower'));
    const upper = checkFinite(`${name}.upper`, fieldOf(question, 'upper'));
    if (!(lower >= -most)) throw new RangeError(refusal(`${name}.lower`, `a number >= ${-most}`, lower));
    if (!(upper <= most && upper > lower)) {
      throw new RangeError(refusal(`${name}.upper`, `a number from ${lower} to ${most}`, upper));
    }
    return { lower, upper };
  });
}

/** From round to round of the printed scheme, and to its estimate. */
export const printedVectorRounds: Rounds<PrintedVectorPlan, VectorRound, VectorTally, MeanEstimate, undefined> = {
  first: (plan) => madeHere(plan, printedVectorRound(plan, 0)),
  next(plan, finished) {
    checkRounds(plan, finished);
    const round = roundAfter(plan, finished);
    return round === undefined ? undefined : madeHere(plan, round);
  },
  estimate(plan, finished) {
    if (finished.length !== 2) throw new RangeError(refusal('finished', '2 rounds', finished.length));
    checkRounds(plan, finished);
    const { rotation, size, dimension } = plan;
    const [, { round, tally }] = finished as readonly { round: CoordinateRound; tally: VectorTally }[];
    const image = new Float64Array(size);
    let squares = 0;
    coordinateTallies(round, tally.sums).forEach(({ players, sums }, j) => {
      const [mean, error] = noisyMean(round.questions[j] as NoisyQuestion, players, sums);
      image[j] = mean;
      squares += (error * error) / size;
    });
    const players = finished.reduce((sum, over) => sum + over.tally.players, 0);
    const standardError = new Float64Array(dimension).fill(sqrt(squares));
    return { players, mean: rotateBack(rotation, image), standardError };
  },
  remake(plan, received) {
    const round = checkInteger('round.round', fieldOf(received, 'round'), 0, 1);
    return printedVectorRound(plan, round, round === 0 ? [] : receivedIntervals(plan, received));
  },
  answers: () => 2,
};

function guarantee({ epsilon, delta, calibration, pilotEpsilon, sigma, size }: PrintedVectorPlan): Guarantee {
  if (calibration !== 'unsplit') return approximate({ epsilon, delta });
  return gdp(sqrt(size) * hypot(pureToGdpMu(pilotEpsilon), 2 / sigma));
}

function certificate(plan: PrintedVectorPlan): Certificate {
  const { protocol, maker, epsilon, delta, pilot, sigma, size, calibration, pilotEpsilon } = plan;
  const second = gaussianRelease({ what: 'projected rotated coordinate', count: size, sensitivity: 2, sigma });
  const among = calibration === 'printed' ? size : 1;
  // What the slides' ε′ is for: each release (ε′, δ/3 over the coordinates it is split among).
  const claimed = approximate({ epsilon: pilotEpsilon, delta: delta / (3 * among) });
  const releases = [
    { ...binRelease(pilot), what: 'bin of a rotated coordinate', count: size },
    calibration === 'exact' ? second : { ...second, claimed },
  ];
  return certificateOf({ protocol, maker, releases, claimed: approximate({ epsilon, delta }) });
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
