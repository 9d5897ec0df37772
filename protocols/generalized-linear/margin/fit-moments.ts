import { checkInteger } from '../../../src/check/number.ts';
import { minimizeComparedRisk } from '../../../src/optimize/compared-risk.ts';
import {
  type CorrectedMoments,
  type CorrectedRisk,
  type CorrectedRiskQuery,
  minimizeCorrectedRisk,
} from '../../../src/optimize/corrected-risk.ts';
import { channelOf } from './channels.ts';
import type { MarginParameters } from './parameters.ts';
import { isQuiet } from './planned-degree.ts';

/** A question to the moments in a tally. */
export interface FitQuery extends CorrectedRiskQuery {
  /** The place of a coordinate that is nearly the same positive number for every record; absent if none is known. */
  readonly intercept?: number | undefined;
  /** Public seed of the server's coins. Default: the parameters' digest. */
  readonly seed?: string | undefined;
}

/**
 * The model that minimises the risk in the ball, from the moments in a tally of these parameters. Where the query leaves
 * the fit open, the loss has a kink, the noise is normal and there are at most 128 coordinates, the better of two models: see `minimizeComparedRisk`.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function fitMoments(parameters: MarginParameters, moments: CorrectedMoments, query: FitQuery): CorrectedRisk {
  const { loss, radius = 1, intercept, seed = parameters.digest } = query;
  if (intercept !== undefined) checkInteger('intercept', intercept, 0, parameters.dimension - 1);
  if (!isOpen(parameters, query)) return minimizeCorrectedRisk(moments, query);
  return minimizeComparedRisk(moments, { loss, radius, intercept, quiet: isQuiet(moments, radius, loss) }, seed);
}

/** The most coordinates of a model of classes: its laws cost p³ each, seconds in all. Beyond, the polynomial stays. */
const MOST_COORDINATES = 128;

function isOpen(parameters: MarginParameters, query: FitQuery): boolean {
  if (parameters.dimension > MOST_COORDINATES) return false;
  const { loss, degree = 'automatic', ridge = 'automatic', coefficients, semidefinite = true } = query;
  const open = degree === 'automatic' && ridge === 'automatic' && coefficients === undefined && semidefinite;
  return open && channelOf(parameters).normalNoise === true && parameters.degree >= 1 && loss.kinks.length > 0;
}
