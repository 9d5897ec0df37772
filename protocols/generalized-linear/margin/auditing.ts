import { auditVectors } from '../../../src/audit/target.ts';
import { channelAuditing } from '../../../src/core/channel.ts';
import type { Auditing, AuditPair } from '../../../src/core/contract.ts';
import type { ValuesReport } from '../../../src/core/frame.ts';
import { fillLift } from '../../../src/polynomial/lift.ts';
import type { Random } from '../../../src/random/random.ts';
import { type MarginDatum, signedRecord } from '../device.ts';
import { channelOf } from './channels.ts';
import type {
  ChannelParameters,
  GaussianParameters,
  LiftedParameters,
  SampledParameters,
  SphericalParameters,
} from './parameters.ts';

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

/** The vector that each mechanism randomizes. A new mechanism needs one line here, and one in `player.ts`. */
const VECTORS = {
  lifted: liftedVector,
  sampled: allPowers,
  gaussian: signedVector,
  copies: both,
  printed: both,
  sphericalLaplace: signedVector,
} as const;

/** The vector that is randomized for a record, as a copy. */
function vectorOf(parameters: ChannelParameters, datum: MarginDatum): Float64Array {
  const vector: (parameters: never, datum: MarginDatum) => Float64Array = VECTORS[parameters.variant];
  return vector(parameters as never, datum);
}

function liftedVector(parameters: LiftedParameters, datum: MarginDatum): Float64Array {
  const { lift, weights } = parameters;
  const lifted = new Float64Array(lift.size);
  fillLift(lift, weights, signedRecord(parameters, datum), lifted);
  return lifted;
}

/** All powers, although a report carries one of them: each has its own density. */
function allPowers(parameters: SampledParameters, datum: MarginDatum): Float64Array {
  const { lift } = parameters;
  const powers = new Float64Array(lift.size);
  fillLift(lift, lift.weight, signedRecord(parameters, datum), powers);
  return powers;
}

function signedVector(parameters: GaussianParameters | SphericalParameters, datum: MarginDatum): Float64Array {
  return signedRecord(parameters, datum).slice(0, parameters.length);
}

/** (x, y): each copy in a report is a noisy copy of it. */
function both({ dimension }: ChannelParameters, { features, label }: MarginDatum): Float64Array {
  return Float64Array.from({ length: dimension + 1 }, (_, i) => (i < dimension ? features[i] : label));
}
