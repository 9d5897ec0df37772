import { refusal } from '../../src/check/number.ts';
import { RefusedKind, RefusedValue } from '../../src/check/refusal.ts';
import { straightSlope } from '../../src/optimize/corrected-regression.ts';
import type { CorrectedRiskQuery } from '../../src/optimize/corrected-risk.ts';
import type { MarginLoss } from '../../src/risk/margin-loss.ts';
import { lossByName, responseLossByName } from '../../src/risk/named-loss.ts';
import type { ResponseLoss } from '../../src/risk/response-loss.ts';
import { channelOf } from './margin/channels.ts';
import type { MarginParameters } from './margin/parameters.ts';
import type { MarginQuery } from './margin/query.ts';

/** The loss where a query names none. */
export const DEFAULT_LOSS = 'logistic';

/** The loss of a regression where a query names none. */
const DEFAULT_RESPONSE_LOSS = 'squared';

/** A loss as a query may give it: by name, or as the functions themselves. */
export type QueryLoss = string | MarginLoss | ResponseLoss;

/**
 * The loss of the margin that a query means.
 *
 * @throws TypeError or RangeError for an unknown name, or for what is not a loss of a margin.
 */
export function marginLossOf(loss: QueryLoss = DEFAULT_LOSS): MarginLoss {
  if (typeof loss === 'string') return lossByName(loss);
  const known = isLoss(loss) && 'kinks' in loss && Array.isArray(loss.kinks);
  if (!known) throw new RefusedKind(refusal('loss', 'a name or a loss of the margin', loss));
  return loss as MarginLoss;
}

/** Inner products and responses at which a loss is checked to depend on the residual alone. */
const PROBES = [-1.7, -1, -0.6, -0.1, 0, 0.35, 0.8, 1, 1.4];

/**
 * The loss ρ of the residual r = y − ⟨w, x⟩ that the query of a regression means, as a loss of r: ρ(r) = ℓ(0, r).
 *
 * @throws TypeError or RangeError for an unknown name, for what is not a loss of a response, or for a loss that does
 * not depend on the residual alone.
 */
export function residualLossOf(loss: QueryLoss = DEFAULT_RESPONSE_LOSS): MarginLoss {
  const named = typeof loss === 'string' ? responseLossByName(loss) : loss;
  const known = isLoss(named) && 'kinked' in named;
  if (!known) throw new RefusedKind(refusal('loss', 'a name or a loss of inner product and response', loss));
  const response = named as ResponseLoss;
  for (const inner of PROBES) {
    for (const y of PROBES) {
      const [there, here] = [response.value(inner, y), response.value(0, y - inner)];
      if (!(Math.abs(there - here) <= 1e-9 * (1 + Math.abs(here)))) {
        throw new RefusedValue(refusal('loss', 'one of the residual y − ⟨w, x⟩ alone', response.name));
      }
    }
  }
  const { lipschitz, smoothness } = response.constantsOn(2);
  return {
    name: response.name,
    value: (r) => response.value(0, r),
    derivative: (r) => -response.derivative(0, r),
    secondDerivative: (r) => response.secondDerivative(0, r),
    lipschitz,
    smoothness,
    kinks: response.kinked ? [0] : [],
  };
}

function isLoss(loss: unknown): loss is object {
  if (loss === null || typeof loss !== 'object') return false;
  const { value, derivative } = loss as { readonly value?: unknown; readonly derivative?: unknown };
  return typeof value === 'function' && typeof derivative === 'function';
}

/**
 * For a smooth loss: the least spread of the margins at a w of which nothing is known yet, and how much more than its
 * forecast the noise of the slope counts. The best model under such a loss has margins of a few units, where the loss
 * levels off. Both are chosen on the Adult benchmark (docs/generalized-linear.md).
 */
const SMOOTH = { leastSpread: 2.4, noiseFactors: [0, 10, 10] };

/** What stands for f′: f′ itself where it is a straight line; for a smooth loss, a fit over margins of a few units. */
export function fitOf(
  parameters: MarginParameters,
  query: MarginQuery,
  loss: MarginLoss,
  radius: number,
): Pick<CorrectedRiskQuery, 'coefficients' | 'leastSpread' | 'noiseFactors'> {
  const { degree = 'automatic', coefficients } = query;
  if (coefficients !== undefined || (channelOf(parameters).serving?.(query).server ?? 'newton') !== 'newton') return {};
  const line = parameters.degree > 0 && degree !== 0 ? straightSlope(loss, radius) : undefined;
  if (line !== undefined) return { coefficients: line };
  return loss.kinks.length === 0 ? SMOOTH : {};
}
