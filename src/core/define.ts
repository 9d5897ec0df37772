import { checkFunctions } from '../check/datum.ts';
import { checkInteger, checkWord, RefusedKind, RefusedValue, ReportError } from '../check/refusal.ts';
import { certificate } from '../privacy/certificate.ts';
import type { Guarantee } from '../privacy/guarantee.ts';
import type { Release } from '../privacy/totals.ts';
import type { Random } from '../random/random.ts';
import { addSums, checkSums, checkTally, type DefinedTally, emptySums } from './channel.ts';
import type {
  Auditing,
  AuditPair,
  Expectation,
  ForecastSetting,
  PlainRequest,
  Player,
  Protocol,
  PublicParameters,
  Theory,
  Wire,
} from './contract.ts';
import { createValues, decodeValues, encodeValues, PRECISIONS, type Precision } from './frame.ts';
import { checkDepth, checkGrade, checkObject, digestOf, type Json, type KnownFields, readWhole } from './request.ts';

/** A report of a defined protocol: numbers as they travel. */
export interface DefinedReport {
  readonly int32: Int32Array;
  readonly uint32: Uint32Array;
  readonly float32: Float32Array;
  readonly float64: Float64Array;
}

/** Parameters of a defined protocol: the result of its `make`, and the digest that binds reports to them. */
export type DefinedParameters<Setting> = Setting & PublicParameters & { readonly request: PlainRequest };

/** Writes one player's randomized report about a datum of the domain into `report`, whose old contents it ignores. */
export type Randomizer<Parameters, Datum, Report> = (
  parameters: Parameters,
  datum: Datum,
  random: Random,
  report: Report,
) => void;

/** The form of a report of a defined protocol; its numbers may depend on what was sent to the player. */
export interface ReportForm<Sent, Values extends Precision> {
  readonly values: Values;
  /** How many numbers there are. */
  length(sent: Sent): number;
  /** Whether players can have sent these numbers; by default all finite numbers are accepted. */
  accepts?(sent: Sent, report: DefinedReport[Values]): boolean;
}

/**
 * What a designer writes for a protocol of any kind. `Asked` is what a player receives, and what its datum, its channel and an
 * attack depend on; `Sent` is what its report and the sums depend on. Of a one-shot protocol both are the parameters.
 */
export interface DefinedParts<Setting, Asked, Sent, Datum, Values extends Precision, Field extends string> {
  /** Name of the protocol: lower-case words with hyphens, at most 64 characters. It travels in every report. */
  readonly name: string;
  /** From 1 to 255. Raise it whenever the same request gives another law or another form of reports. */
  readonly version: number;
  /**
   * What everybody must know, computed from the request alone: plain data (numbers, texts, booleans, lists, objects).
   * All of it is in the digest. Every field that cannot be served is refused by name, and so is a field that `make` does
   * not read. It has no field that parameters, a round or a step have besides: their own would stand in its place.
   */
  make(request: PlainRequest): Setting;
  /**
   * The names of all fields of a request and of a query, where `make` or `estimate` does not always read all of them.
   * Default: a field that is not read is refused.
   */
  readonly fields?: KnownFields;
  /** The name of the variant that a setting is of, where there are several. It is in the digest. Default: `defined`. */
  variant?(setting: Setting): string;
  readonly datum: {
    /** The domain in words, for refusals: `"datum" expected …`. */
    readonly expected: string;
    /** Whether a value of any kind is in the domain. */
    accepts(asked: Asked, value: unknown): value is Datum;
    /** The datum that a device plays for any value; for one of the domain, a copy of it. Total: it throws nothing. */
    clip(asked: Asked, value: unknown): Datum;
  };
  /** What travels; of a stream, besides the number of the step. */
  readonly report: ReportForm<Sent, Values>;
  /**
   * The randomizer by grade. `deployment` is drawn exactly, from whole numbers. If it is the only one, it serves
   * simulations too.
   *
   * Law: the number of words taken does not depend on the datum, and a call that throws takes none. It throws for no
   * datum of the domain.
   */
  readonly channel: {
    readonly deployment?: Randomizer<Asked, Datum, DefinedReport[Values]>;
    readonly simulation?: Randomizer<Asked, Datum, DefinedReport[Values]>;
  };
  /**
   * What a server keeps: named lists of sums, which merge by addition (of a stream in order), and the number of players.
   */
  readonly tally: {
    /** Names of the sums, and their lengths. */
    sums(sent: Sent): { readonly [field in Field]: number };
    /** Adds one report to the sums. */
    add(sent: Sent, sums: { readonly [field in Field]: Float64Array }, report: DefinedReport[Values]): void;
  };
  /** What is claimed about all that one player sends: one report, or in rounds all its reports together. */
  readonly privacy: {
    /** The guarantee of all of it. */
    guarantee(parameters: DefinedParameters<Setting>): Guarantee;
    /** Every release in it; their total must imply the guarantee. */
    releases(parameters: DefinedParameters<Setting>): readonly Release[];
    /** Largest ℓ₂ distance between the vectors that the channel randomizes for two data. */
    neighbourDistance(parameters: DefinedParameters<Setting>): number;
  };
  /** What an audit attacks: pairs of data, the most likely worst pair first, and what is known about the law. */
  readonly audit?: {
    /** Candidate pairs. */
    pairs(asked: Asked, random: Random): readonly AuditPair<Datum>[];
  } & Pick<Auditing<Asked, Datum, DefinedReport[Values]>, 'channel' | 'logLikelihoodRatio'>;
  /** What to expect before collecting; see `Theory.forecast`. */
  forecast?(parameters: DefinedParameters<Setting>, setting: ForecastSetting): Expectation;
}

/** What a designer writes for a one-shot protocol; `defineProtocol` makes the rest. */
export interface Definition<Setting, Datum, Values extends Precision, Field extends string, Estimate, Query>
  extends DefinedParts<Setting, DefinedParameters<Setting>, DefinedParameters<Setting>, Datum, Values, Field> {
  /** What the sums of at least one player say about the population. It does not change them. */
  estimate(parameters: DefinedParameters<Setting>, tally: DefinedTally<Field>, query?: Query): Estimate;
}

/** A whole protocol that was defined. */
export type DefinedProtocol<Setting, Datum, Report, Field extends string, Estimate, Query> = Protocol<
  DefinedParameters<Setting>,
  Datum,
  Report,
  DefinedTally<Field>,
  Estimate,
  Query
> & {
  /** Parameters from plain data. */
  make(request: PlainRequest): DefinedParameters<Setting>;
};

/** The part of a definition that a player's device needs. */
export type PlayerDefinition<Setting, Datum, Values extends Precision> = Pick<
  Definition<Setting, Datum, Values, string, unknown, unknown>,
  'name' | 'version' | 'make' | 'variant' | 'datum' | 'report' | 'channel'
> & { readonly privacy: Pick<Definition<Setting, Datum, Values, string, unknown, unknown>['privacy'], 'guarantee'> };

/** What a device needs of a defined protocol: `deployedPlayer` takes it in the place of the whole. */
export interface DefinedPlayer<Setting, Datum, Report> {
  readonly name: string;
  /** Parameters from plain data, as of the whole protocol. */
  make(request: PlainRequest): DefinedParameters<Setting>;
  readonly player: Player<DefinedParameters<Setting>, Datum, Report>;
  readonly report: Pick<Wire<DefinedParameters<Setting>, Report>, 'encode'>;
  readonly theory: Pick<Theory<DefinedParameters<Setting>>, 'guarantee'>;
}

/**
 * The player alone of {@link defineProtocol}: the same parameters, reports and refusals, without the code of a server.
 * What a designer may get wrong is checked by the whole alone.
 */
export function definePlayer<Setting extends object, Datum, Values extends Precision>(
  definition: PlayerDefinition<Setting, Datum, Values>,
): DefinedPlayer<Setting, Datum, DefinedReport[Values]> {
  type Parameters = DefinedParameters<Setting>;
  type Report = DefinedReport[Values];
  const { name, datum, report, channel, privacy } = definition;
  const { values } = report;

  function randomizeInto(parameters: Parameters, given: Datum, random: Random, target: Report): void {
    const draw = parameters.grade === 'deployment' ? channel.deployment : (channel.simulation ?? channel.deployment);
    if (draw === undefined) throw new RefusedValue('grade', 'one that has a channel', parameters.grade);
    if (!accepted(() => datum.accepts(parameters, given))) {
      throw new RefusedValue(`"datum" expected ${datum.expected}`);
    }
    const length = report.length(parameters);
    if (target.length !== length) throw new RefusedValue('report', `${length} values`, target.length);
    draw(parameters, given, random, target);
  }

  return {
    name,
    make: (request) => parametersOf(definition, request),
    player: {
      randomizeInto,
      randomize(parameters, given, random) {
        const target = createValues(values, report.length(parameters)) as Report;
        randomizeInto(parameters, given, random, target);
        return target;
      },
      clip: (parameters, value) => datum.clip(parameters, value),
    },
    report: { encode: (parameters, sent) => encodeValues(parameters, values, report.length(parameters), sent) },
    theory: { guarantee: privacy.guarantee },
  };
}

/**
 * A whole protocol from a small definition: parameters with digest and request, both randomizers, the framed wire, a
 * tally that refuses tallies of other parameters, certificate and audit. It works with `open`, devices, collectors,
 * `certify`, `verifyCertificate` and `audit` like the protocols of the package.
 *
 * These laws are kept here, and the designer need not think of them. A datum is checked before any coin is taken, and
 * refused in words without its value. Header, length and finiteness of reports are checked. Tallies of other digests
 * are neither added to, merged nor estimated. The laws that the definition must keep are written at its fields, and
 * `ldpkit/testing` tests them.
 *
 * Guarantee: the one stated in `privacy`; nothing here proves it. An audit may refute it.
 * @throws TypeError or RangeError for a name, a version or a channel that cannot be used.
 */
export function defineProtocol<
  Setting extends object,
  Datum,
  Values extends Precision,
  Field extends string,
  Estimate,
  Query = undefined,
>(
  definition: Definition<Setting, Datum, Values, Field, Estimate, Query>,
): DefinedProtocol<Setting, Datum, DefinedReport[Values], Field, Estimate, Query> {
  type Parameters = DefinedParameters<Setting>;
  type Report = DefinedReport[Values];
  checkDefinition(definition as never);
  const { name, fields, report, tally, privacy, audit, forecast } = definition;
  const { values } = report;
  const making: typeof definition =
    fields === undefined ? { ...definition, make: (request) => settingRead(request, definition.make) } : definition;
  const { player, report: sending } = definePlayer<Setting, Datum, Values>(definition);
  return {
    name,
    make(request) {
      checkObject('request', request);
      const parameters = parametersOf(making, request, checkFields);
      checkInteger('report.length', report.length(parameters), 1);
      return parameters;
    },
    ...(fields === undefined ? {} : { fields }),
    player,
    report: {
      ...sending,
      decode(parameters, bytes) {
        const received = decodeValues(parameters, values, report.length(parameters), bytes) as Report;
        if (report.accepts !== undefined && report.accepts(parameters, received) !== true) {
          throw new ReportError('"report" expected values that players of these parameters can send');
        }
        return received;
      },
    },
    server: {
      empty: (parameters) => emptySums(parameters, tally.sums(parameters)),
      add(parameters, kept, received) {
        checkTally('tally', kept, parameters);
        const length = report.length(parameters);
        if (received.length !== length) throw new RefusedValue('report', `${length} values`, received.length);
        tally.add(parameters, kept.sums, received);
        kept.players++;
      },
      merge(parameters, kept, other) {
        checkSums('tally', parameters, kept, tally.sums(parameters));
        checkSums('other', parameters, other, tally.sums(parameters));
        addSums(kept, other);
      },
      estimate(parameters, kept, query) {
        checkSums('tally', parameters, kept, tally.sums(parameters));
        if (kept.players === 0) throw new RefusedValue('tally', 'at least one report', 0);
        if (query === undefined || fields !== undefined) return definition.estimate(parameters, kept, query);
        return readWhole('query', query as object, (asked) => definition.estimate(parameters, kept, asked as Query));
      },
    },
    theory: {
      guarantee: privacy.guarantee,
      certificate: (parameters) =>
        certificate({
          protocol: name,
          variant: parameters.variant,
          releases: privacy.releases(parameters),
          claimed: privacy.guarantee(parameters),
        }),
      neighbourDistance: privacy.neighbourDistance,
      ...(forecast === undefined ? {} : { forecast }),
    },
    ...(audit === undefined ? {} : { auditing: { ...audit, view: (_: Parameters, sent: Report) => sent } }),
  };
}

/** The variant of a defined protocol that names none. */
const VARIANT = 'defined';

const FUNCTIONS = [
  ...['make', 'estimate', 'datum.accepts', 'datum.clip', 'report.length', 'tally.sums', 'tally.add'],
  ...['privacy.guarantee', 'privacy.releases', 'privacy.neighbourDistance'],
];

function checkDefinition(definition: Definition<never, never, Precision, never, never, never>): void {
  const { name, version, channel } = definition;
  if (typeof name !== 'string') throw new RefusedKind('name', 'a text', name);
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 64) {
    throw new RefusedValue('name', 'at most 64 lower-case letters and digits, words joined by hyphens', name);
  }
  checkInteger('version', version, 1, 255);
  checkFunctions(definition, FUNCTIONS);
  checkWord('report.values', definition.report.values, PRECISIONS);
  if (channel?.deployment === undefined && channel?.simulation === undefined) {
    throw new RefusedKind('"channel" expected a randomizer of at least one grade');
  }
}

/** A setting from a request all of whose fields were read; a copy, since what is watched may be part of it. */
function settingRead<Setting extends object>(request: PlainRequest, make: (request: PlainRequest) => Setting): Setting {
  const known = { others: ['grade'], inside: true };
  return readWhole(
    'request',
    request,
    (watched) => {
      const setting = make(watched);
      checkFields(setting);
      return copied(setting) as Setting;
    },
    known,
  );
}

/** Parameters from a request: with the grade, the request and a digest over everything. */
function parametersOf<Setting extends object>(
  {
    name,
    version,
    make,
    variant,
    channel,
  }: Pick<Definition<Setting, never, never, never, never, never>, 'name' | 'version' | 'make' | 'variant' | 'channel'>,
  asked: PlainRequest,
  checkSetting?: (setting: Setting) => void,
): DefinedParameters<Setting> {
  const entries = Object.entries(asked).filter(([, value]) => value !== undefined);
  const request = copied(Object.fromEntries(entries)) as PlainRequest;
  const grade = checkGrade(request.grade as never, name, channel.deployment !== undefined);
  // A copy: later changes of the caller's object do not reach it.
  const setting = make(copied(request) as PlainRequest);
  checkSetting?.(setting);
  const about = { protocol: name, variant: variant?.(setting) ?? VARIANT, version, grade };
  // Fields that are not in the setting may still be read from the request, so reports are bound to them too.
  const bound = Object.entries(request).every(
    ([field, value]) => field === 'grade' || (Object.hasOwn(setting, field) && same(value, setting[field as never])),
  );
  const digest = digestOf({ ...about, setting: setting as unknown as Json, ...(bound ? {} : { request }) });
  return { ...setting, ...about, digest, request };
}

/** A copy of plain data, by the language alone: not every place where a player runs has `structuredClone`. */
function copied(value: unknown, depth: number = 0): unknown {
  if (value === null || typeof value !== 'object') return value;
  checkDepth(depth);
  const inside = (part: unknown): unknown => copied(part, depth + 1);
  if (Array.isArray(value)) return Array.from(value, inside);
  return Object.fromEntries(Object.entries(value).map(([field, part]) => [field, inside(part)]));
}

/** Whether a field of the setting equals the requested one, in any order of its parts. */
const same = (asked: Json, set: Json): boolean => digestOf({ value: asked }) === digestOf({ value: set });

/** What `defineProtocol` itself writes into parameters. */
const RESERVED = ['protocol', 'variant', 'version', 'grade', 'digest', 'request'];

function checkFields(setting: object): void {
  checkObject('make(request)', setting);
  checkPlain('make(request)', setting);
  checkWithout(setting, RESERVED);
}

/** The same setting; refused where it has fields that are written beside its own, in their place. */
export function checkWithout<Setting extends object>(setting: Setting, reserved: readonly string[]): Setting {
  const taken = reserved.find((field) => field in setting);
  if (taken !== undefined) throw new RefusedKind('make', `fields other than ${reserved.join(', ')}`, taken);
  return setting;
}

/** Refuses values that `structuredClone` would not keep, or that would be missing in the digest. */
function checkPlain(where: string, value: unknown, depth: number = 0): void {
  checkDepth(depth);
  if (value === null || ['string', 'boolean'].includes(typeof value)) return;
  if (typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0)) return;
  const kind = typeof value === 'object' ? Object.getPrototypeOf(value) : undefined;
  if (kind !== Object.prototype && kind !== Array.prototype) {
    throw new RefusedKind(where, 'plain data: finite numbers, texts, booleans, null, lists and objects', value);
  }
  for (const [field, part] of Object.entries(value as object)) checkPlain(`${where}.${field}`, part, depth + 1);
}

/** Whether a test of a private value says yes. An error that it throws may contain the value and is not passed on. */
function accepted(test: () => boolean): boolean {
  try {
    return test();
  } catch {
    return false;
  }
}
