import type { Theory } from '../../../src/core/contract.ts';
import { discreteGaussianRelease } from '../../../src/core/integer-noise.ts';
import { type Certificate, certificate as certificateOf } from '../../../src/privacy/certificate.ts';
import { approximate, type Guarantee, gdp, pure } from '../../../src/privacy/guarantee.ts';
import { quotientAbove } from '../../../src/privacy/rounding.ts';
import { gaussianRelease, type Release } from '../../../src/privacy/totals.ts';
import type { OneBitPlan, ScalarPlan } from './plan.ts';
import { printedEpsilon } from './printed.ts';
import type { BinQuestion, NoisyQuestion } from './question.ts';
import type { SignQuestion } from './sign.ts';

const { hypot } = Math;

/**
 * The guarantee of one player's transcript over all rounds of the plan. With fresh players in each round that is one report,
 * and the weakest of the rounds' guarantees; `printed` and `samePlayers` compose both rounds.
 */
function guarantee(plan: ScalarPlan): Guarantee {
  switch (plan.variant) {
    case 'naive':
      return approximate(plan);
    case 'printedNaive':
      return gdp(quotientAbove(2, plan.question.sigma));
    case 'printed':
      return approximate(plan);
    case 'twoRound':
      return plan.delta === undefined ? pure(plan.epsilon) : approximate({ epsilon: plan.epsilon, delta: plan.delta });
    case 'oneBit':
      return pure(plan.epsilon);
  }
}

/**
 * Every release of one player's transcript. Where players are fresh in each round, a player sends one of the releases of the
 * plan: the certificate lists them all, and every total is that of the weakest.
 */
function certificate(plan: ScalarPlan): Certificate {
  const { protocol, variant, epsilon } = plan;
  const input = { protocol, variant };
  switch (plan.variant) {
    case 'naive':
    case 'printedNaive': {
      const releases = [noisyRelease('local mean', plan.question)];
      return certificateOf({ ...input, releases, claimed: approximate({ epsilon, delta: plan.delta }) });
    }
    case 'printed': {
      const { delta, pilot, sigma } = plan;
      // What the slides' ε′ is: advanced composition of two releases, each (ε′, δ/3).
      const claimed = approximate({ epsilon: printedEpsilon({ epsilon, delta }), delta: delta / 3 });
      const second = gaussianRelease({ what: 'projected local mean', count: 1, sensitivity: 2, sigma });
      const asPrinted = plan.pilotEpsilon === claimed.epsilon;
      const releases = [binRelease(pilot), asPrinted ? { ...second, claimed } : second];
      return certificateOf({ ...input, releases, claimed: approximate({ epsilon, delta }) });
    }
    case 'twoRound': {
      const { delta, pilot, final, samePlayers } = plan;
      const last = final.kind === 'noisy' ? noisyRelease('projected local mean', final) : signRelease(final);
      const releases = [binRelease(pilot), last];
      const claimed = delta === undefined ? pure(epsilon) : approximate({ epsilon, delta });
      return certificateOf({ ...input, releases, claimed, alternatives: !samePlayers });
    }
    case 'oneBit':
      return certificateOf({ ...input, ...oneBitReleases(plan), claimed: pure(epsilon) });
  }
}

function oneBitReleases({ pilot, sign }: OneBitPlan): { releases: Release[]; alternatives: boolean } {
  const later = signRelease(sign);
  return pilot.kind === 'bin'
    ? { releases: [binRelease(pilot), later], alternatives: true }
    : { releases: [later], alternatives: false };
}

function noisyRelease(what: string, { sigma, noise }: NoisyQuestion): Release {
  return noise === undefined
    ? gaussianRelease({ what, count: 1, sensitivity: 2, sigma })
    : discreteGaussianRelease(what, noise);
}

/** The release of a bin. */
export function binRelease({ mechanism }: BinQuestion): Release {
  const { name, guarantee: promised } = mechanism;
  return {
    what: 'bin of the local mean',
    count: 1,
    mechanism: name,
    sensitivity: 2,
    scale: Math.sqrt(mechanism.squaredError),
    guarantee: promised,
  };
}

function signRelease({ coin }: SignQuestion): Release {
  return {
    what: 'sign of the local mean against a threshold',
    count: 1,
    mechanism: 'randomized response',
    sensitivity: 2,
    scale: 1 / coin.contrast,
    guarantee: pure(coin.exactEpsilon),
  };
}

/** Largest distance between what two data of one player make it randomize, over all its rounds. */
function neighbourDistance(plan: ScalarPlan): number {
  const both = plan.variant === 'printed' || (plan.variant === 'twoRound' && plan.samePlayers);
  // A noisy mean lies in [−1, 1]; two different bins, and two signs, are 2 apart.
  return both ? hypot(2, 2) : 2;
}

/** The theory of every scalar plan. */
export const scalarTheory: Theory<ScalarPlan> = { guarantee, certificate, neighbourDistance };
