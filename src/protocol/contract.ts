import type { Certificate } from '../privacy/certificate.ts';
import type { Guarantee } from '../privacy/guarantee.ts';
import type { Random } from '../random/random.ts';
import type { Auditing } from './auditing.ts';
import type { Json } from './digest.ts';
import type { Grade } from './grade.ts';
import type { Influence } from './influence.ts';

/** What parameters are asked for, as plain data that a device, or a certificate, can carry. */
export type PlainRequest = { readonly [name: string]: Json };

/** What every set of public parameters carries, whatever the protocol: who made it, and the digest reports are bound to. */
export interface PublicParameters {
  /** The protocol's folder name, for example `hinge`. */
  readonly protocol: string;
  /** Which maker of parameters produced it, for example `lifted`. */
  readonly maker: string;
  /** Version of the protocol's wire format and law; it changes when either does. */
  readonly version: number;
  /** 32 hexadecimal digits that bind a report to these parameters (see `digestOf`). */
  readonly digest: string;
  /** What the noise is made of; `simulation` where it is absent. */
  readonly grade?: Grade;
  /** What `make` of the protocol makes the same parameters from, where the maker remembers it. */
  readonly request?: PlainRequest;
}

/** The player's side: the only place that sees a datum or a coin. */
export interface Player<Parameters, Datum, Report> {
  /**
   * One player's randomized report.
   *
   * @throws TypeError or RangeError for a datum outside the protocol's domain; the message never contains its value.
   */
  randomize(parameters: Parameters, datum: Datum, random: Random): Report;
  /**
   * The same draw written over a report made before. Simulations of millions of players use it to allocate nothing;
   * it consumes the same coins and gives the same report as `randomize`.
   */
  randomizeInto(parameters: Parameters, datum: Datum, random: Random, report: Report): void;
  /**
   * The datum that a device plays in the place of what it is given: the same in the domain, and otherwise one of the domain by a
   * public rule that the doc comment of the protocol's `clip` states. A copy, which nobody can change while it is read.
   *
   * Law: total. Whatever is given, of any type, something comes back that `randomize` takes; nothing is thrown. A device clips
   * because a refusal would tell of the datum; a simulation does not, since there a datum outside the domain is a mistake.
   */
  clip(parameters: Parameters, datum: unknown): Datum;
}

/** What travels. `decode(encode(report))` is the identity, and decode is the trust boundary: it validates everything. */
export interface Wire<Parameters, Report> {
  /** The report as bytes. */
  encode(parameters: Parameters, report: Report): Uint8Array;
  /**
   * The report in the bytes.
   *
   * @throws ReportError for anything that these parameters cannot have produced.
   */
  decode(parameters: Parameters, bytes: Uint8Array): Report;
}

/**
 * The server's side: a commutative monoid of tallies and an estimate.
 *
 * A tally is the only mutable thing, changed only by `add` and `merge`. Order, place and machine of the additions do not
 * matter beyond the rounding of sums.
 */
export interface Server<Parameters, Report, Tally, Estimate, Query> {
  /** The tally of no reports. */
  empty(parameters: Parameters): Tally;
  /** Adds one report to the tally. */
  add(parameters: Parameters, tally: Tally, report: Report): void;
  /** Adds everything in `other` to the tally; `other` stays as it is. */
  merge(parameters: Parameters, tally: Tally, other: Tally): void;
  /**
   * What the reports say about the population. The query is what is asked *after* collection (a radius, a degree …);
   * without one the protocol's defaults apply.
   *
   * @throws RangeError when the tally holds no reports.
   */
  estimate(parameters: Parameters, tally: Tally, query?: Query): Estimate;
}

/** What a designer says of a collection that is to come; a protocol reads what it needs, and has defaults for the rest. */
export interface ForecastSetting {
  /** n, the number of players. */
  readonly players: number;
}

/** What to expect of a collection that is to come. */
export interface Expectation {
  /** What `error` is, in words, for example `excess risk`, and in which units. */
  readonly what: string;
  /** The population it is for, in words: nothing is known of the real one. */
  readonly assumption: string;
  /** How far off the estimate is to be expected. */
  readonly error: number;
  /** The part of it that no number of players removes. */
  readonly floor: number;
}

/** What is claimed, as functions of the parameters. Protocols add their own lemmas and rates to these three. */
export interface Theory<Parameters> {
  /** The guarantee of one player's whole transcript. */
  guarantee(parameters: Parameters): Guarantee;
  /** Every release of one player's transcript, and the total under every accounting that applies. */
  certificate(parameters: Parameters): Certificate;
  /** Largest ℓ₂ distance between what two neighbouring data make the player randomize (before any noise). */
  neighbourDistance(parameters: Parameters): number;
  /** How far one report that decode accepts can move the tally, whoever made it. */
  influence?(parameters: Parameters): Influence;
  /**
   * What to expect of a collection, without data, at the defaults of the protocol's query.
   *
   * @throws TypeError or RangeError naming the field.
   */
  forecast?(parameters: Parameters, setting: ForecastSetting): Expectation;
}

/**
 * A one-shot protocol: one query, one report per player.
 *
 * Shape: five nouns (parameters, datum, report, tally, estimate) and a sixth type for what may be asked of a tally after
 * collection. A player and a server meet in `Parameters` and `Report` only.
 */
export interface Protocol<Parameters extends PublicParameters, Datum, Report, Tally, Estimate, Query = undefined> {
  /** The protocol's folder name. */
  readonly name: string;
  /** See {@link Player}. */
  readonly player: Player<Parameters, Datum, Report>;
  /** See {@link Wire}. */
  readonly report: Wire<Parameters, Report>;
  /** See {@link Server}. */
  readonly server: Server<Parameters, Report, Tally, Estimate, Query>;
  /** See {@link Theory}. */
  readonly theory: Theory<Parameters>;
  /**
   * Parameters from plain data, the same on every machine: how devices agree on them, and how a certificate is verified.
   *
   * @throws TypeError or RangeError naming the field.
   */
  make?(request: PlainRequest): Parameters;
  /** What an audit of the player may use; see {@link Auditing}. */
  readonly auditing?: Auditing<Parameters, Datum, Report>;
}
