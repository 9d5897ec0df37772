import { checkInteger, checkPositive, checkWord, RefusedKind } from '../check/refusal.ts';
import { describeGuarantee } from '../privacy/guarantee.ts';
import type { Random } from '../random/random.ts';
import { type CertificateDocument, certify, makerOf } from './certify.ts';
import {
  type Collector,
  createCollector,
  createSequentialCollector,
  type SequentialCollector,
  type SequentialCollectorOptions,
} from './collector.ts';
import type { Expectation, ForecastSetting, PlainRequest, Protocol, PublicParameters } from './contract.ts';
import {
  type Answers,
  agreedParameters,
  type DeviceOptions,
  oneShotDevice,
  roundsDevice,
  secretAnswers,
  streamDevice,
} from './device.ts';
import type { CollectorOptions } from './door.ts';
import type { RoundParameters, RoundsProtocol, SequentialProtocol, SequentialStep } from './interactive.ts';
import { type Cap, createLedger, guaranteeCap, type Ledger, memoryStore } from './ledger.ts';
import { checkKnown, checkObject, checkQuery, namesOf } from './request.ts';
import { createRoundsCollector, type RoundsCollector, type RoundsCollectorOptions } from './rounds-collector.ts';

/** Settings of a survey's device. Without options it answers once, and forgets when the program ends. */
export interface SurveyDeviceOptions extends Omit<DeviceOptions, 'ledger'> {
  /** The ledger of the data. Default: a new one in memory. */
  readonly ledger?: Ledger;
  /** How much the new ledger allows; only where no `ledger` is given. Default: the guarantee of one survey. */
  readonly cap?: Cap;
  /** Coins for a repeatable study; they protect nobody. Default: the secure source; a simulation must be given coins. */
  readonly random?: Random;
}

/** A player of a survey. */
export interface SurveyDevice<Asked extends readonly unknown[]> {
  /**
   * The bytes of one report about a datum, in the received round or step, where there is one.
   * @throws as `report` of `DeployedPlayer` and `DeployedRoundsPlayer`; where coins are given, the error of the player
   * for a refused datum.
   */
  report(...asked: Asked): Uint8Array;
}

/** What all kinds of surveys have in common. */
export interface Survey<Parameters extends PublicParameters> {
  readonly parameters: Parameters;
  /** What one player's whole transcript guarantees: see `certify`. */
  certificate(): CertificateDocument;
  /**
   * What to expect before there are any data: see `Theory.forecast`.
   * @throws TypeError for a protocol without a forecast, and whatever the protocol throws.
   */
  forecast(setting: ForecastSetting): Expectation;
  /** The survey in plain words: who sends what, what that guarantees, and what it rests on. One sentence per line. */
  summary(): string;
}

/** A collector that can give an estimate. */
export interface SurveyCollector<Tally, Estimate, Query> extends Omit<Collector<Tally>, 'merge'> {
  /** The underlying collector, as `createCollector` made it. */
  readonly collector: Collector<Tally>;
  /** As `merge` of `Collector`. */
  merge(other: SurveyCollector<Tally, Estimate, Query>): void;
  /**
   * What the counted reports say about the population.
   * @throws RangeError when none was counted, and whatever the protocol throws.
   */
  estimate(query?: Query): Estimate;
}

/** A survey of a one-shot protocol: one query, one report per player. */
export interface OneShotSurvey<Parameters extends PublicParameters, Datum, Tally, Estimate, Query>
  extends Survey<Parameters> {
  /** A player. It answers once; see `deployedPlayer`. */
  device(options?: SurveyDeviceOptions): SurveyDevice<[datum: Datum]>;
  /** A server's front door; see `createCollector`. */
  collector(options?: CollectorOptions): SurveyCollector<Tally, Estimate, Query>;
}

/** A survey in rounds: `collector().round` is what players receive now, and `close()` goes on to the next round. */
export interface RoundsSurvey<Plan extends PublicParameters, Round, Datum, Tally, Estimate, Query>
  extends Survey<Plan> {
  /** A player. It answers as many rounds as the plan counts, each once; see `deployedRoundsPlayer`. */
  device(options?: SurveyDeviceOptions): SurveyDevice<[round: Round, datum: Datum]>;
  /** A server's front door; see `createRoundsCollector`. */
  collector(options?: RoundsCollectorOptions<Tally>): RoundsCollector<Round, Tally, Estimate, Query>;
}

/** A collector of a stream that can give an estimate at any moment. */
export interface StreamCollector<Step, State, Estimate, Query> extends SequentialCollector<Step, State> {
  /**
   * What the reports so far say about the population.
   * @throws RangeError when there are too few reports for the query.
   */
  estimate(query?: Query): Estimate;
}

/** A survey of a stream: `collector().step()` is what the next player receives. */
export interface StreamSurvey<Plan extends PublicParameters, Step, Datum, State, Estimate, Query> extends Survey<Plan> {
  /** A player. It answers one step, once; see `deployedSequentialPlayer`. */
  device(options?: SurveyDeviceOptions): SurveyDevice<[step: Step, datum: Datum]>;
  /** A server's front door, from the start or from a saved state; see `createSequentialCollector`. */
  collector(options?: SequentialCollectorOptions<State>): StreamCollector<Step, State, Estimate, Query>;
}

/**
 * A survey: all work with a protocol under one request, without naming protocol and parameters again. It is for the
 * server's side, and for prototypes with players, server and theory in one program. A device imports `deployedPlayer`
 * and the small part of the protocol that it needs.
 *
 * The grade is `deployment` where the request names none: exact noise, whole numbers on the wire. `grade: 'simulation'`
 * is for studies, and for variants that have no other grade; devices are then given their coins.
 *
 * Guarantee: that of the parameters, for each device; see `certificate()` and `summary()`.
 * @throws TypeError or RangeError naming the field of the request; TypeError for a protocol that cannot make parameters
 * from a request.
 *
 * @example
 * ```ts
 * import { open } from 'ldpkit';
 * import { hinge } from 'ldpkit/protocols/hinge';
 * const survey = open(hinge, { variant: 'lifted', epsilon: 1, degree: 1, dimension: 3 });
 * const collector = survey.collector();
 * const bytes = survey.device().report({ features: [0.6, 0, 0.8], label: 1 });
 * console.log(collector.receive(bytes, 'player 1').outcome); // counted
 * ```
 */
export function open<
  Plan extends PublicParameters,
  Round extends RoundParameters,
  Datum,
  Report,
  Tally,
  Estimate,
  Query,
>(
  protocol: RoundsProtocol<Plan, Round, Datum, Report, Tally, Estimate, Query>,
  request: PlainRequest,
): RoundsSurvey<Plan, Round, Datum, Tally, Estimate, Query>;
export function open<
  Plan extends PublicParameters,
  Step extends SequentialStep<Plan>,
  Datum,
  Report,
  State,
  Estimate,
  Query,
>(
  protocol: SequentialProtocol<Plan, Step, Datum, Report, State, Estimate, Query>,
  request: PlainRequest,
): StreamSurvey<Plan, Step, Datum, State, Estimate, Query>;
export function open<Parameters extends PublicParameters, Datum, Report, Tally, Estimate, Query>(
  protocol: Protocol<Parameters, Datum, Report, Tally, Estimate, Query>,
  request: PlainRequest,
): OneShotSurvey<Parameters, Datum, Tally, Estimate, Query>;
export function open(protocol: AnyProtocol, request: PlainRequest): Survey<PublicParameters> {
  // Whatever a program without types passes: a survey without a protocol is refused in words.
  const { name, server, theory } = (protocol ?? {}) as Partial<AnyProtocol>;
  if (typeof name !== 'string' || typeof server !== 'object' || typeof theory !== 'object') {
    throw new RefusedKind('protocol', 'a protocol, for example hinge of ldpkit/protocols/hinge', protocol);
  }
  if ('rounds' in protocol) return openRounds(protocol, request);
  return 'start' in protocol.server
    ? openStream(protocol as AnyStream, request)
    : openOneShot(protocol as AnyOneShot, request);
}

/** A protocol of each kind, whose types do not matter: the overloads above state them. */
export type AnyOneShot = Protocol<PublicParameters, unknown, unknown, unknown, unknown, unknown>;
export type AnyRounds = RoundsProtocol<PublicParameters, RoundParameters, unknown, unknown, unknown, unknown, unknown>;
export type AnyStream = SequentialProtocol<
  PublicParameters,
  SequentialStep<PublicParameters>,
  unknown,
  unknown,
  unknown,
  unknown,
  unknown
>;
type AnyProtocol = AnyOneShot | AnyRounds | AnyStream;

function openOneShot(
  protocol: AnyOneShot,
  request: PlainRequest,
): OneShotSurvey<PublicParameters, unknown, unknown, unknown, unknown> {
  const turns = 'Each player sends one report.';
  const survey = opened(protocol, request, turns, (own, answers) => oneShotDevice(protocol, own, answers));
  const { parameters } = survey;
  return Object.freeze({
    ...survey,
    collector(options?: CollectorOptions) {
      const collector = createCollector(protocol, parameters, options);
      const asked: SurveyCollector<unknown, unknown, unknown> = {
        collector,
        receive: collector.receive,
        tally: collector.tally,
        get counts() {
          return collector.counts;
        },
        merge: (other) => collector.merge(other.collector),
        estimate(query) {
          checkQuery(protocol, query);
          return protocol.server.estimate(parameters, collector.tally, query);
        },
      };
      return Object.freeze(asked);
    },
  });
}

function openRounds(protocol: AnyRounds, request: PlainRequest): Survey<PublicParameters> {
  const turns = (plan: PublicParameters): string => {
    const rounds = protocol.rounds.answers(plan);
    return rounds === 1
      ? 'Every round has fresh players, and each player sends one report.'
      : `The same players answer up to ${rounds} rounds, with one report in each.`;
  };
  const survey = opened(protocol, request, turns, (own, answers) => roundsDevice(protocol, own, answers));
  return Object.freeze({
    ...survey,
    collector: (options?: RoundsCollectorOptions<unknown>) =>
      createRoundsCollector(protocol, survey.parameters, options),
  });
}

function openStream(protocol: AnyStream, request: PlainRequest): Survey<PublicParameters> {
  const turns = 'Players come one after the other, and each sends one report, about one step.';
  const survey = opened(protocol, request, turns, (own, answers) => streamDevice(protocol, own, answers));
  const { parameters: plan } = survey;
  return Object.freeze({
    ...survey,
    collector(options?: SequentialCollectorOptions<unknown>) {
      const collector = createSequentialCollector(protocol, plan, options);
      return Object.freeze({
        ...collector,
        get counts() {
          return collector.counts;
        },
        estimate(query?: unknown) {
          checkQuery(protocol, query);
          return protocol.server.estimate(plan, collector.state, query);
        },
      });
    },
  });
}

/** What a survey needs of a protocol of any kind. */
type Opened = Pick<AnyOneShot, 'name' | 'theory' | 'make' | 'fields'>;

/** The common part of all surveys. `deviceOf` gives a device's own parameters, and the way it draws its answers. */
function opened<Device>(
  protocol: Opened,
  asked: PlainRequest,
  turns: string | ((parameters: PublicParameters) => string),
  deviceOf: (own: PublicParameters, answers: Answers) => Device,
): Survey<PublicParameters> & { device(options?: SurveyDeviceOptions): Device } {
  const { name, theory } = protocol;
  const make = makerOf(protocol);
  checkObject('request', asked);
  if (protocol.fields !== undefined) checkKnown('request', asked, protocol.fields.request);
  const parameters = make(asked.grade === undefined ? { ...asked, grade: 'deployment' } : asked);
  const { variant, digest, grade = 'simulation' } = parameters;
  const request = parameters.request ?? { ...asked, grade };
  return {
    device(options = {}) {
      checkKnown('options', options, DEVICE_FIELDS);
      const { random, cap, ledger: given, ...rest } = options;
      if (given !== undefined && cap !== undefined) {
        throw new RefusedKind('"cap" expected none beside a ledger, which has its own');
      }
      // Only where none is named: null, from a store that was not there, is refused, and no new allowance.
      const fresh = (): Ledger =>
        createLedger({ cap: cap ?? guaranteeCap(theory.guarantee(parameters)), store: memoryStore() });
      const withLedger = { ...rest, ledger: given === undefined ? fresh() : given };
      if (random !== undefined) {
        return deviceOf(parameters, simulatedAnswers(protocol, parameters, withLedger, random));
      }
      const own = agreedParameters(protocol, { request, digest });
      return deviceOf(own, secretAnswers(protocol, own, withLedger));
    },
    parameters,
    certificate: () => certify(protocol, parameters, request),
    forecast(setting) {
      if (theory.forecast === undefined) throw new RefusedKind(`"protocol" expected one with a forecast, got ${name}`);
      checkKnown('setting', setting, FORECAST_FIELDS);
      checkInteger('players', setting.players, 1);
      if (setting.spread !== undefined) checkPositive('spread', setting.spread);
      return theory.forecast(parameters, setting);
    },
    summary() {
      const { releases, notes } = certify(protocol, parameters, request);
      const sent = releases.map(
        ({ what, count, mechanism }) => `${count === 1 ? '' : `${count} × `}${what} (${mechanism})`,
      );
      return [
        `${name} by ${variant}, grade ${grade}, digest ${digest}.`,
        typeof turns === 'string' ? turns : turns(parameters),
        `What a player tells in all: ${sent.join('; ')}.`,
        `Guarantee of all of it together: ${describeGuarantee(theory.guarantee(parameters))}.`,
        ...notes,
      ].join('\n');
    },
  };
}

const DEVICE_FIELDS = namesOf<SurveyDeviceOptions>({
  ledger: true,
  cap: true,
  random: true,
  occasion: true,
  outside: true,
});

const FORECAST_FIELDS = namesOf<ForecastSetting>({ players: true, spread: true });

/** Answers with given coins: the ledger and the clipping of `deployedPlayer`, without its secrecy. */
function simulatedAnswers(
  { name, theory }: Opened,
  parameters: PublicParameters,
  { ledger, occasion = '', outside = 'clip' }: DeviceOptions,
  random: Random,
): Answers {
  checkWord('outside', outside, ['clip', 'refuse']);
  const { digest } = parameters;
  const guarantee = theory.guarantee(parameters);
  return (player, encode) => (played, round, answers, datum) => {
    ledger.charge({ protocol: name, digest, occasion, guarantee, round, answers });
    const taken = outside === 'clip' ? player.clip(played, datum) : (datum as never);
    return encode(player.randomize(played, taken, random), played);
  };
}
