import { checkBudget } from '../../../src/check/budget.ts';
import { checkInteger } from '../../../src/check/number.ts';
import type { Theory } from '../../../src/core/contract.ts';
import { type ChannelParameters, channelOf } from './channels.ts';
import { marginInfluence } from './influence.ts';

export { transcriptMu } from './copies-channel.ts';

const { log, sqrt } = Math;

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
export const marginTheory: Theory<ChannelParameters> = {
  guarantee: (parameters) => channelOf(parameters).guarantee(),
  certificate: (parameters) => channelOf(parameters).certificate(),
  neighbourDistance: (parameters) => channelOf(parameters).neighbourDistance(),
  influence: marginInfluence,
};
