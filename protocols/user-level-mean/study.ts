import { checkWord } from '../../src/check/number.ts';
import type { PlainRequest } from '../../src/core/contract.ts';
import type { UserLevelMeanRound } from './channels.ts';
import { type UserLevelMeanPlan, type UserLevelMeanRequest, userLevelMeanPlan, VARIANTS } from './parameters.ts';
import { userLevelMean } from './protocol.ts';
import type { MeanTally, UserLevelReport } from './shape.ts';
import { theory } from './theory.ts';
import type { UserForecast, UserSetting, UserStudy, UserStudyRequest } from './user-study.ts';

const PURE: readonly string[] = ['oneBit', 'vector', 'coordinates'];

function request(asked: UserStudyRequest): PlainRequest {
  const { variant: word, delta, inBall = false, grade, dimension, spread, ...rest } = asked;
  const variant = checkWord('variant', word, VARIANTS);
  return {
    variant,
    ...rest,
    ...(dimension === 1 ? {} : { dimension }),
    ...(grade === undefined ? {} : { grade }),
    // Other variants find the spread themselves, and a wrong given value would mislead them.
    ...(spread === undefined || variant !== 'twoRound' ? {} : { spread }),
    ...(PURE.includes(variant) ? {} : { delta }),
    ...(inBall && (dimension > 1 || variant === 'vector' || variant === 'coordinates') ? { domain: 'ball' } : {}),
  };
}

const plan = (asked: UserStudyRequest): UserLevelMeanPlan =>
  userLevelMeanPlan(request(asked) as unknown as UserLevelMeanRequest);

/**
 * By closed forms, for the same number of samples per player, all players alike, and enough players to find the mean
 * roughly; `vector` and `coordinates`, which lose a coordinate now and then, by playing their rounds. For `printed` the mean is assumed at the edge of a bin, the
 * worst case.
 */
function forecast(asked: UserStudyRequest, { spread }: UserSetting): UserForecast {
  const made = plan(asked);
  const { error, floor } = theory.forecast!(made, { players: made.players, spread });
  return { error, floor };
}

/** The user-level mean as the command line and the simulator try it. */
export const study: UserStudy<UserLevelMeanPlan, UserLevelMeanRound, UserLevelReport, MeanTally> = {
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
