import { auditVectors } from '../../src/core/audit-vectors.ts';
import type { Auditing, AuditPair } from '../../src/core/auditing.ts';
import { type LogRatio, normalLogRatio, unitLogRatio } from '../../src/core/likelihood.ts';
import { expandKClosest } from '../../src/mechanism/k-closest.ts';
import { fillLift } from '../../src/polynomial/lift.ts';
import type { Random } from '../../src/random/random.ts';
import { fillFeatures } from './blocks.ts';
import type { EuclideanMedianParameters, LiftedParameters } from './parameters.ts';
import type { EuclideanMedianDatum } from './player.ts';
import type { EuclideanMedianReport } from './report.ts';

const { sqrt } = Math;

/** Candidate pairs of points: antipodal, orthogonal, the centre and the edge, and two points anywhere. */
export function pairs(
  { dimension }: EuclideanMedianParameters,
  random: Random,
): readonly AuditPair<EuclideanMedianDatum>[] {
  const { unit, opposite, orthogonal, axis, zero, inside } = auditVectors(dimension, random);
  const [one, two] = inside.map((point) => ({ point: point.slice(0, dimension) }));
  const found: AuditPair<EuclideanMedianDatum>[] = [
    { name: 'antipodal', first: { point: unit }, second: { point: opposite } },
    { name: 'antipodal, on an axis', first: { point: axis[0] }, second: { point: axis[1] } },
  ];
  if (orthogonal !== undefined)
    found.push({ name: 'orthogonal', first: { point: unit }, second: { point: orthogonal } });
  found.push({ name: 'zero and edge', first: { point: zero }, second: { point: unit } });
  found.push({ name: 'random', first: one, second: two });
  return found;
}

// Scratch of the view, overwritten by each.
let expanded = new Float64Array(256);

/** The report as numbers: its values, or the codeword that seed and index stand for. */
export function view(parameters: EuclideanMedianParameters, { values }: EuclideanMedianReport): ArrayLike<number> {
  if (parameters.variant !== 'lifted' || parameters.mechanism.name !== 'k-closest') return values;
  const { mechanism } = parameters;
  if (expanded.length !== mechanism.dimension) expanded = new Float64Array(mechanism.dimension);
  expandKClosest(mechanism, values, expanded);
  return expanded;
}

/** The exact log ratio of the densities of a report under two points. */
export function logLikelihoodRatio(
  parameters: EuclideanMedianParameters,
  pair: AuditPair<EuclideanMedianDatum>,
): (report: EuclideanMedianReport) => number {
  const ratio = ratioOf(parameters, pair.first.point, pair.second.point);
  return ({ values }) => ratio(values);
}

function ratioOf(parameters: EuclideanMedianParameters, first: ArrayLike<number>, second: ArrayLike<number>): LogRatio {
  if (parameters.variant === 'lifted') {
    return unitLogRatio(parameters.mechanism, featuresOf(parameters, first), featuresOf(parameters, second));
  }
  const { dimension, length, sigma } = parameters;
  // One copy for `gaussian`, copy after copy otherwise.
  const copies = (point: ArrayLike<number>): Float64Array =>
    Float64Array.from({ length }, (_, i) => point[i % dimension]);
  const step = parameters.variant === 'gaussian' ? parameters.noise?.step : undefined;
  return normalLogRatio(copies(first), copies(second), new Float64Array(length).fill(sigma), step);
}

/** The features of a point with their padding, a unit vector. */
function featuresOf({ features, scales }: LiftedParameters, point: ArrayLike<number>): Float64Array {
  const { lift, size } = features;
  const powers = new Float64Array(lift.size);
  const unit = new Float64Array(size + 1);
  let squaredNorm = 0;
  for (let i = 0; i < point.length; i++) squaredNorm += point[i] * point[i];
  fillLift(lift, lift.weight, point, powers);
  fillFeatures(features, scales, powers, squaredNorm, unit);
  const squared = unit.reduce((sum, entry) => sum + entry * entry, 0);
  unit[size] = squared < 1 ? sqrt(1 - squared) : 0;
  return unit;
}

/** What an audit may use against a player of the Euclidean median protocol. */
export const auditing: Auditing<EuclideanMedianParameters, EuclideanMedianDatum, EuclideanMedianReport> = {
  pairs,
  view,
  logLikelihoodRatio,
};
