import type { Protocol, PublicParameters } from '../../core/contract.ts';
import type { RoundsProtocol, SequentialProtocol } from '../../core/interactive.ts';
import { attackPlayer } from '../hostile.ts';
import { brokenClaims, brokenPlayers } from './broken-players.ts';
import { brokenServers, brokenWires } from './broken-servers.ts';
import {
  type AnyKind,
  givenData,
  isRounds,
  isStream,
  type OneReport,
  played,
  roundsAlone,
  roundsLaws,
  someLies,
  stepAlone,
  streamLaws,
} from './interactive.ts';
import {
  type AnyProtocol,
  type AnyTrial,
  type ContractCase,
  type Control,
  claimLaws,
  coins,
  completed,
  type Law,
  numbersBefore,
  numbersIn,
  refusalOf,
  replaceNumbers,
  reportsOf,
  type Subject,
  spelled,
  strangeData,
  wordsOf,
} from './law.ts';
import { serverLaws, wireLaws } from './server.ts';

/** The law of a protocol on a device, where its parameters are of the grade `deployment` and remember their request. */
export const deviceLaw: Law = {
  sentence: 'a device plays what was agreed, or nothing, and whether it answers tells nothing of the datum',
  *broken({ protocol, parameters, trial }) {
    if (parameters.grade !== 'deployment' || parameters.request === undefined || protocol.make === undefined) return;
    yield* attackPlayer(protocol, parameters, givenData(trial), someLies(parameters, 19));
  },
};

export const playerLaws: readonly Law[] = [
  {
    sentence: 'randomize draws on the coins it is given and on nothing else: the same coins, the same report',
    *broken(subject) {
      const { protocol, parameters, trial } = subject;
      const first = spelled(reportsOf(subject, 'a'));
      // Other calls in between, in reverse order: they must leave no trace.
      for (const datum of trial.data.toReversed()) protocol.player.randomize(parameters, datum, coins('else'));
      if (spelled(reportsOf(subject, 'a')) !== first) yield 'two runs differ';
    },
  },
  {
    sentence: 'other coins give another report, in every value of it that is a real number',
    *broken(subject) {
      const { trial } = subject;
      const drawn = ['a', 'b', 'c'].map((seed) => reportsOf(subject, seed));
      const before = numbersBefore(subject, drawn[0][0]);
      for (let i = 0; i < drawn[0].length; i++) {
        const [a, b, c] = drawn.map((run) => numbersIn(run[i]));
        const same = (value: unknown, k: number): boolean => value === b[k] && value === c[k];
        const open = (value: unknown, k: number): boolean =>
          k < before || (trial.padded === true && (value === 0 || k === a.length - 1));
        const equal = a.filter((value, k) => same(value, k) && !open(value, k)).length;
        if (spelled([a]) === spelled([b]) && a.every(same)) {
          if (a.length > SHORT || !varies(subject, i, a)) yield `report ${i} is the same for three seeds`;
        } else if (trial.floats !== undefined && equal > 0) yield `${equal} values of report ${i} are constant`;
      }
    },
  },
  {
    sentence: 'randomizeInto over any earlier report is randomize, and consumes the same coins',
    *broken({ protocol, parameters, trial }) {
      const [plain, over] = [coins('into'), coins('into')];
      const target = protocol.player.randomize(parameters, trial.data[0], coins('earlier'));
      for (const [i, datum] of trial.data.entries()) {
        const report = protocol.player.randomize(parameters, datum, plain);
        protocol.player.randomizeInto(parameters, datum, over, target);
        if (spelled(report) !== spelled(target)) yield `report ${i} differs`;
      }
    },
  },
  {
    sentence: 'randomize leaves datum and parameters as they are',
    *broken({ protocol, parameters, trial }) {
      for (const datum of trial.data) {
        const before = spelled([datum, parameters]);
        protocol.player.randomize(parameters, datum, coins('leave'));
        if (spelled([datum, parameters]) !== before) yield 'something was changed';
      }
    },
  },
  {
    sentence: 'what is not a datum is refused with a TypeError or RangeError, before any coin is spent',
    *broken({ protocol, parameters, trial }) {
      const used = protocol.player.randomize(parameters, trial.data[0], coins('refused'));
      for (const [what, datum] of Object.entries(trial.refused)) {
        const random = coins('refused');
        const before = random.next;
        for (const call of [
          () => protocol.player.randomize(parameters, datum, random),
          () => protocol.player.randomizeInto(parameters, datum, random, used),
        ]) {
          const error = refusalOf(call);
          if (error === undefined) yield `${what} is taken`;
          else if (!(error instanceof TypeError || error instanceof RangeError)) yield `${what}: ${error.name}`;
          // A refusal is worded for the caller; the engine's message about `undefined.length` is not a refusal.
          else if (!/^".+" expected /.test(error.message)) yield `${what} is refused with: ${error.message}`;
        }
        if (random.next !== before) yield `${what} costs coins`;
      }
    },
  },
  {
    sentence: 'no refusal contains a digit of the datum',
    *broken({ protocol, parameters, trial }) {
      const used = protocol.player.randomize(parameters, trial.data[0], coins('refused'));
      for (const [what, datum] of Object.entries(trial.refused)) {
        for (const call of [
          () => protocol.player.randomize(parameters, datum, coins('refused')),
          () => protocol.player.randomizeInto(parameters, datum, coins('refused'), used),
        ]) {
          const error = refusalOf(call);
          const text = error === undefined ? '' : textOf(error);
          if (digitsOf(datum).some((digits) => text.includes(digits))) yield `${what} shows in its refusal`;
        }
      }
    },
  },
  {
    sentence: 'clip takes anything, gives a datum of the domain, and gives a datum of the domain as it is',
    *broken({ protocol, parameters, trial }) {
      const { player } = protocol;
      const played = (datum: unknown) => spelled(player.randomize(parameters, datum, coins('clip')));
      for (const [i, datum] of trial.data.entries()) {
        if (played(datum) !== played(player.clip(parameters, datum))) yield `datum ${i} is played as another`;
      }
      for (const [what, datum] of [...Object.entries(trial.refused), ...strangeData(trial)]) {
        let twice: readonly string[] = [];
        const error = refusalOf(() => {
          played(player.clip(parameters, datum));
          twice = [1, 2].map(() => spelled(player.clip(parameters, datum)));
        });
        if (error !== undefined) yield `${what}: ${error.message}`;
        if (twice[0] !== twice[1]) yield `${what} is clipped to two data`;
      }
    },
  },
  {
    sentence: 'a clipped datum is a copy: whoever changes what was given changes nothing of it',
    *broken({ protocol, parameters, trial }) {
      for (const [i, datum] of trial.data.entries()) {
        const given = structuredClone(datum);
        const clipped = protocol.player.clip(parameters, given);
        const before = spelled(clipped);
        replaceNumbers(given, () => 0);
        if (spelled(clipped) !== before) yield `datum ${i}`;
      }
    },
  },
  {
    sentence: 'how many coins a report takes does not depend on the datum',
    *broken({ protocol, parameters, trial }) {
      const usual = [...trial.data, ...Object.values(trial.refused)];
      const strange = strangeData(trial).map(([, datum]) => datum);
      for (let seed = 0; seed < 20; seed++) {
        const spent = (seed === 0 ? [...usual, ...strange] : usual).map((value) => {
          const datum = protocol.player.clip(parameters, value);
          return wordsOf((random) => protocol.player.randomize(parameters, datum, random), `words ${seed}`);
        });
        if (new Set(spent).size > 1) yield `seed ${seed}: ${[...new Set(spent)].join(' or ')} words`;
      }
    },
  },
  {
    sentence: 'some refused datum has digits to look for',
    *broken({ trial }) {
      if (Object.values(trial.refused).flatMap(digitsOf).length < 3)
        yield 'fewer than three numbers of six digits or more';
    },
  },
];

/** A report of at most so many numbers may be the same for three seeds by chance, such as one bit. */
const SHORT = 8;

/**
 * Whether a short report is another one for some further seed. A bit that is kept with probability p is always the same
 * with probability p⁵⁰⁰: 1e-68 at ε = 1, 1e-4 at ε = 4.
 */
function varies({ protocol, parameters, trial }: Subject, i: number, numbers: readonly unknown[]): boolean {
  for (let seed = 0; seed < 500; seed++) {
    const report = protocol.player.randomize(parameters, trial.data[i], coins(`short ${seed}`));
    if (spelled(numbersIn(report)) !== spelled(numbers)) return true;
  }
  return false;
}

/** Every text in a value that reads as a number, as that number. */
function numbersInTexts(value: unknown): number[] {
  if (typeof value === 'string') return [Number(value)];
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return [];
  return Object.values(value).flatMap(numbersInTexts);
}

/** The first six significant digits of each number that has as many: they do not occur in a message by chance. */
function digitsOf(datum: unknown): string[] {
  return [...numbersIn(datum), ...numbersInTexts(datum)]
    .filter((number) => Number.isFinite(number) && number !== 0)
    .map((number) => number.toPrecision(15).replace(/^-?0*[.]?0*|e.*$|[.]/g, ''))
    .map((digits) => digits.replace(/0+$/, ''))
    .filter((digits) => digits.length >= 6)
    .map((digits) => digits.slice(0, 6));
}

/** The whole text of an error, including its stack and causes, without decimal points. */
function textOf(error: Error): string {
  const { cause } = error;
  const rest = cause instanceof Error ? textOf(cause) : String(cause ?? '');
  return `${rest} ${JSON.stringify(error, Object.getOwnPropertyNames(error))}`.replaceAll('.', '');
}

/** The laws that every one-shot protocol obeys. Each is written once: for a new protocol add cases, not laws. */
export const LAWS: readonly Law[] = [...claimLaws, ...playerLaws, ...wireLaws, ...serverLaws, deviceLaw];

/** Every way to break a protocol on purpose: one or more for each law, except the law of the case itself. */
export const CONTROLS: readonly Control[] = [...brokenClaims, ...brokenPlayers, ...brokenWires, ...brokenServers];

/** A broken law. */
export interface Violation {
  readonly trial: string;
  readonly law: string;
  /** The first few findings. */
  readonly found: readonly string[];
}

/** A protocol of any of the three kinds; the tally of a stream is its state. */
type AnyOf<Parameters extends PublicParameters, Datum, Tally, Estimate, Query> =
  // biome-ignore lint/suspicious/noExplicitAny: what a report, a round or a step is concerns the protocol alone
  | RoundsProtocol<Parameters, any, Datum, any, Tally, Estimate, Query>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  | SequentialProtocol<Parameters, any, Datum, any, Tally, Estimate, Query>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  | Protocol<Parameters, Datum, any, Tally, Estimate, Query>;

/** What the laws of one report are tried on, and which of them apply: a protocol, each of its rounds, or a step of it. */
function partsOf(protocol: AnyKind, trial: AnyTrial): readonly (OneReport & { readonly laws: readonly Law[] })[] {
  if (isRounds(protocol)) return roundsAlone(protocol, trial).map((part) => ({ ...part, laws: LAWS }));
  if (isStream(protocol)) {
    return [{ ...stepAlone(protocol, trial, 'none'), laws: [...claimLaws, ...playerLaws, ...wireLaws] }];
  }
  return [{ protocol, trial, laws: LAWS }];
}

function violationsIn({ protocol, trial }: OneReport, laws: readonly Law[]): Violation[] {
  return laws.flatMap(({ sentence, broken }) =>
    violationOf(trial, sentence, () => broken({ protocol, parameters: trial.make(), trial: completed(trial) })),
  );
}

/** What breaks the laws between rounds, or between steps. */
function violationsBetween(protocol: AnyKind, trial: AnyTrial): Violation[] {
  if (isRounds(protocol)) {
    return roundsLaws.flatMap(({ sentence, broken }) =>
      violationOf(trial, sentence, () => broken(played(protocol, trial))),
    );
  }
  if (!isStream(protocol)) return [];
  const between = streamLaws.flatMap(({ sentence, broken }) =>
    violationOf(trial, sentence, () => broken({ protocol, trial, plan: trial.make() })),
  );
  return [...between, ...violationsIn(stepAlone(protocol, trial, 'all'), playerLaws)];
}

/**
 * Tests a protocol of any kind on cases and returns the laws that it breaks: none for a correct protocol. It throws
 * nothing, so a test can also show which laws a deliberately broken protocol breaks.
 *
 * The cases of a protocol in rounds and of a stream make plans. All data answer every round, or one step after the
 * other; each round, and the first and the last step, keep the laws of one report, and there are laws from one to the next.
 */
export function checkContract<Parameters extends PublicParameters, Datum, Tally, Estimate, Query>(
  protocol: AnyOf<Parameters, Datum, Tally, Estimate, Query>,
  cases: readonly ContractCase<Parameters, Datum, Tally, Estimate, Query>[],
  laws?: readonly Law[],
): Violation[];
export function checkContract(protocol: AnyKind, cases: readonly AnyTrial[], laws?: readonly Law[]): Violation[] {
  return cases.flatMap((trial) => {
    try {
      return [
        ...partsOf(protocol, trial).flatMap((part) => violationsIn(part, laws ?? part.laws)),
        ...(laws === undefined ? violationsBetween(protocol, trial) : []),
      ];
    } catch (error) {
      return [{ trial: trial.name, law: 'all data can answer every round', found: [`threw ${String(error)}`] }];
    }
  });
}

/**
 * Tests a protocol of any kind on cases, in any test runner: returns nothing where all laws hold. The cases of a
 * protocol in rounds and of a stream make plans, whose rounds or steps all data answer.
 * @throws Error that lists the broken laws, each with its case and the findings.
 */
export function assertContract<Parameters extends PublicParameters, Datum, Tally, Estimate, Query>(
  protocol: AnyOf<Parameters, Datum, Tally, Estimate, Query>,
  cases: readonly ContractCase<Parameters, Datum, Tally, Estimate, Query>[],
): void;
export function assertContract(protocol: AnyKind, cases: readonly AnyTrial[]): void {
  const lines = checkContract(protocol as AnyProtocol, cases).map(
    ({ trial, law, found }) => `${trial}: it does not hold that ${law} (${found.join('; ')})`,
  );
  if (lines.length > 0) throw new Error(`${protocol.name} breaks its contract\n${lines.join('\n')}`);
}

/**
 * Breaks a protocol on purpose in every way that a case can show, and returns the breaks that the laws do not notice:
 * none for a case that tests as much as it seems to.
 */
export function checkControls(
  whole: AnyKind,
  cases: readonly AnyTrial[],
  controls: readonly Control[] = CONTROLS,
): string[] {
  const unnoticed: string[] = [];
  for (const { protocol, trial, laws } of cases.flatMap((one) => partsOf(whole, one))) {
    for (const { what, law, breaks, parameters = honest, shows = () => true } of controls) {
      const named = laws.filter(({ sentence }) => sentence === law);
      if (named.length === 0 || !shows(completed(trial))) continue;
      const changed = { ...trial, make: () => parameters(trial.make()), others: trial.others.map(parameters) };
      const violations = violationsIn({ protocol: breaks(protocol, completed(trial)), trial: changed }, named);
      if (violations.length === 0) unnoticed.push(`${trial.name}: ${what} breaks no law`);
    }
  }
  return unnoticed;
}

/**
 * Breaks a protocol on purpose in every way that a case can show, in any test runner: returns nothing where the laws of
 * `assertContract` notice every break. Of a protocol in rounds each round is broken by itself, of a stream its first step.
 * @throws Error that lists the unnoticed controls.
 */
export function assertControls<Parameters extends PublicParameters, Datum, Tally, Estimate, Query>(
  protocol: AnyOf<Parameters, Datum, Tally, Estimate, Query>,
  cases: readonly ContractCase<Parameters, Datum, Tally, Estimate, Query>[],
): void;
export function assertControls(protocol: AnyKind, cases: readonly AnyTrial[]): void {
  const lines = checkControls(protocol, cases);
  if (lines.length > 0) throw new Error(`the cases of ${protocol.name} show too little\n${lines.join('\n')}`);
}

const honest = <Parameters>(made: Parameters): Parameters => made;

/** A broken law with at most five findings, a thrown error as the last one; none where nothing is found. */
function violationOf({ name }: AnyTrial, law: string, findings: () => Iterable<string>): Violation[] {
  const found: string[] = [];
  try {
    for (const finding of findings()) if (found.push(finding) === 5) break;
  } catch (error) {
    found.push(`threw ${String(error)}`);
  }
  return found.length > 0 ? [{ trial: name, law, found }] : [];
}
