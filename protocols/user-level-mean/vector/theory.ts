import { checkNonNegative, checkPositive } from '../../../src/check/number.ts';
import type { Theory } from '../../../src/core/contract.ts';
import { discreteGaussianRelease } from '../../../src/core/integer-noise.ts';
import { unitRelease } from '../../../src/core/unit-report.ts';
import { type Certificate, certificate as certificateOf } from '../../../src/privacy/certificate.ts';
import { approximate, type Guarantee, pure } from '../../../src/privacy/guarantee.ts';
import { gaussianRelease, type Release } from '../../../src/privacy/totals.ts';
import type { VectorPlan } from './plan.ts';

const { log, sqrt } = Math;

/** The guarantee of one player's whole transcript: pure ε, but (ε, δ) for the form `gaussian`. */
function guarantee({ epsilon, residual }: VectorPlan): Guarantee {
  return residual?.delta === undefined ? pure(epsilon) : approximate({ epsilon, delta: residual.delta });
}

/**
 * The releases of the plan. A player answers in one round only, so that it sends one of them: every total is that of the weakest.
 */
function certificate(plan: VectorPlan): Certificate {
  const { protocol, variant } = plan;
  const last = residualRelease(plan);
  const releases = last === undefined ? [signRelease(plan)] : [signRelease(plan), last];
  return certificateOf({ protocol, variant, releases, claimed: guarantee(plan), alternatives: releases.length > 1 });
}

/** The release of the last round, where that asks for residuals. */
export function residualRelease({ residual, shares }: Pick<VectorPlan, 'residual' | 'shares'>): Release | undefined {
  if (residual === undefined) return undefined;
  const { mechanism, noise, sigma } = residual;
  const what = `residual of the local mean, in round ${shares.length} of ${shares.length}`;
  if (mechanism !== undefined) return unitRelease(what, mechanism);
  if (noise !== undefined) return discreteGaussianRelease(what, noise);
  return sigma === undefined ? undefined : gaussianRelease({ what, count: 1, sensitivity: 2, sigma });
}

function signRelease({ answers, size, coin }: VectorPlan): Release {
  return {
    what:
      answers === 'one'
        ? 'sign of one rotated coordinate, in one of the rounds'
        : 'sign of a coordinate, in one of the rounds',
    count: answers === 'one' ? 1 : size,
    mechanism: 'randomized response',
    sensitivity: 1,
    scale: 1 / coin.contrast,
    guarantee: pure(coin.exactEpsilon),
  };
}

/** Largest ℓ₂ distance between the local means of two data: 2B√d in the box, 2B in the ball. */
export function neighbourDistance({
  domain,
  bound,
  dimension,
}: Pick<VectorPlan, 'domain' | 'bound' | 'dimension'>): number {
  return 2 * bound * (domain === 'box' ? sqrt(dimension) : 1);
}

/** What is claimed of vector plans. */
export const vectorTheory: Theory<VectorPlan> = { guarantee, certificate, neighbourDistance };

/**
 * The error to expect, E‖estimate − mean‖², where coordinates of samples have the standard deviation s and there are enough
 * players to locate every coordinate: the cost of the plan's form times s²/(mn), over all coordinates. Of `coordinates`, d
 * times the cost of one. Where rounds are fewer than the default, what they leave open is added.
 *
 * @throws TypeError or RangeError for a spread that is not a finite number ≥ 0.
 */
export function expectedSquaredError(plan: VectorPlan, spread: number): number {
  const { costs, form, samples, players, answers, dimension, shares, model, size } = plan;
  const local = checkNonNegative('spread', spread) ** 2 / samples;
  const squared = (local / players) * costs[form]! * (answers === 'all' ? dimension : 1);
  const open = model.largestSpread * NARROWING ** (form === 'sign' ? shares.length : shares.length - 1);
  // Signs leave it as it is; the noise of a residual is that of its length.
  return form === 'sign' ? squared + size * open * open : squared * (1 + ((open * open) / local) * (size / dimension));
}

/** What one round of signs leaves open of where a coordinate may be, at best: measured, an order of magnitude. After eight, 4e-5. */
const NARROWING = 0.28;

/**
 * The lemma of the rotation: with probability 1 − ξ over the signs, no coordinate of n rotated vectors of norm at most B is
 * larger than B·√(2·ln(2Dn/ξ)/D).
 *
 * Source: Hoeffding's inequality for Rademacher sums, and a union bound over nD of them; slides of Avella Medina (2023).
 *
 * @throws TypeError or RangeError unless every number is > 0.
 */
export function rotationBound(bound: number, size: number, players: number, failure: number): number {
  checkPositive('bound', bound);
  const ratio =
    (2 * checkPositive('size', size) * checkPositive('players', players)) / checkPositive('failure', failure);
  return bound * sqrt((2 * log(ratio)) / size);
}

/**
 * Players from which on every coordinate is located nearly always: c·D/κ², D groups of which each needs a number of signs that
 * only depends on how much they are worth. For small ε that is 4cD/ε².
 */
export function locationPlayers({ answers, size, coin }: Pick<VectorPlan, 'answers' | 'size' | 'coin'>): number {
  return ((answers === 'one' ? size : 1) * LOCATION_BITS) / (coin.contrast * coin.contrast);
}

/** Signs for each coordinate, in units of 1/κ², that locate it; measured, see the tests. */
const LOCATION_BITS = 20;
