import { auditVectors } from '../../../src/audit/target.ts';
import { channelAuditing } from '../../../src/core/channel.ts';
import type { Auditing, AuditPair } from '../../../src/core/contract.ts';
import type { ValuesReport } from '../../../src/core/frame.ts';
import { fillLift } from '../../../src/polynomial/lift.ts';
import type { Random } from '../../../src/random/random.ts';
import { type MarginDatum, signedRecord } from '../device.ts';
import { channelOf } from './channels.ts';
import type { ChannelParameters } from './parameters.ts';

/** What an audit may use against a player: antipodal, orthogonal, edge and random pairs, and exact density ratios. */
export const marginAuditing: Auditing<ChannelParameters, MarginDatum, ValuesReport> = channelAuditing(channelOf, {
  pairs,
  vectorOf,
});

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

/**
 * The vector that is randomized for a record, as a copy. Of `sampled` these are all powers, although a report carries one
 * of them: each has its own density. Each copy in a report of copies is a noisy copy of (x, y).
 */
function vectorOf(parameters: ChannelParameters, datum: MarginDatum): Float64Array {
  const { dimension, length } = parameters;
  if ('copies' in parameters) {
    return Float64Array.from({ length: dimension + 1 }, (_, i) => (i < dimension ? datum.features[i] : datum.label));
  }
  const signed = signedRecord(parameters, datum);
  if (parameters.variant === 'gaussian' || parameters.variant === 'sphericalLaplace') return signed.slice(0, length);
  const { lift } = parameters;
  const powers = new Float64Array(lift.size);
  fillLift(lift, parameters.variant === 'lifted' ? parameters.weights : lift.weight, signed, powers);
  return powers;
}
