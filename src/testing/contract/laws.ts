import type { Protocol, PublicParameters } from '../../core/contract.ts';
import { attackPlayer, liesAbout, STRANGERS } from '../hostile.ts';
import { brokenClaims, brokenPlayers } from './broken-players.ts';
import { brokenServers, brokenWires } from './broken-servers.ts';
import { type ContractCase, type Control, claimLaws, completed, type Law } from './law.ts';
import { playerLaws } from './player.ts';
import { serverLaws, wireLaws } from './server.ts';

/** One lie in this many is tried here; {@link attackPlayer} tries all of them. */
const STRIDE = 19;

/** The law of a protocol on a device, where its parameters are of the grade `deployment` and remember their request. */
const deviceLaw: Law = {
  sentence: 'a device plays what was agreed, or nothing, and whether it answers tells nothing of the datum',
  *broken({ protocol, parameters, trial }) {
    if (parameters.grade !== 'deployment' || parameters.request === undefined || protocol.make === undefined) return;
    const data = [...trial.data.slice(0, 2), ...Object.values(trial.refused).slice(0, 2)];
    const lies = [...liesAbout(parameters), ...STRANGERS].filter((_, i) => i % STRIDE === 0);
    yield* attackPlayer(protocol, parameters, data, lies);
  },
};

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

/**
 * Tests a protocol on cases and returns the laws that it breaks: none for a correct protocol. It throws nothing, so a
 * test can also show which laws a deliberately broken protocol breaks.
 */
export function checkContract<Parameters extends PublicParameters, Datum, Report, Tally, Estimate, Query>(
  protocol: Protocol<Parameters, Datum, Report, Tally, Estimate, Query>,
  cases: readonly ContractCase<Parameters, Datum, Tally, Estimate, Query>[],
  laws: readonly Law[] = LAWS,
): Violation[] {
  const violations: Violation[] = [];
  for (const trial of cases) {
    for (const { sentence, broken } of laws) {
      const found = firstFindings(() => broken({ protocol, parameters: trial.make(), trial: completed(trial) }));
      if (found.length > 0) violations.push({ trial: trial.name, law: sentence, found });
    }
  }
  return violations;
}

/**
 * Tests a protocol on cases, in any test runner: returns nothing where all laws hold.
 *
 * @throws Error that lists the broken laws, each with its case and the findings.
 */
export function assertContract<Parameters extends PublicParameters, Datum, Report, Tally, Estimate, Query>(
  protocol: Protocol<Parameters, Datum, Report, Tally, Estimate, Query>,
  cases: readonly ContractCase<Parameters, Datum, Tally, Estimate, Query>[],
): void {
  const lines = checkContract(protocol, cases).map(
    ({ trial, law, found }) => `${trial}: it does not hold that ${law} (${found.join('; ')})`,
  );
  if (lines.length > 0) throw new Error(`${protocol.name} breaks its contract\n${lines.join('\n')}`);
}

/**
 * Breaks a protocol on purpose in every way that a case can show, and returns the breaks that the laws do not notice:
 * none for a case that tests as much as it seems to.
 */
export function checkControls<Parameters extends PublicParameters, Datum, Report, Tally, Estimate, Query>(
  protocol: Protocol<Parameters, Datum, Report, Tally, Estimate, Query>,
  cases: readonly ContractCase<Parameters, Datum, Tally, Estimate, Query>[],
  controls: readonly Control[] = CONTROLS,
): string[] {
  const unnoticed: string[] = [];
  for (const trial of cases) {
    for (const { what, law, breaks, parameters = honest, shows = () => true } of controls) {
      if (!shows(completed(trial))) continue;
      const changed = { ...trial, make: () => parameters(trial.make()), others: trial.others.map(parameters) };
      const named = LAWS.filter(({ sentence }) => sentence === law);
      const violations = checkContract(breaks(protocol, completed(trial)), [changed], named);
      if (violations.length === 0) unnoticed.push(`${trial.name}: ${what} breaks no law`);
    }
  }
  return unnoticed;
}

/**
 * The same in any test runner: returns nothing where every control is noticed.
 *
 * @throws Error that lists the unnoticed controls.
 */
export function assertControls<Parameters extends PublicParameters, Datum, Report, Tally, Estimate, Query>(
  protocol: Protocol<Parameters, Datum, Report, Tally, Estimate, Query>,
  cases: readonly ContractCase<Parameters, Datum, Tally, Estimate, Query>[],
): void {
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
