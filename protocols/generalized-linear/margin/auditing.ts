import { auditVectors } from '../../../src/core/audit-vectors.ts';
import type { Auditing, AuditPair } from '../../../src/core/auditing.ts';
import type { Random } from '../../../src/random/random.ts';
import { type ChannelParameters, channelOf } from './channels.ts';
import type { MarginDatum, MarginReport } from './shape.ts';

function pairs({ dimension }: ChannelParameters, random: Random): readonly AuditPair<MarginDatum>[] {
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

function logLikelihoodRatio(
  parameters: ChannelParameters,
  { first, second }: AuditPair<MarginDatum>,
): (report: MarginReport) => number {
  const ratio = channelOf(parameters).logRatio(first, second);
  return ({ values }) => ratio(values);
}

/**
 * What an audit may use against a player whose report is on a signed record: antipodal, orthogonal, edge and random pairs,
 * and the exact density ratio of every variant.
 */
export const marginAuditing: Auditing<ChannelParameters, MarginDatum, MarginReport> = {
  pairs,
  view: (parameters, { values }) => channelOf(parameters).view(values),
  logLikelihoodRatio,
};
