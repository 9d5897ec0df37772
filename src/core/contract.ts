import type { Certificate } from '../privacy/certificate.ts';
import type { Guarantee } from '../privacy/guarantee.ts';
import type { Random } from '../random/random.ts';
import type { Auditing } from './auditing.ts';
import type { Json } from './digest.ts';
import type { Grade } from './grade.ts';
import type { Influence } from './influence.ts';

/** What parameters are asked for, as plain data that a device, or a certificate, can carry. */
export type PlainRequest = { readonly [name: string]: Json };

/**
 * What every set of public parameters carries, whatever the protocol: who made it, and the digest reports are bound to.
 *
 * Law: plain data. What `structuredClone` makes of them does everything that they do, to the same bits: no function, no class, nothing
 * that is remembered about the object itself. The same request gives the same parameters, and any other request another digest.
 */
export interface PublicParameters {
  /** The protocol's folder name, for example `hinge`. */
  readonly protocol: string;
  /** Which variant of parameters produced it, for example `lifted`. */
  readonly variant: string;
  /** Version of the protocol's wire format and law; it changes when either does. */
  readonly version: number;
  /** 32 hexadecimal digits that bind a report to these parameters (see `digestOf`). */
  readonly digest: string;
  /** What the noise is made of; `simulation` where it is absent. */
  readonly grade?: Grade;
  /** What `make` of the protocol makes the same parameters from, where the variant remembers it. */
  readonly request?: PlainRequest;
}

/**
 * The player's side: the only place that sees a datum or a coin.
 *
 * Law: coins come from `random` alone: the same coins give the same report, whatever was asked before. How many words are taken does
 * not depend on the datum. Datum and parameters stay as they are. What is kept between calls of a datum or its noise is scratch
 * (`createScratch`), which a device wipes after each report.
 */
export interface Player<Parameters, Datum, Report> {
  /**
   * One player's randomized report. What cannot be a datum is refused before any coin is taken, so that a refusal leaves the coins
   * as they were.
   *
   * @throws TypeError or RangeError for a datum outside the protocol's domain, in the form `"name" expected …`; neither message nor
   * cause ever contains its value.
   */
  randomize(parameters: Parameters, datum: Datum, random: Random): Report;
  /**
   * The same draw written over a report made before. Simulations of millions of players use it to allocate nothing;
   * it consumes the same coins and gives the same report as `randomize`, whatever the earlier report was.
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

/**
 * What travels. `decode(encode(report))` is the identity, and decode is the trust boundary: it validates everything.
 *
 * Law: a report has one encoding, and bytes that decode encode to themselves. What is cut short, goes on too long, holds a number that
 * is not finite, or was made under another digest, version or protocol is refused. A decoded report shares no memory with the bytes,
 * which may be part of a larger buffer. See `encodeValues` and `decodeValues`, which keep all of this for reports of numbers.
 */
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
 *
 * Law: a tally is plain data: one that was sent to another machine by `structuredClone` is the same tally. It carries the digest of its
 * parameters; one of another digest is neither merged nor estimated, and what is refused changes nothing.
 */
export interface Server<Parameters, Report, Tally, Estimate, Query> {
  /** The tally of no reports. */
  empty(parameters: Parameters): Tally;
  /** Adds one report to the tally: each counts, equal ones too. The report stays as it is, and none of its memory is kept. */
  add(parameters: Parameters, tally: Tally, report: Report): void;
  /**
   * Adds everything in `other` to the tally; `other` stays as it is, and shares no memory with the tally afterwards.
   *
   * @throws RangeError for a tally of other parameters; both stay as they are.
   */
  merge(parameters: Parameters, tally: Tally, other: Tally): void;
  /**
   * What the reports say about the population. The query is what is asked *after* collection (a radius, a degree …);
   * without one the protocol's defaults apply. A function of the tally, which it leaves as it is; one report is enough.
   *
   * @throws RangeError when the tally holds no reports, or those of other parameters.
   */
  estimate(parameters: Parameters, tally: Tally, query?: Query): Estimate;
}

/** What a designer says of a collection that is to come; a protocol reads what it needs, and has defaults for the rest. */
export interface ForecastSetting {
  /** n, the number of players. */
  readonly players: number;
  /** s > 0: standard deviation of a sample of a mean, or of a response around its model, in their units. */
  readonly spread?: number;
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
  /** The guarantee of one player's whole transcript; a total of the certificate implies it. */
  guarantee(parameters: Parameters): Guarantee;
  /** Every release of one player's transcript, and the total under every accounting that applies; it survives JSON. */
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
   * Parameters from plain data, the same on every machine: how devices agree on them, and how a certificate is verified. A device
   * plays only what this made of the request that was agreed, in the grade `deployment`.
   *
   * @throws TypeError or RangeError naming the field.
   */
  make?(request: PlainRequest): Parameters;
  /** What an audit of the player may use; see {@link Auditing}. */
  readonly auditing?: Auditing<Parameters, Datum, Report>;
}
