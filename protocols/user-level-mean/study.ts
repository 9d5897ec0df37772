import { checkPositive, checkWord } from '../../src/check/number.ts';
import type { PlainRequest } from '../../src/core/contract.ts';
import type { UserLevelMeanRound } from './channels.ts';
import { type UserLevelMeanPlan, type UserLevelMeanRequest, userLevelMeanPlan, VARIANTS } from './parameters.ts';
import { edgeBias, expectedPrintedError } from './printed.ts';
import { userLevelMean } from './protocol.ts';
import type { UserLevelReport } from './report.ts';
import { oneBitError } from './scalar/one-bit.ts';
import type { UserLevelMeanTally } from './server.ts';
import { isVector } from './shape.ts';
import type { UserForecast, UserSetting, UserStudy, UserStudyRequest } from './user-study.ts';
import { expectedTwoRoundError, type TwoRoundVectorPlan } from './vector/two-round.ts';
import { expectedSquaredError, type VectorPlan } from './vector/vector.ts';

const { hypot, sqrt } = Math;

const PURE: readonly string[] = ['oneBit', 'vector', 'coordinates'];

function request(asked: UserStudyRequest): PlainRequest {
  const { variant: word, delta, inBall = false, grade, dimension, spread, ...rest } = asked;
  const variant = checkWord('variant', word, VARIANTS);
  return {
    variant,
    ...rest,
    ...(dimension === 1 ? {} : { dimension }),
    ...(grade === undefined ? {} : { grade }),
    // Others find it themselves, and would believe one that is wrong.
    ...(spread === undefined || variant !== 'twoRound' ? {} : { spread }),
    ...(PURE.includes(variant) ? {} : { delta }),
    ...(inBall && (dimension > 1 || variant === 'vector' || variant === 'coordinates') ? { domain: 'ball' } : {}),
  };
}

const plan = (asked: UserStudyRequest): UserLevelMeanPlan =>
  userLevelMeanPlan(request(asked) as unknown as UserLevelMeanRequest);

/**
 * By closed forms, for equally many samples a player, all players alike, and enough players to find the mean roughly: below
 * that see `localisationFloor`. `printed` is given the mean at the edge of a bin, where it is worst.
 */
function forecast(asked: UserStudyRequest, { spread: given }: UserSetting): UserForecast {
  const made = plan(asked);
  const { players, samples, bound, epsilon } = made;
  const spread = checkPositive('spread', given);
  const local = spread / sqrt(samples);
  if (isVector(made)) {
    if (made.variant === 'printed') return expectedPrintedError(made, spread);
    const squared = made.variant === 'twoRound' ? expectedTwoRoundError : expectedSquaredError;
    return { error: sqrt(squared(made as TwoRoundVectorPlan & VectorPlan, spread)), floor: 0 };
  }
  switch (made.variant) {
    case 'oneBit':
      // The last round's bits are at the mean.
      return {
        error: oneBitError({ players: made.shares[made.shares.length - 1] * players, samples, spread }, epsilon),
        floor: 0,
      };
    case 'twoRound': {
      const { pilot, range, samePlayers, share, final, interval } = made;
      const bin = bound / pilot.mechanism.categories;
      const half = interval === 'pair' ? bin + range : 3 * bin;
      // One bit on an interval varies by half its length over the contrast.
      const noise = half * (final.kind === 'noisy' ? final.sigma : 1 / final.coin.contrast);
      return { error: hypot(local, noise) / sqrt(players * (samePlayers ? 1 : 1 - share)), floor: 0 };
    }
    case 'printed': {
      const floor = edgeBias({ samples, spread });
      const half = bound / made.pilot.mechanism.categories;
      return { error: hypot(floor, hypot(local, half * made.sigma) / sqrt(players)), floor };
    }
    default:
      return { error: hypot(local, bound * made.question.sigma) / sqrt(players), floor: 0 };
  }
}

/** The user-level mean as the command line and the simulator try it. */
export const study: UserStudy<UserLevelMeanPlan, UserLevelMeanRound, UserLevelReport, UserLevelMeanTally> = {
  kind: 'users',
  protocol: userLevelMean,
  summary:
    'mean of samples of which every player holds several, all protected together (Avella-Medina 2023, two rounds)',
  variants: VARIANTS,
  pureVariants: PURE,
  scalar: { variants: ['oneBit', 'twoRound', 'naive', 'printed'], baselines: ['naive', 'printed'] },
  vector: { variants: ['vector', 'twoRound', 'coordinates', 'printed'], baselines: ['coordinates', 'printed'] },
  request,
  plan,
  forecast,
};
