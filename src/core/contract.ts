import type { Certificate } from '../privacy/certificate.ts';
import type { Guarantee } from '../privacy/guarantee.ts';
import type { Random } from '../random/random.ts';
import type { SeededRandom } from '../random/seeded.ts';
import type { Influence } from './influence.ts';
import type { Grade, Json, KnownFields } from './request.ts';

/** The request for parameters, as plain data that a device or a certificate can carry. */
export type PlainRequest = { readonly [name: string]: Json };

/**
 * The fields that public parameters of every protocol carry: who made them, and the digest that reports are bound to.
 *
 * Law: plain data. A copy by `structuredClone` does everything that the original does, to the same bits: parameters
 * hold no function and no class, and nothing is remembered about the object itself. The same request gives the same
 * parameters; any other request gives another digest.
 */
export interface PublicParameters {
  /** The protocol's folder name, for example `hinge`. */
  readonly protocol: string;
  /** Which variant of parameters it is, for example `lifted`. */
  readonly variant: string;
  /** Version of the protocol's wire format and law; it changes when either does. */
  readonly version: number;
  /** 32 hexadecimal digits that bind a report to these parameters (see `digestOf`). */
  readonly digest: string;
  /** What the noise is made of; `simulation` where it is absent. */
  readonly grade?: Grade;
  /** The request from which `make` of the protocol makes the same parameters, where the variant remembers it. */
  readonly request?: PlainRequest;
}

/**
 * The player's side: the only place that sees a datum or a coin.
 *
 * Law: coins come from `random` alone: the same coins give the same report, whatever calls came before. The number of
 * words taken does not depend on the datum. Datum and parameters do not change. Whatever is kept of a datum or its
 * noise between calls is in scratch arrays (`createScratch`), which a device wipes after each report.
 */
export interface Player<Parameters, Datum, Report> {
  /**
   * One player's randomized report. A value that cannot be a datum is refused before any coin is taken, so a refusal
   * leaves the coins unchanged.
   * @throws TypeError or RangeError for a datum outside the protocol's domain, in the form `"name" expected …`; neither
   * the message nor the cause ever contains its value.
   */
  randomize(parameters: Parameters, datum: Datum, random: Random): Report;
  /**
   * The same draw written over a report made before. Simulations of millions of players use it to allocate nothing. It
   * takes the same coins and gives the same report as `randomize`, whatever the earlier report was.
   */
  randomizeInto(parameters: Parameters, datum: Datum, random: Random, report: Report): void;
  /**
   * The datum that a device plays instead of the value it is given. A value in the domain stays the same; any other
   * becomes a datum of the domain by a public rule, which the doc comment of the protocol's `clip` states. It is a
   * copy, which nobody can change while it is read.
   *
   * Law: total. For any value of any type it returns a datum that `randomize` takes, the same for the same value; it
   * throws nothing of its own. Where reading the value throws, as a getter may, a device plays `undefined` in its place.
   * A device clips because a refusal would tell something about the datum. A simulation does not clip, since there a datum outside the
   * domain is a mistake.
   */
  clip(parameters: Parameters, datum: unknown): Datum;
}

/**
 * What travels. `decode(encode(report))` is the identity, and decode is the trust boundary: it validates everything.
 *
 * Law: a report has one encoding, and bytes that decode encode to themselves. Bytes are refused if they are too short
 * or too long, hold a number that is not finite, or were made under another digest, version or protocol. A decoded
 * report shares no memory with the bytes, which may be part of a larger buffer. `defineProtocol` keeps
 * this law for reports of numbers.
 */
export interface Wire<Parameters, Report> {
  /** The report as bytes. */
  encode(parameters: Parameters, report: Report): Uint8Array;
  /**
   * The report in the bytes.
   * @throws ReportError for anything that these parameters cannot have produced.
   */
  decode(parameters: Parameters, bytes: Uint8Array): Report;
}

/**
 * The server's side: a commutative monoid of tallies and an estimate.
 *
 * A tally is the only mutable thing, changed only by `add` and `merge`. The order, place and machine of the additions
 * do not matter, except for the rounding of sums.
 *
 * Law: a tally is plain data: a copy that `structuredClone` sends to another machine is the same tally. It carries the
 * digest of its parameters. A tally of another digest is neither added to, merged nor estimated, and a refusal changes
 * nothing.
 */
export interface Server<Parameters, Report, Tally, Estimate, Query> {
  /** The tally of no reports. */
  empty(parameters: Parameters): Tally;
  /** Adds one report; equal reports each count. The report does not change, and none of its memory is kept. */
  add(parameters: Parameters, tally: Tally, report: Report): void;
  /**
   * Adds everything in `other` to the tally. `other` does not change, and shares no memory with the tally afterwards.
   * @throws RangeError for a tally of other parameters; then neither tally changes.
   */
  merge(parameters: Parameters, tally: Tally, other: Tally): void;
  /**
   * What the reports say about the population. The query is chosen *after* collection (a radius, a degree …); without a
   * query the protocol's defaults apply. The estimate is computed from the tally, which it does not change; one report
   * is enough.
   * @throws RangeError when the tally holds no reports, or those of other parameters.
   */
  estimate(parameters: Parameters, tally: Tally, query?: Query): Estimate;
}

/** What a designer says about a planned collection. A protocol reads what it needs, and has defaults for the rest. */
export interface ForecastSetting {
  readonly players: number;
  /** s > 0: standard deviation of a sample of a mean, or of a response around its model, in their units. */
  readonly spread?: number;
}

/** What to expect of a planned collection. */
export interface Expectation {
  /** What `error` is, in words, for example `excess risk`, and in which units. */
  readonly what: string;
  /** The assumed population, in words: nothing is known about the real one. */
  readonly assumption: string;
  /** The expected error of the estimate: what `what` says. `ldpkit run` of a `trial` sets it beside the root mean square error of one number. */
  readonly error: number;
  /** The part of the error that no number of players removes. */
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
   * @throws TypeError or RangeError naming the field.
   */
  forecast?(parameters: Parameters, setting: ForecastSetting): Expectation;
}

/** Consecutive players of a simulation, and what each of them holds. */
export interface PlayedBlock<Datum> {
  readonly from: number;
  /** One past the last player. */
  readonly to: number;
  /** The datum of one player; it is valid until the next call. */
  datum(index: number): Datum;
  /** The stream of coins of one player; by default its number. */
  stream?(index: number): number;
  /** The player and the `add` that would play one after the other: a protocol made from another one may have its own. */
  readonly player: unknown;
  readonly add: unknown;
}

/** What protocols of every kind have: `Parameters` are agreed first, and a player is `Asked` for one report at a time. */
export interface Agreed<Parameters extends PublicParameters, Asked, Datum, Report> {
  readonly name: string;
  /** What is claimed about one player's whole transcript; see {@link Theory}. */
  readonly theory: Theory<Parameters>;
  /**
   * Parameters from plain data, the same on every machine: how devices agree on them, and how a certificate is
   * verified. A device plays only the parameters that this makes from the agreed request, in the grade `deployment`.
   * @throws TypeError or RangeError naming the field.
   */
  make?(request: PlainRequest): Parameters;
  /** The names of all fields of a request and of a query; `open` and its collectors refuse any other. */
  readonly fields?: KnownFields;
  /** What an audit of the player of a report may use; see {@link Auditing}. */
  readonly auditing?: Auditing<Asked, Datum, Report>;
}

/**
 * A one-shot protocol: one query, one report per player.
 *
 * Shape: five nouns (parameters, datum, report, tally, estimate) and a sixth type for the query to a tally after
 * collection. A player and a server meet in `Parameters` and `Report` only.
 */
export interface Protocol<Parameters extends PublicParameters, Datum, Report, Tally, Estimate, Query = undefined>
  extends Agreed<Parameters, Parameters, Datum, Report> {
  /** See {@link Player}. */
  readonly player: Player<Parameters, Datum, Report>;
  /** See {@link Wire}. */
  readonly report: Wire<Parameters, Report>;
  /** See {@link Server}. */
  readonly server: Server<Parameters, Report, Tally, Estimate, Query>;
  /**
   * A faster way to play the players of a simulation: adds their reports to a tally. Returns false, and does nothing, where
   * these parameters, or this player and `add`, are played one player after the other. Absent where all are.
   *
   * Law: bit for bit the tally of one player after the other, in order, by `randomizeInto` and `add`, where player i takes
   * the coins of `seek(i)` of the source.
   * @throws what the player refuses of the first datum outside the domain; the tally is then of no use.
   */
  simulate?(parameters: Parameters, tally: Tally, players: PlayedBlock<Datum>, random: SeededRandom): boolean;
}

/** Two data of one player that an audit tries to tell apart by the report. */
export interface AuditPair<Datum> {
  /** How the pair was made, for example `antipodal`. It contains no value of a datum. */
  readonly name: string;
  readonly first: Datum;
  readonly second: Datum;
}

/**
 * The information that a protocol gives to an attacker of its player. All of it is public knowledge: candidate pairs,
 * the report as numbers, and the densities where they are known. A protocol without these can still be audited with a
 * pair and a view from the caller.
 */
export interface Auditing<Parameters, Datum, Report> {
  /** Candidate pairs, the most likely worst one first: antipodal, orthogonal, boundary (zero, edge) and random ones. */
  pairs(parameters: Parameters, random: Random): readonly AuditPair<Datum>[];
  /** The whole report as numbers, for a score that is learned. */
  view(parameters: Parameters, report: Report): ArrayLike<number>;
  /**
   * log P(report | first)/P(report | second) for a pair, as a function of the report; infinities are allowed. Absent
   * where no closed form is known, undefined for parameters without one.
   */
  logLikelihoodRatio?(parameters: Parameters, pair: AuditPair<Datum>): ((report: Report) => number) | undefined;
  /**
   * The probabilities of all outputs of a finite channel at a datum, in one order for every datum; undefined for
   * parameters that have infinitely many reports.
   */
  channel?(parameters: Parameters, datum: Datum): ArrayLike<number> | undefined;
}
