import type { Protocol, PublicParameters } from '../../core/contract.ts';
import type { RoundsProtocol, SequentialProtocol } from '../../core/interactive.ts';
import { brokenClaims, brokenPlayers } from './broken-players.ts';
import { brokenServers, brokenWires } from './broken-servers.ts';
import {
  type AnyKind,
  firstStepAlone,
  isRounds,
  isStream,
  type OneReport,
  played,
  roundsAlone,
  roundsLaws,
  streamLaws,
} from './interactive.ts';
import { type AnyProtocol, type ContractCase, type Control, claimLaws, completed, type Law } from './law.ts';
import { deviceLaw, playerLaws } from './player.ts';
import { serverLaws, wireLaws } from './server.ts';

/** The laws that every one-shot protocol obeys. Each is written once: for a new protocol add cases, not laws. */
export const LAWS: readonly Law[] = [...claimLaws, ...playerLaws, ...wireLaws, ...serverLaws, deviceLaw];

/**
 * Every way to break a protocol on purpose. Each law has a control that it must notice, except the law of the case
 * itself.
 */
export const CONTROLS: readonly Control[] = [...brokenClaims, ...brokenPlayers, ...brokenWires, ...brokenServers];

/** A broken law. */
export interface Violation {
  /** The case it was found in. */
  readonly trial: string;
  /** The law. */
  readonly law: string;
  /** The first few findings. */
  readonly found: readonly string[];
}

// biome-ignore lint/suspicious/noExplicitAny: the laws hold for every choice of the types
type AnyTrial = ContractCase<any, any, any, any, any>;

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
  if (isStream(protocol)) return [{ ...firstStepAlone(protocol, trial), laws: STEP_LAWS }];
  return [{ protocol, trial, laws: LAWS }];
}

/** The laws of a step: a stream has another server. */
const STEP_LAWS: readonly Law[] = [...claimLaws, ...playerLaws, ...wireLaws];

function violationsIn({ protocol, trial }: OneReport, laws: readonly Law[]): Violation[] {
  return laws.flatMap(({ sentence, broken }) => {
    const found = firstFindings(() => broken({ protocol, parameters: trial.make(), trial: completed(trial) }));
    return found.length > 0 ? [{ trial: trial.name, law: sentence, found }] : [];
  });
}

/** What breaks the laws between rounds, or between steps. */
function violationsBetween(protocol: AnyKind, trial: AnyTrial): Violation[] {
  const searches: readonly (readonly [string, () => Iterable<string>])[] = isRounds(protocol)
    ? roundsLaws.map(({ sentence, broken }) => [sentence, () => broken(played(protocol, trial))])
    : isStream(protocol)
      ? streamLaws.map(({ sentence, broken }) => [sentence, () => broken({ protocol, trial, plan: trial.make() })])
      : [];
  return searches.flatMap(([law, search]) => {
    const found = firstFindings(search);
    return found.length > 0 ? [{ trial: trial.name, law, found }] : [];
  });
}

/**
 * Tests a protocol of any kind on cases and returns the laws that it breaks: none for a correct protocol. It throws
 * nothing, so a test can also show which laws a deliberately broken protocol breaks.
 *
 * The cases of a protocol in rounds and of a stream make plans. All data answer every round, or one step after the
 * other; each round, and the first step, keeps the laws of one report, and there are laws from one to the next.
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
 * The same in any test runner: returns nothing where every control is noticed. Of a protocol in rounds each round is
 * broken by itself, of a stream its first step.
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

/** At most five findings; a thrown error is the last one. */
function firstFindings(findings: () => Iterable<string>): string[] {
  const found: string[] = [];
  try {
    for (const finding of findings()) if (found.push(finding) === 5) break;
  } catch (error) {
    found.push(`threw ${String(error)}`);
  }
  return found;
}
