import { checkWord, refusal } from '../check/number.ts';
import { describeGuarantee } from '../privacy/guarantee.ts';
import type { Random } from '../random/random.ts';
import { certify } from './certify.ts';
import { createCollector } from './collector.ts';
import type { PlainRequest, Player, Protocol, PublicParameters, Theory } from './contract.ts';
import { deployedPlayer, deployedRoundsPlayer, deployedSequentialPlayer } from './device.ts';
import { createLedger, guaranteeCap, type Ledger, memoryStore } from './ledger.ts';
import type { RoundParameters, RoundsProtocol } from './rounds.ts';
import { createRoundsCollector } from './rounds-collector.ts';
import type { SequentialProtocol, SequentialStep } from './sequential.ts';
import { createSequentialCollector } from './sequential-collector.ts';
import type {
  OneShotSurvey,
  RoundsSurvey,
  StreamSurvey,
  Survey,
  SurveyCollector,
  SurveyDeviceOptions,
} from './survey.ts';

/**
 * A survey: everything that is done with a protocol under one request, without naming protocol and parameters again. For the
 * server's side and for prototypes, where players, server and theory are in one program; a device imports `deployedPlayer` and
 * what it needs of the protocol, which is small.
 *
 * The grade is `deployment` where the request names none: exact noise, whole numbers on the wire. `grade: 'simulation'` is for
 * studies, and for variants that have no other; devices then are given their coins.
 *
 * Guarantee: that of the parameters, for each device; see `certificate()` and `summary()`.
 *
 * @throws TypeError or RangeError naming the field of the request; TypeError for a protocol that makes nothing from a request.
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
  if ('rounds' in protocol) return openRounds(protocol, request);
  return 'start' in protocol.server
    ? openStream(protocol as AnyStream, request)
    : openOneShot(protocol as AnyOneShot, request);
}

// Of which types, the overloads say; behind them a protocol is opened by its shape alone.
type AnyOneShot = Protocol<PublicParameters, unknown, unknown, unknown, unknown, unknown>;
type AnyRounds = RoundsProtocol<PublicParameters, RoundParameters, unknown, unknown, unknown, unknown, unknown>;
type AnyStream = SequentialProtocol<
  PublicParameters,
  SequentialStep<PublicParameters>,
  unknown,
  unknown,
  unknown,
  unknown,
  unknown
>;
type AnyProtocol = AnyOneShot | AnyRounds | AnyStream;

function openOneShot<Parameters extends PublicParameters, Datum, Report, Tally, Estimate, Query>(
  protocol: Protocol<Parameters, Datum, Report, Tally, Estimate, Query>,
  request: PlainRequest,
): OneShotSurvey<Parameters, Datum, Tally, Estimate, Query> {
  const { player, report: wire, server } = protocol;
  const { agreed, parameters, ...common } = commonPart(protocol, request, () => 'Each player sends one report.');
  return Object.freeze({
    ...common,
    parameters,
    device(options: SurveyDeviceOptions = {}) {
      const ledger = ledgerOf(protocol.theory, parameters, options);
      if (options.random === undefined) return deployedPlayer(protocol, agreed, { ...options, ledger });
      const play = simulated(parameters, { ...options, ledger, random: options.random }, protocol);
      return {
        report: (datum: Datum) => wire.encode(parameters, play(player, parameters, [0, 1], datum)),
      };
    },
    collector(options = {}) {
      const collector = createCollector(protocol, parameters, options);
      const asked: SurveyCollector<Tally, Estimate, Query> = {
        collector,
        receive: collector.receive,
        tally: collector.tally,
        get counts() {
          return collector.counts;
        },
        merge: (other) => collector.merge(other.collector),
        estimate: (query) => server.estimate(parameters, collector.tally, query),
      };
      return Object.freeze(asked);
    },
  });
}

function openRounds<
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
): RoundsSurvey<Plan, Round, Datum, Tally, Estimate, Query> {
  const { player, report: wire, rounds } = protocol;
  const {
    agreed,
    parameters: plan,
    ...common
  } = commonPart(protocol, request, (some) =>
    rounds.answers(some) === 1
      ? 'Every round has fresh players, and each player sends one report.'
      : `The same players answer up to ${rounds.answers(some)} rounds, with one report in each.`,
  );
  return Object.freeze({
    ...common,
    parameters: plan,
    device(options: SurveyDeviceOptions = {}) {
      const ledger = ledgerOf(protocol.theory, plan, options);
      if (options.random === undefined) return deployedRoundsPlayer(protocol, agreed, { ...options, ledger });
      const play = simulated(plan, { ...options, ledger, random: options.random }, protocol);
      return {
        report(received: Round, datum: Datum) {
          const round = rounds.remake(plan, received);
          if (round.digest !== received.digest) {
            throw new RangeError(
              refusal('round.digest', `that of the round under this plan, ${round.digest}`, received.digest),
            );
          }
          return wire.encode(round, play(player, round, [round.round, rounds.answers(plan)], datum));
        },
      };
    },
    collector: (options = {}) => createRoundsCollector(protocol, plan, options),
  });
}

function openStream<
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
): StreamSurvey<Plan, Step, Datum, State, Estimate, Query> {
  const { player, report: wire, server } = protocol;
  const turns = 'Players come one after the other, and each sends one report, about one step.';
  const { agreed, parameters: plan, ...common } = commonPart(protocol, request, () => turns);
  return Object.freeze({
    ...common,
    parameters: plan,
    device(options: SurveyDeviceOptions = {}) {
      const ledger = ledgerOf(protocol.theory, plan, options);
      if (options.random === undefined) return deployedSequentialPlayer(protocol, agreed, { ...options, ledger });
      const play = simulated(plan, { ...options, ledger, random: options.random }, protocol);
      return {
        report(received: Step, datum: Datum) {
          const step = player.remake(plan as Step['plan'], received);
          return wire.encode(plan, play(player, step, [0, 1], datum));
        },
      };
    },
    collector(options = {}) {
      const collector = createSequentialCollector(protocol, plan, options);
      return Object.freeze({
        ...collector,
        get counts() {
          return collector.counts;
        },
        estimate: (query?: Query) => server.estimate(plan, collector.state, query),
      });
    },
  });
}

/** What a survey needs of a protocol of any kind. */
interface Opened<Parameters> {
  readonly name: string;
  readonly theory: Theory<Parameters>;
  make?(request: PlainRequest): Parameters;
}

function made<Parameters extends PublicParameters>(
  { name, make }: Opened<Parameters>,
  request: PlainRequest,
): Parameters {
  if (make === undefined) {
    throw new TypeError(`"protocol" expected one that makes parameters from plain data, got ${name}`);
  }
  if (request === null || typeof request !== 'object') throw new TypeError(refusal('request', 'an object', request));
  return make('grade' in request ? request : { ...request, grade: 'deployment' });
}

function commonPart<Parameters extends PublicParameters>(
  protocol: Opened<Parameters>,
  asked: PlainRequest,
  turns: (parameters: Parameters) => string,
): Survey<Parameters> & { readonly agreed: { readonly request: PlainRequest; readonly digest: string } } {
  const { name, theory } = protocol;
  const parameters = made(protocol, asked);
  const { variant, digest, grade = 'simulation' } = parameters;
  const request = parameters.request ?? { grade, ...asked };
  return {
    agreed: { request, digest },
    parameters,
    certificate: () => certify(protocol, parameters, request),
    forecast(setting) {
      if (theory.forecast === undefined) throw new TypeError(`"protocol" expected one with a forecast, got ${name}`);
      return theory.forecast(parameters, setting);
    },
    summary() {
      const { releases, notes } = certify(protocol, parameters, request);
      const sent = releases.map(
        ({ what, count, mechanism }) => `${count === 1 ? '' : `${count} × `}${what} (${mechanism})`,
      );
      return [
        `${name} by ${variant}, grade ${grade}, digest ${digest}.`,
        turns(parameters),
        `What a player tells in all: ${sent.join('; ')}.`,
        `Guarantee of all of it together: ${describeGuarantee(theory.guarantee(parameters))}.`,
        ...notes,
      ].join('\n');
    },
  };
}

function ledgerOf<Parameters>(
  theory: Theory<Parameters>,
  parameters: Parameters,
  { ledger, cap }: SurveyDeviceOptions,
): Ledger {
  if (ledger === undefined) {
    return createLedger({ cap: cap ?? guaranteeCap(theory.guarantee(parameters)), store: memoryStore() });
  }
  if (cap !== undefined) throw new TypeError('"cap" expected none beside a ledger, which has its own');
  return ledger;
}

/** A device with coins that are given: the ledger and the clipping of `deployedPlayer`, without its secrecy. */
function simulated<Parameters extends PublicParameters>(
  parameters: Parameters,
  options: SurveyDeviceOptions & { readonly ledger: Ledger; readonly random: Random },
  { name, theory }: Opened<Parameters>,
): <Played, Datum, Report>(
  player: Pick<Player<Played, Datum, Report>, 'randomize' | 'clip'>,
  played: Played,
  turn: readonly [round: number, answers: number],
  datum: Datum,
) => Report {
  const { ledger, occasion = '', outside = 'clip', random } = options;
  checkWord('outside', outside, ['clip', 'refuse']);
  const { digest } = parameters;
  const guarantee = theory.guarantee(parameters);
  return (player, played, [round, answers], datum) => {
    ledger.charge({ protocol: name, digest, occasion, guarantee, round, answers });
    return player.randomize(played, outside === 'clip' ? player.clip(played, datum) : datum, random);
  };
}
