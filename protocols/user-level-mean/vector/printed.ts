import { checkBudget } from '../../../src/check/budget.ts';
import { entryOf, fieldOf, lengthOf } from '../../../src/check/datum.ts';
import { checkFinite, checkInteger, checkOpenUnit, checkWord, refusal } from '../../../src/check/number.ts';
import type { Rounds } from '../../../src/core/rounds.ts';
import { checkReplay, goOn } from '../../../src/core/rounds.ts';
import { randomizedResponse } from '../../../src/mechanism/randomized-response.ts';
import { type LocatedInterval, popularBin } from '../scalar/interval.ts';
import { planDigest, planFields } from '../scalar/plan.ts';
import {
  concentrationRadius,
  DEFAULT_FAILURE,
  type PrintedCalibration,
  type PrintedRequest,
} from '../scalar/printed.ts';
import type { BinQuestion, NoisyQuestion } from '../scalar/question.ts';
import type { MeanEstimate, UserLevelFamily, UserLevelPlan } from '../scalar/types.ts';
import { coordinateBudget } from './coordinate-budget.ts';
import { type CoordinateRound, coordinateRound, coordinateTallies } from './coordinate-round.ts';
import type { SampleDomain } from './model.ts';
import { domainOf, longestOf, seedOf } from './request.ts';
import { createRotation, type Rotation, rotateBack } from './rotation.ts';
import type { FinishedVector, VectorRound, VectorTally } from './round.ts';
import { checkFinished } from './rounds.ts';
import { rotationBound } from './theory.ts';

const { ceil, max, min, sqrt } = Math;

/** Plan of the slides' two rounds on the rotated coordinates, all of which every player answers in both rounds. */
export interface PrintedVectorPlan extends UserLevelPlan {
  readonly variant: 'printed';
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
  const width = 2 * concentrationRadius(range, { players: players * size, samples }, failure);
  const { epsilon, sigma } = coordinateBudget(calibration, budget, size);
  const categories = max(2, ceil((2 * range) / width));
  const mechanism = randomizedResponse({ epsilon, categories });
  const pilot = { kind: 'bin', lower: -range, upper: range, mechanism } as const;
  const { delta } = budget;
  const digest = planDigest(fields, { delta, failure, calibration, domain, seed });
  return {
    ...fields,
    ...{ variant: 'printed', digest, delta, calibration, domain, rotation, size },
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
  ...goOn(checkRounds, roundAfter),
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
