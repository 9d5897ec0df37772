import { auditVectors } from '../../../src/core/audit-vectors.ts';
import type { Auditing, AuditPair } from '../../../src/core/auditing.ts';
import { type LogRatio, normalLogRatio, sphericalLogRatio, unitLogRatio } from '../../../src/core/likelihood.ts';
import { expandKClosest } from '../../../src/mechanism/k-closest.ts';
import type { NoisyCopies } from '../../../src/mechanism/noisy-copies.ts';
import { fillLift } from '../../../src/polynomial/lift.ts';
import type { Random } from '../../../src/random/random.ts';
import type { GaussianParameters, LiftedParameters, MarginParameters } from './parameters.ts';
import type { MarginDatum } from './player.ts';
import type { MarginReport } from './report.ts';
import type { SphericalParameters } from './spherical.ts';

const { SQRT1_2, sqrt } = Math;

/** Parameters of every maker of reports on a signed record. */
export type AuditedMarginParameters = MarginParameters | SphericalParameters;

function pairs({ dimension }: AuditedMarginParameters, random: Random): readonly AuditPair<MarginDatum>[] {
  const { unit, opposite, orthogonal, axis, zero, inside } = auditVectors(dimension, random);
  const record = (features: Float64Array, label: number): MarginDatum => ({ features, label });
  const [one, two] = inside.map((point) => record(point.slice(0, dimension), point[dimension]));
  const found: AuditPair<MarginDatum>[] = [
    { name: 'antipodal labels', first: record(unit, 1), second: record(unit, -1) },
    { name: 'antipodal labels, on an axis', first: record(axis[0], 1), second: record(axis[0], -1) },
    { name: 'antipodal records', first: record(unit, 1), second: record(opposite, -1) },
    { name: 'antipodal features', first: record(unit, 1), second: record(opposite, 1) },
  ];
  if (orthogonal !== undefined)
    found.push({ name: 'orthogonal', first: record(unit, 1), second: record(orthogonal, 1) });
  found.push({ name: 'zero and edge', first: record(zero, 0), second: record(unit, 1) });
  found.push({ name: 'random', first: one, second: two });
  return found;
}

// Scratch of the view, overwritten by each.
let expanded = new Float64Array(256);

function view(parameters: AuditedMarginParameters, { values }: MarginReport): ArrayLike<number> {
  if (parameters.maker !== 'lifted' || parameters.mechanism.name !== 'k-closest') return values;
  // The seed is public and says nothing; with the index it is a codeword.
  const { mechanism } = parameters;
  if (expanded.length !== mechanism.dimension) expanded = new Float64Array(mechanism.dimension);
  expandKClosest(mechanism, values, expanded);
  return expanded;
}

function logLikelihoodRatio(
  parameters: AuditedMarginParameters,
  { first, second }: AuditPair<MarginDatum>,
): (report: MarginReport) => number {
  const ratio = ratioOf(parameters, first, second);
  return ({ values }) => ratio(values);
}

function ratioOf(parameters: AuditedMarginParameters, first: MarginDatum, second: MarginDatum): LogRatio {
  if (parameters.maker === 'lifted') {
    return unitLogRatio(parameters.mechanism, liftedUnit(parameters, first), liftedUnit(parameters, second));
  }
  if (parameters.maker === 'gaussian') {
    const { sigma, length, noise } = parameters;
    const deviations = new Float64Array(length).fill(sigma);
    return normalLogRatio(recordOf(parameters, first), recordOf(parameters, second), deviations, noise?.step);
  }
  if (parameters.maker === 'sphericalLaplace') {
    return sphericalLogRatio(parameters.mechanism, signed(first), signed(second));
  }
  const { copies } = parameters;
  return normalLogRatio(copiesOf(copies, first), copiesOf(copies, second), deviationsOf(copies));
}

const signed = ({ features, label }: MarginDatum): Float64Array =>
  Float64Array.from(features, (entry) => label * entry);

/** y·x, or (x, y)/√2 for a regression. */
function recordOf({ task }: LiftedParameters | GaussianParameters, datum: MarginDatum): Float64Array {
  if (task !== 'regression') return signed(datum);
  return Float64Array.from([...Array.from(datum.features), datum.label], (entry) => SQRT1_2 * entry);
}

/** The lifted vector with its padding, a unit vector. */
function liftedUnit(parameters: LiftedParameters, datum: MarginDatum): Float64Array {
  const { lift, weights } = parameters;
  const unit = new Float64Array(lift.size + 1);
  fillLift(lift, weights, recordOf(parameters, datum), unit);
  const squared = unit.reduce((sum, entry) => sum + entry * entry, 0);
  unit[lift.size] = squared < 1 ? sqrt(1 - squared) : 0;
  return unit;
}

function copiesOf({ further }: NoisyCopies, { features, label }: MarginDatum): Float64Array {
  const copy = [...Array.from(features), label];
  return Float64Array.from(Array.from({ length: further + 1 }, () => copy).flat());
}

function deviationsOf({ dimension, further, firstNoise, furtherNoise }: NoisyCopies): Float64Array {
  const deviations = Array.from({ length: further + 1 }, (_, copy) => {
    const { features, label } = copy === 0 ? firstNoise : furtherNoise;
    return [...new Array<number>(dimension).fill(features), label];
  });
  return Float64Array.from(deviations.flat());
}

/**
 * What an audit may use against a player whose report is on a signed record: antipodal, orthogonal, edge and random pairs,
 * and the exact density ratio of every maker.
 */
export const marginAuditing: Auditing<AuditedMarginParameters, MarginDatum, MarginReport> = {
  pairs,
  view,
  logLikelihoodRatio,
};
