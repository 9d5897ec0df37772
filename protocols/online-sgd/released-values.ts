import { ReportError } from '../../src/check/report-error.ts';
import type { FloatValues, Values } from '../../src/core/frame.ts';
import { expandKClosest } from '../../src/mechanism/k-closest.ts';
import type { OnlineModel } from '../../src/risk/regression/model.ts';
import { onlineLimits } from './influence.ts';
import type { GridNoise, UnitNoise } from './noise.ts';
import type { OnlinePlan } from './plan.ts';
import type { OnlineReport } from './report.ts';

// Scratch, kept between calls and overwritten by each.
let scratch = new Float64Array(0);
let expanded = new Float64Array(0);
let packed = new Float64Array(0);

/**
 * What a report stands for, in units of the gradient: the report's own values where they are that, else overwritten by the
 * next call. The Hessian behind it is then in `releasedHessian`.
 *
 * @throws ReportError for another length, a value that is not finite, or what no player of the plan sends (`onlineLimits`).
 */
export function releasedGradient(plan: OnlinePlan, { values }: OnlineReport): FloatValues {
  const { length } = plan;
  if (values.length !== length) throw new ReportError(`"report" expected ${length} values, got ${values.length}`);
  const limits = onlineLimits(plan);
  const { largestSquare } = limits;
  if (largestSquare > 0 && isFloat(values)) {
    // Most streams: one pass, and nothing is copied. NaN and the infinities are beyond the limit too.
    let squared = 0;
    for (let i = 0; i < length; i++) squared += values[i] * values[i];
    if (squared <= largestSquare) return values;
  }
  const { dimension } = plan.model;
  if (scratch.length !== dimension) scratch = new Float64Array(dimension);
  readGradient(plan, values, scratch);
  // A report may come without having been decoded.
  limits.check(values);
  return scratch;
}

/** A copy in doubles; overwritten by the next call, and by the next report. */
export function asDoubles(gradient: FloatValues): Float64Array {
  const { length } = gradient;
  if (scratch.length !== length) scratch = new Float64Array(length);
  for (let i = 0; i < length; i++) scratch[i] = gradient[i];
  return scratch;
}

function isFloat(values: Values): values is FloatValues {
  return values instanceof Float32Array || values instanceof Float64Array;
}

/** Any report, the Hessian behind the gradient too. */
function readGradient(
  { noise, length, gradientLength, model }: OnlinePlan,
  values: Values,
  gradient: Float64Array,
): void {
  let sum = 0;
  if (noise.law === 'unit' || noise.law === 'grid') sum = readUnit(model, noise, values, gradient);
  else {
    for (let i = 0; i < model.dimension; i++) {
      const value = values[i];
      // 0·x is 0 for a finite x and NaN otherwise.
      sum += 0 * value;
      gradient[i] = value;
    }
  }
  if (length > gradientLength) sum += readHessian(gradientLength, values);
  if (sum !== 0) throw new ReportError('"report" expected finite values only');
}

/** Where values stand for a vector of the unit ball; returns 0, or NaN where one of them is not finite. */
function readUnit(
  { dimension, gradientBound }: OnlineModel,
  noise: UnitNoise | GridNoise,
  values: Values,
  gradient: Float64Array,
): number {
  if (noise.law === 'unit' && noise.mechanism.name === 'k-closest') {
    // One more coordinate than the gradient has: the one that completed it to the sphere.
    if (expanded.length !== dimension + 1) expanded = new Float64Array(dimension + 1);
    expandKClosest(noise.mechanism, values, expanded);
    for (let i = 0; i < dimension; i++) gradient[i] = expanded[i] * gradientBound;
    return 0;
  }
  const scale = noise.law === 'grid' ? gradientBound * noise.mechanism.step : gradientBound;
  let sum = 0;
  for (let i = 0; i < dimension; i++) {
    sum += 0 * values[i];
    gradient[i] = scale * values[i];
  }
  return sum;
}

/** The released Hessian of the last report that was read; overwritten by the next. */
export function releasedHessian(): Float64Array {
  return packed;
}

/** The released Hessian, into its scratch; returns 0, or NaN where an entry is not finite. */
function readHessian(from: number, values: Values): number {
  if (packed.length !== values.length - from) packed = new Float64Array(values.length - from);
  let sum = 0;
  for (let i = from; i < values.length; i++) {
    sum += 0 * values[i];
    packed[i - from] = values[i];
  }
  return sum;
}
