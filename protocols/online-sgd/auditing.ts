import type { Auditing, AuditPair } from '../../src/core/auditing.ts';
import { auditVectors } from '../../src/core/auditing.ts';
import { type LogRatio, normalLogRatio, unitLogRatio } from '../../src/core/likelihood.ts';
import { expandKClosest } from '../../src/mechanism/k-closest.ts';
import type { Random } from '../../src/random/random.ts';
import { fillGradient, fillHessianFactor } from '../../src/risk/regression/gradient.ts';
import type { OnlineModel } from '../../src/risk/regression/model.ts';
import type { OnlineDatum } from '../../src/risk/regression/record.ts';
import { muAt } from './budgets.ts';
import type { OnlineStep } from './plan.ts';
import type { OnlineReport } from './report.ts';

const { abs, SQRT2, sqrt } = Math;

/** A response so far away that every bounded score is at its end. */
const FAR = 1e6;

/** The two responses whose scores lie furthest apart. */
function ends({ responses, dimension, width }: OnlineModel): readonly [number, number] {
  switch (responses) {
    case 'number':
      return [FAR, -FAR];
    case 'binary':
      return [0, 1];
    case 'sign':
      return [-1, 1];
    case 'class':
      return [1, dimension / width > 1 ? 2 : 0];
  }
}

/** Candidate pairs: opposite gradients of the largest norm, orthogonal ones, records far away, and two anywhere. */
export function onlinePairs({ plan }: OnlineStep, random: Random): readonly AuditPair<OnlineDatum>[] {
  const { model } = plan;
  const { unit, opposite, orthogonal, axis, zero, inside } = auditVectors(model.features, random);
  const [high, low] = ends(model);
  // With an intercept the whole record has the norm √2 where its features have the norm 1.
  const size = model.intercept ? 1 : SQRT2;
  const record = (vector: ArrayLike<number>, response: number, scale: number = size): OnlineDatum => ({
    features: Float64Array.from({ length: model.features }, (_, i) => scale * vector[i]),
    response,
  });
  const found: AuditPair<OnlineDatum>[] = [
    { name: 'antipodal', first: record(unit, high), second: record(unit, low) },
    { name: 'antipodal, on an axis', first: record(axis[0], high), second: record(axis[0], low) },
  ];
  if (orthogonal !== undefined) {
    found.push({ name: 'orthogonal', first: record(unit, high), second: record(orthogonal, high) });
  }
  // For scores whose two ends have different sizes: the larger one twice.
  found.push({ name: 'mirrored, high', first: record(unit, high), second: record(opposite, high) });
  found.push({ name: 'mirrored, low', first: record(unit, low), second: record(opposite, low) });
  found.push({ name: 'zero and edge', first: record(zero, high), second: record(unit, low) });
  found.push({ name: 'far and near', first: record(unit, high, FAR), second: record(unit, low, 1 / FAR) });
  found.push({ name: 'random', first: record(inside[0], high, 3), second: record(inside[1], low, 3) });
  return found;
}

// Scratch of the view, overwritten by each.
let expanded = new Float64Array(0);

/** The report as numbers: its values, or the codeword that seed and index stand for. */
export function onlineView({ plan }: OnlineStep, { values }: OnlineReport): ArrayLike<number> {
  const { noise } = plan;
  if (noise.law !== 'unit' || noise.mechanism.name !== 'k-closest') return values;
  if (expanded.length !== noise.mechanism.dimension) expanded = new Float64Array(noise.mechanism.dimension);
  expandKClosest(noise.mechanism, values, expanded);
  return expanded;
}

/** The exact log ratio of the densities of a report under two records; undefined without noise, where it is no number. */
export function onlineLogRatio(
  step: OnlineStep,
  pair: AuditPair<OnlineDatum>,
): ((report: OnlineReport) => number) | undefined {
  const first = meansOf(step, pair.first);
  const second = meansOf(step, pair.second);
  const ratio = ratioOf(step, first, second);
  if (ratio === undefined) return undefined;
  return ({ values }) => ratio(values);
}

function ratioOf({ plan, place }: OnlineStep, first: Float64Array, second: Float64Array): LogRatio | undefined {
  const { noise, model, hessian, length, gradientLength } = plan;
  switch (noise.law) {
    case 'none':
      return undefined;
    case 'unit':
      return unitLogRatio(noise.mechanism, first, second);
    case 'laplace':
      return (values) => {
        let sum = 0;
        for (let i = 0; i < length; i++) sum += abs(values[i] - second[i]) - abs(values[i] - first[i]);
        return sum / noise.scale;
      };
    case 'grid': {
      const { deviation, step } = noise.mechanism;
      return normalLogRatio(first, second, new Float64Array(length).fill(deviation), step);
    }
    case 'gaussian': {
      const sigma = noise.budgets === undefined ? noise.sigma : model.sensitivity / muAt(noise.budgets, place);
      const deviations = Float64Array.from({ length }, (_, i) =>
        i < gradientLength || hessian === undefined ? sigma : hessian.mechanism.sigma,
      );
      return normalLogRatio(first, second, deviations);
    }
  }
}

/** What a report of this record is noise around: the gradient, in the units of the report, and the Hessian. */
function meansOf({ plan, iterate }: OnlineStep, datum: OnlineDatum): Float64Array {
  const { model, noise, length, gradientLength } = plan;
  const { dimension, gradientBound } = model;
  const gradient = new Float64Array(dimension);
  fillGradient(model, iterate, datum, gradient);
  const inBall = noise.law === 'unit' || noise.law === 'grid';
  if (inBall) for (let i = 0; i < dimension; i++) gradient[i] /= gradientBound;
  if (noise.law === 'unit') {
    const squared = gradient.reduce((sum, entry) => sum + entry * entry, 0);
    return Float64Array.of(...gradient, squared < 1 ? sqrt(1 - squared) : 0);
  }
  const means = new Float64Array(length);
  means.set(gradient);
  if (length > gradientLength && model.form === 'index') {
    fillHessianFactor(model, iterate, datum, gradient);
    for (let i = 0, k = gradientLength; i < dimension; i++) {
      for (let j = 0; j <= i; j++) means[k++] = gradient[i] * gradient[j];
    }
  }
  return means;
}

/** What an audit may use against the player of a step. */
export const onlineAuditing: Auditing<OnlineStep, OnlineDatum, OnlineReport> = {
  pairs: onlinePairs,
  view: onlineView,
  logLikelihoodRatio: onlineLogRatio,
};
