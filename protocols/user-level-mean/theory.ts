import { checkInteger, checkPositive } from '../../src/check/number.ts';
import type { Expectation, Theory } from '../../src/core/contract.ts';
import { certificate as certificateOf } from '../../src/privacy/certificate.ts';
import type { UserLevelMeanPlan } from './parameters.ts';
import { isVector } from './shape.ts';
import { VARIANT_TABLE, type VariantTable, variantOf } from './variants.ts';
import { forecastSquaredError } from './vector/forecast.ts';

const { sqrt } = Math;

/** The claims about the plans of a table of variants, and what to expect of them. */
export function meanTheory(variants: VariantTable): Theory<UserLevelMeanPlan> {
  return {
    guarantee(plan) {
      const chosen = variantOf(variants, plan);
      return chosen.holds?.(plan) ?? chosen.claimed(plan);
    },
    certificate(plan) {
      const { protocol, variant } = plan;
      const chosen = variantOf(variants, plan);
      const releases = chosen.releases(plan);
      const alternatives = releases.length > 1 && chosen.answers(plan) === 1;
      return certificateOf({ protocol, variant, releases, claimed: chosen.claimed(plan), alternatives });
    },
    neighbourDistance: (plan) => variantOf(variants, plan).neighbourDistance(plan),
    forecast(plan, setting): Expectation {
      const players = checkInteger('players', setting.players, 1);
      const spread = setting.spread === undefined ? publicSpread(plan) : checkPositive('spread', setting.spread);
      const what = 'root mean squared ℓ₂ error of the mean, in the unit of the samples';
      const alike = `samples with coordinates of standard deviation ${spread}, all players alike, and`;
      if (plan.variant === 'vector' || plan.variant === 'coordinates') {
        const error = sqrt(forecastSquaredError({ ...plan, players }, spread));
        const assumption = `${alike} a mean anywhere in the middle half of the range, whose coordinates are uncorrelated`;
        return { what, assumption, error, floor: 0 };
      }
      return {
        what,
        assumption: `${alike} enough of them to find the mean roughly`,
        ...variantOf(variants, plan).expected({ ...plan, players }, spread),
      };
    },
  };
}

/** s, if the plan has it; otherwise a quarter of its largest possible value, for which rounds are planned too. */
function publicSpread(plan: UserLevelMeanPlan): number {
  const { samples, bound, dimension } = plan;
  if (isVector(plan)) {
    const stated = 'model' in plan && plan.model.deviation === plan.model.largestDeviation;
    if (stated) return plan.model.deviation * sqrt((samples * plan.size) / dimension);
    return bound / 4 / (plan.domain === 'ball' ? sqrt(dimension) : 1);
  }
  return 'deviation' in plan && plan.deviation !== undefined ? plan.deviation * sqrt(samples) : bound / 4;
}

/** The theory of the protocol: the claims about one player's transcript over all rounds. */
export const theory: Theory<UserLevelMeanPlan> = /* @__PURE__ */ meanTheory(VARIANT_TABLE);

/**
 * Every release of one player's transcript, and the total under every accounting that applies.
 *
 * @theorem slides User-level privacy, user-level LDP
 * @theorem slides Algorithm, round 2, noise
 * @theorem slides Theorem, two-round estimator, privacy
 * @theorem slides Theorem, multivariate case, privacy
 */
export const certificate: Theory<UserLevelMeanPlan>['certificate'] = (plan) => theory.certificate(plan);

/**
 * The guarantee of one player's whole transcript.
 *
 * @theorem slides User-level privacy, user-level LDP
 */
export const guarantee: Theory<UserLevelMeanPlan>['guarantee'] = (plan) => theory.guarantee(plan);
