import { checkInteger, RefusedKind, RefusedValue, ReportError } from '../check/refusal.ts';
import type { Lift } from '../polynomial/lift.ts';
import { certificate } from '../privacy/certificate.ts';
import type { Guarantee } from '../privacy/guarantee.ts';
import type { Release } from '../privacy/totals.ts';
import type { Random } from '../random/random.ts';
import type { Auditing, AuditPair, PublicParameters, Server, Theory, Wire } from './contract.ts';
import {
  createValues,
  decodeValues,
  encodeReport,
  precisionOfValues,
  type ReportParameters,
  type Values,
  type ValuesReport,
} from './frame.ts';
import type { ReportLimits } from './influence.ts';
import { checkObject } from './request.ts';

/** log P(values | first)/P(values | second), as a function of the values of a report. */
export type LogRatio = (values: ArrayLike<number>) => number;

/**
 * One mechanism, bound to its public parameters: what a server, a certificate and an audit know of its reports. The draw
 * itself is in a table of the protocol's player: a server never reaches a coin.
 */
export interface Channel {
  readonly guarantee: Guarantee;
  /** What the certificate holds in addition: the requested budget, where it is not the guarantee itself. */
  readonly claimed?: Guarantee;
  /** Largest ℓ₂ distance between two of what the player randomizes. */
  readonly neighbourDistance: number;
  /** Every release of one player's transcript. */
  releases(): readonly Release[];
  /** What an accepted report may contain, and how far it can move a tally. */
  limits(): ReportLimits;
  /** How many moments a tally sums; absent where the tally keeps the reports. */
  readonly moments?: number;
  /** Adds the moments of one report to the sums. */
  add?(values: Values, sums: Float64Array): void;
  /** The numbers that an audit looks at; the next call may overwrite them. Absent where they are the report itself. */
  view?(values: Values): ArrayLike<number>;
  /** Logarithm of the ratio of a report's densities under two vectors; they are given before any padding. */
  logRatio(first: ArrayLike<number>, second: ArrayLike<number>): LogRatio;
}

/** Finds the channel of parameters. */
export type ChannelOf<Parameters> = (parameters: Parameters) => Channel;

/** `make`, called once for each object: later calls with the same object give the same result. */
export function oncePer<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const known = new WeakMap<Key, Made>();
  // The last object is mostly the next one too, and a comparison is faster than a map.
  let last: { readonly key: Key; readonly made: Made } | undefined;
  return (key) => {
    if (last?.key === key) return last.made;
    let made = known.get(key);
    if (made === undefined) {
      made = make(key);
      known.set(key, made);
    }
    last = { key, made };
    return made;
  };
}

/** The channels of a table by variant, each made once for the same parameters, since the search for limits takes long. */
export function channelsBy<Parameters extends PublicParameters, Bound extends Channel>(
  table: {
    readonly [variant in Parameters['variant']]: (parameters: never) => Bound;
  },
): (parameters: Parameters) => Bound {
  return oncePer((parameters) => {
    const made = table[parameters.variant as Parameters['variant']](parameters as never);
    let limits: ReportLimits | undefined;
    return {
      ...made,
      limits() {
        limits ??= made.limits();
        return limits;
      },
    };
  });
}

/** The wire format of reports of numbers. It refuses what the channel produces at most once in 10¹² reports. */
export function channelWire<Parameters extends ReportParameters>(
  channelOf: ChannelOf<Parameters>,
): Wire<Parameters, ValuesReport> {
  return {
    encode: encodeReport,
    decode(parameters, bytes) {
      const values = decodeValues(parameters, parameters.precision, parameters.length, bytes);
      channelOf(parameters).limits().check(values);
      return { values };
    },
  };
}

export function channelTheory<Parameters extends PublicParameters>(
  channelOf: ChannelOf<Parameters>,
): Required<Omit<Theory<Parameters>, 'forecast'>> {
  return {
    guarantee: (parameters) => channelOf(parameters).guarantee,
    certificate(parameters) {
      const { protocol, variant } = parameters;
      const { guarantee, claimed = guarantee, releases } = channelOf(parameters);
      return certificate({ protocol, variant, releases: releases(), claimed });
    },
    neighbourDistance: (parameters) => channelOf(parameters).neighbourDistance,
    influence: (parameters) => channelOf(parameters).limits().influence,
  };
}

/** The tally of a channel with moments: their running sum. Its size does not grow with the number of players. */
export interface MomentTally {
  readonly kind: 'moments';
  /** Digest of the parameters whose reports it takes. */
  readonly digest: string;
  players: number;
  /**
   * The summed moments: of unit vectors without their padding, and of one of several how many carried each; of Gaussian
   * copies their corrected symmetric powers.
   */
  readonly sums: Float64Array;
}

/**
 * The tally of a channel without moments: the reports themselves, because the server evaluates a report at a point w,
 * with a loss, and both are only known later. It grows with the number of players.
 */
export interface ReportTally {
  readonly kind: 'reports';
  /** Digest of the parameters whose reports it takes. */
  readonly digest: string;
  /** Number of reports. */
  players: number;
  /** The reports one after the other, with free space for more at the end. */
  values: Values;
}

/** What a server keeps. */
export type ChannelTally = MomentTally | ReportTally;

/** Refuses a tally without reports, or of reports made under other parameters. */
export function checkFilled(tally: ChannelTally, parameters: PublicParameters): void {
  if (tally.players < 1) throw new RefusedValue('tally.players', 'at least one report', tally.players);
  checkTally('tally', tally, parameters);
}

export function momentTally(tally: ChannelTally): MomentTally {
  if (tally.kind !== 'moments') throw new RefusedKind('tally', 'a tally of moments', tally.kind);
  return tally;
}

/**
 * The moments T_1, T_2, … in a tally of sums of reports whose power j is `scales[j − 1]` times the record's, plus noise
 * of variance `variances[j − 1]` on every entry.
 */
export function scaledMoments(
  lift: Lift,
  scales: readonly number[],
  variances: readonly number[],
): (tally: ChannelTally) => { lift: Lift; values: Float64Array; noise: Float64Array; players: number } {
  return (tally) => {
    const { players, sums } = momentTally(tally);
    const values = new Float64Array(lift.size);
    for (let j = 1; j <= lift.degree; j++) {
      const count = players * scales[j - 1];
      for (let entry = lift.offsets[j - 1]; entry < lift.offsets[j]; entry++) values[entry] = sums[entry] / count;
    }
    const noise = Float64Array.from(scales, (scale, j) => variances[j] / (scale * scale * players));
    return { lift, values, noise, players };
  };
}

export function reportTally(tally: ChannelTally): ReportTally {
  if (tally.kind !== 'reports') throw new RefusedKind('tally', 'a tally of reports', tally.kind);
  return tally;
}

/** Refuses a tally of reports made under other parameters, whatever it holds. */
export function checkTally(name: string, tally: { readonly digest: string }, { digest }: PublicParameters): void {
  if (tally.digest !== digest) {
    throw new RefusedValue(`${name}.digest`, `the digest of these parameters, ${digest}`, tally.digest);
  }
}

/** The reports sorted by their numbers: an estimate does not depend on the order of arrival. `length`: of one report. */
export function canonicalOrder({ length }: { readonly length: number }, tally: ReportTally): Uint32Array {
  const { values, players } = tally;
  const order = Uint32Array.from({ length: players }, (_, i) => i);
  // The first numbers are kept side by side: they almost always decide, and reports are far apart in memory.
  const first = Float64Array.from(order, (i) => values[i * length]);
  return order.sort((a, b) => {
    if (first[a] !== first[b]) return first[a] - first[b];
    for (let i = 1; i < length; i++) {
      const difference = values[a * length + i] - values[b * length + i];
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

export type ChannelTallying<Parameters> = Omit<
  Server<Parameters, ValuesReport, ChannelTally, never, never>,
  'estimate'
>;

/**
 * The tally of every protocol with channels: all of a server except its estimate. `add` refuses another length, since
 * `decode` has checked everything else, and a tally whose noise is corrected in another way.
 */
export function channelTallying<Parameters extends ReportParameters>(
  channelOf: ChannelOf<Parameters>,
): ChannelTallying<Parameters> {
  return {
    empty(parameters) {
      const { digest, precision, length } = parameters;
      const { moments } = channelOf(parameters);
      if (moments !== undefined) return { kind: 'moments', digest, players: 0, sums: new Float64Array(moments) };
      return { kind: 'reports', digest, players: 0, values: createValues(precision, 16 * length) };
    },
    add(parameters, tally, { values }) {
      checkTally('tally', tally, parameters);
      if (values.length !== parameters.length) {
        throw new ReportError(`"report" expected ${parameters.length} values, got ${values.length}`);
      }
      if (tally.kind === 'reports') append(tally, values, parameters.length);
      else channelOf(parameters).add?.(values, tally.sums);
      tally.players++;
    },
    merge(parameters, tally, other) {
      checkTally('tally', tally, parameters);
      checkTally('other', other, parameters);
      if (tally.kind === 'reports' && other.kind === 'reports') {
        append(tally, other.values.slice(0, other.players * parameters.length), parameters.length);
      } else if (tally.kind === 'moments' && other.kind === 'moments') {
        for (let i = 0; i < tally.sums.length; i++) tally.sums[i] += other.sums[i];
      }
      tally.players += other.players;
    },
  };
}

function append(tally: ReportTally, values: Values, length: number): void {
  const used = tally.players * length;
  const needed = used + values.length;
  if (needed > tally.values.length) {
    const grown = createValues(precisionOfValues(tally.values), 2 * needed);
    grown.set(tally.values.subarray(0, used));
    tally.values = grown;
  }
  tally.values.set(values, used);
}

/** What a server of a defined protocol keeps: plain data that survives `structuredClone`. */
export interface DefinedTally<Field extends string> {
  /** Digest of the parameters whose reports it takes. */
  readonly digest: string;
  players: number;
  readonly sums: { readonly [field in Field]: Float64Array };
}

type Lengths<Field extends string> = { readonly [field in Field]: number };

export function emptySums<Field extends string>(
  { digest }: PublicParameters,
  lengths: Lengths<Field>,
): DefinedTally<Field> {
  const sums = {} as { [field in Field]: Float64Array };
  checkObject('tally.sums', lengths);
  for (const field of Object.keys(lengths) as Field[]) {
    sums[field] = new Float64Array(checkInteger(`tally.sums.${field}`, lengths[field], 0));
  }
  return { digest, players: 0, sums };
}

/** Refuses a tally of reports under other parameters, and one of another shape. */
export function checkSums<Field extends string>(
  name: string,
  parameters: PublicParameters,
  tally: DefinedTally<Field>,
  lengths: Lengths<Field>,
): void {
  checkTally(name, tally, parameters);
  for (const field of Object.keys(lengths) as Field[]) {
    const length = tally.sums[field]?.length;
    if (length !== lengths[field]) throw new RefusedValue(`${name}.sums.${field}`, `${lengths[field]} numbers`, length);
  }
}

/** Adds all sums of another tally; the other tally does not change. */
export function addSums<Field extends string>(tally: DefinedTally<Field>, other: DefinedTally<Field>): void {
  tally.players += other.players;
  for (const field of Object.keys(tally.sums) as Field[]) {
    const [ours, theirs]: readonly Float64Array[] = [tally.sums[field], other.sums[field]];
    for (let i = 0; i < ours.length; i++) ours[i] += theirs[i];
  }
}

/** The part of an audit that servers never reach: pairs of data, and the vector that is randomized for a datum. */
export interface PlayerSide<Parameters, Datum> {
  pairs(parameters: Parameters, random: Random): readonly AuditPair<Datum>[];
  /** The vector that the channel of the parameters randomizes, before any padding: a copy. */
  vectorOf(parameters: Parameters, datum: Datum): ArrayLike<number>;
}

/**
 * What an audit may use against a player. Pairs and density ratios are joined here and not in the channel: servers read
 * reports through channels, and must not reach code that reads a datum.
 */
export function channelAuditing<Parameters, Datum>(
  channelOf: ChannelOf<Parameters>,
  { pairs, vectorOf }: PlayerSide<Parameters, Datum>,
): Auditing<Parameters, Datum, ValuesReport> {
  return {
    pairs,
    view: (parameters, { values }) => channelOf(parameters).view?.(values) ?? values,
    logLikelihoodRatio(parameters, { first, second }) {
      const ratio = channelOf(parameters).logRatio(vectorOf(parameters, first), vectorOf(parameters, second));
      return ({ values }) => ratio(values);
    },
  };
}
