import { fieldOf, wipeScratch } from '../check/datum.ts';
import { checkWord, RefusedKind, RefusedValue } from '../check/refusal.ts';
import { secureRandom } from '../random/secure.ts';
import type { PlainRequest, Player, PublicParameters, Theory, Wire } from './contract.ts';
import type { RoundParameters, Rounds, SequentialPlayer, SequentialStep } from './interactive.ts';
import type { Ledger } from './ledger.ts';

/** The only things that a device believes from a server: the request for parameters, and the digest they must have. */
export interface Agreed {
  readonly request?: PlainRequest;
  /** 32 hexadecimal digits. */
  readonly digest: string;
}

/** Settings of a device. */
export interface DeviceOptions {
  /** What was spent on the data of this device, and how much may be spent. */
  readonly ledger: Ledger;
  /**
   * Distinguishes one use of a set of parameters from a later use of the same set on later data. Each occasion is
   * charged, and answers once. Chosen by the calling program, never by a server. Default: the empty text.
   */
  readonly occasion?: string;
  /**
   * What happens with a datum outside the domain. `clip` (the default): the nearest datum of the domain is played.
   * `refuse`: there is no answer, but the answer is still spent, because its absence tells something about the datum.
   * The certificate does not cover `refuse`.
   */
  readonly outside?: 'clip' | 'refuse';
}

/** What every protocol gives a device. */
interface Common<Parameters> {
  readonly name: string;
  readonly theory: Pick<Theory<Parameters>, 'guarantee'>;
  /** Parameters from plain data. A protocol without it cannot be deployed. */
  make?(request: PlainRequest): Parameters;
}

/** What a device needs of a one-shot protocol to play it. */
export interface Playable<Parameters extends PublicParameters, Datum, Report> extends Common<Parameters> {
  readonly player: Pick<Player<Parameters, Datum, Report>, 'randomize' | 'clip'>;
  readonly report: Pick<Wire<Parameters, Report>, 'encode'>;
}

/** What a device needs of a protocol in rounds to play it. */
export interface RoundsPlayable<Plan extends PublicParameters, Round extends RoundParameters, Datum, Report>
  extends Common<Plan> {
  readonly player: Pick<Player<Round, Datum, Report>, 'randomize' | 'clip'>;
  readonly report: Pick<Wire<Round, Report>, 'encode'>;
  readonly rounds: Pick<Rounds<Plan, Round, never, never, never>, 'remake' | 'answers'>;
}

/** What a device needs of a sequential protocol to play it. */
export interface SequentialPlayable<Plan extends PublicParameters, Step extends SequentialStep<Plan>, Datum, Report>
  extends Common<Plan> {
  readonly player: Pick<SequentialPlayer<Step, Datum, Report>, 'randomize' | 'clip' | 'remake'>;
  readonly report: Pick<Wire<Plan, Report>, 'encode'>;
}

/** A player of a one-shot protocol, on a device. */
export interface DeployedPlayer {
  /**
   * The bytes of this player's one report about a datum. Any value is taken as a datum: see `DeviceOptions.outside`.
   * @throws RangeError, with nothing spent, when the player has answered already or the cap would be exceeded; Error
   * when the ledger cannot be written; RangeError, with the answer spent, for a datum that is refused. No message
   * contains any part of the datum.
   */
  report(datum: unknown): Uint8Array;
}

/** A player of a protocol in rounds, or of a stream, on a device. */
export interface DeployedRoundsPlayer {
  /**
   * The bytes of one report about a datum, in a received round or step. From it the device takes only public numbers
   * that the plan allows, and checks and copies them before it touches the datum.
   * @throws TypeError or RangeError, with nothing spent, for a round that the plan cannot contain; otherwise as
   * {@link DeployedPlayer}.
   */
  report(received: unknown, datum: unknown): Uint8Array;
}

/**
 * A player of a one-shot protocol on real data: whole numbers on the wire, coins from the secure source only, and one
 * answer, which is written into the ledger before it is given.
 *
 * The device takes only a request and a digest from the server: it makes the parameters itself from the request, and
 * plays those.
 *
 * Guarantee: for the bytes returned, that of the parameters; for everything that devices with this ledger return, that
 * of the cap. Whether there is an answer does not depend on the datum, unless the calling program sets `refuse`.
 * @throws TypeError for a protocol or an agreement without a request to make parameters from; RangeError for parameters
 * of a grade other than `deployment`, or with a digest that is not that of their request; what the protocol's `make`
 * throws; Error without Web Crypto.
 *
 * @example
 * ```ts
 * import { createLedger, deployedPlayer, memoryStore, pureCap } from 'ldpkit';
 * import { lifted, liftedHinge } from 'ldpkit/protocols/hinge';
 * const { request, digest } = lifted({ epsilon: 1, degree: 1, dimension: 3, grade: 'deployment' });
 * const ledger = createLedger({ cap: pureCap(2), store: memoryStore() });
 * const player = deployedPlayer(liftedHinge, { request: request!, digest }, { ledger });
 * console.log(player.report({ features: [0.6, 0, 0.8], label: 1 }).length); // 49
 * ```
 */
export function deployedPlayer<Parameters extends PublicParameters, Datum, Report>(
  protocol: Playable<Parameters, Datum, Report>,
  agreed: Agreed,
  options: DeviceOptions,
): DeployedPlayer {
  const parameters = agreedParameters(protocol, agreed);
  return oneShotDevice(protocol, parameters, secretAnswers(protocol, parameters, options));
}

/**
 * A player of a protocol in rounds on real data, as {@link deployedPlayer}. It answers as many rounds as the
 * certificate of the plan counts (one, where every round has fresh players). It answers each round once and in order,
 * even after restarts.
 * @throws as {@link deployedPlayer}.
 */
export function deployedRoundsPlayer<Plan extends PublicParameters, Round extends RoundParameters, Datum, Report>(
  protocol: RoundsPlayable<Plan, Round, Datum, Report>,
  agreed: Agreed,
  options: DeviceOptions,
): DeployedRoundsPlayer {
  const plan = agreedParameters(protocol, agreed);
  return roundsDevice(protocol, plan, secretAnswers(protocol, plan, options));
}

/**
 * A player of a stream on real data, as {@link deployedPlayer}: it answers one step, once. A report that the server
 * refuses as stale was still seen, so it is spent.
 * @throws as {@link deployedPlayer}.
 */
export function deployedSequentialPlayer<
  Plan extends PublicParameters,
  Step extends SequentialStep<Plan>,
  Datum,
  Report,
>(
  protocol: SequentialPlayable<Plan, Step, Datum, Report>,
  agreed: Agreed,
  options: DeviceOptions,
): DeployedRoundsPlayer {
  const plan = agreedParameters(protocol, agreed);
  return streamDevice(protocol, plan, secretAnswers(protocol, plan, options));
}

/** How a device draws an answer of one kind of played parameters, given the player and how its report becomes bytes. */
export type Answers = <Played, Datum, Report>(
  player: Pick<Player<Played, Datum, Report>, 'randomize' | 'clip'>,
  encode: (report: Report, played: Played) => Uint8Array,
) => (played: Played, round: number, answers: number, datum: unknown) => Uint8Array;

/** A player of a one-shot protocol with these parameters: it answers once. */
export function oneShotDevice<Parameters extends PublicParameters, Datum, Report>(
  { player, report: wire }: Pick<Playable<Parameters, Datum, Report>, 'player' | 'report'>,
  parameters: Parameters,
  answers: Answers,
): DeployedPlayer {
  const answer = answers(player, (report: Report) => wire.encode(parameters, report));
  return Object.freeze({ report: (datum: unknown) => answer(parameters, 0, 1, datum) });
}

/** A player of a protocol in rounds under this plan: it answers the rounds that the plan can contain. */
export function roundsDevice<Plan extends PublicParameters, Round extends RoundParameters, Datum, Report>(
  { player, report: wire, rounds }: Pick<RoundsPlayable<Plan, Round, Datum, Report>, 'player' | 'report' | 'rounds'>,
  plan: Plan,
  answers: Answers,
): DeployedRoundsPlayer {
  const answer = answers(player, (report: Report, round: Round) => wire.encode(round, report));
  return Object.freeze({
    report(received: unknown, datum: unknown): Uint8Array {
      const digest = fieldOf(received, 'digest');
      const round = rounds.remake(plan, received);
      if (round.digest !== digest) {
        throw new RefusedValue('round.digest', `that of the round under this plan, ${round.digest}`, digest);
      }
      return answer(round, round.round, rounds.answers(plan), datum);
    },
  });
}

/** A player of a stream under this plan: it answers one step, once. */
export function streamDevice<Plan extends PublicParameters, Step extends SequentialStep<Plan>, Datum, Report>(
  { player, report: wire }: Pick<SequentialPlayable<Plan, Step, Datum, Report>, 'player' | 'report'>,
  plan: Plan,
  answers: Answers,
): DeployedRoundsPlayer {
  const answer = answers(player, (report: Report) => wire.encode(plan, report));
  return Object.freeze({
    report(received: unknown, datum: unknown): Uint8Array {
      const theirs = fieldOf(fieldOf(received, 'plan'), 'digest');
      if (theirs !== plan.digest) {
        throw new RefusedValue('step.plan.digest', `that of the plan of this device, ${plan.digest}`, theirs);
      }
      return answer(player.remake(plan as Step['plan'], received), 0, 1, datum);
    },
  });
}

const LONGEST_REQUEST = 2 ** 20;

/** Parameters made here from the request alone, once. */
export function agreedParameters<Parameters extends PublicParameters>(
  protocol: Common<Parameters>,
  agreed: Agreed,
): Parameters {
  const { name, make } = protocol ?? {};
  if (make === undefined) throw new RefusedKind('protocol', 'one that makes parameters from a request', name);
  const { request, digest } = agreed ?? {};
  // Written once: parameters are made from this text, even if the object changes. What JSON cannot write has none.
  let text: string | undefined;
  try {
    text = JSON.stringify(request);
  } catch {}
  if (text?.[0] !== '{') {
    throw new RefusedKind('request', `a request to make parameters of ${name} from`, request);
  }
  if (text.length > LONGEST_REQUEST) {
    throw new RefusedValue('request', `at most ${LONGEST_REQUEST} characters of JSON`, text.length);
  }
  const made = make(JSON.parse(text));
  if (made.grade !== 'deployment') {
    throw new RefusedValue('grade', 'deployment', made.grade ?? 'simulation');
  }
  if (made.digest !== digest) {
    throw new RefusedValue('digest', `that of the request to ${name}, ${made.digest}`, digest);
  }
  return made;
}

/** Answers with secret coins: first the ledger, then the coins, and only then the datum. */
export function secretAnswers<Parameters extends PublicParameters>(
  { name, theory }: Common<Parameters>,
  parameters: Parameters,
  options: DeviceOptions,
): Answers {
  for (const name in options) checkWord('options', name, ['ledger', 'occasion', 'outside']);
  const { ledger, occasion = '', outside = 'clip' } = options ?? {};
  checkWord('outside', outside, ['clip', 'refuse']);
  if (typeof occasion !== 'string') throw new RefusedKind('occasion', 'a text', occasion);
  if (typeof ledger?.charge !== 'function') throw new RefusedKind('ledger', 'a ledger', ledger);
  const guarantee = theory.guarantee(parameters);
  const { digest } = parameters;
  const random = secureRandom();
  return (player, encode) => (played, round, answers, datum) => {
    random.refill();
    // This comes before any code of the datum runs: reading the datum may call for a report again.
    ledger.charge({ protocol: name, digest, occasion, guarantee, round, answers });
    try {
      const taken = outside === 'clip' ? clipped(player, played, datum) : (datum as never);
      return encode(player.randomize(played, taken, random), played);
    } catch {
      // The error may contain the datum, since a designer's own protocol may throw anything: it is not passed on.
      throw new RefusedValue(
        `"datum" expected a datum that ${name} takes under these parameters; the answer is spent, and the reason is withheld`,
      );
    } finally {
      // Scratch values and the coins of a sent report would reveal the datum to anyone who reads this memory.
      wipeScratch();
      random.words.fill(0);
      random.next = random.words.length;
    }
  };
}

/** An error while a datum is read comes from the datum itself; then no part of it is played. */
function clipped<Played, Datum>(
  player: Pick<Player<Played, Datum, never>, 'clip'>,
  played: Played,
  datum: unknown,
): Datum {
  try {
    return player.clip(played, datum);
  } catch {
    return player.clip(played, undefined);
  }
}
