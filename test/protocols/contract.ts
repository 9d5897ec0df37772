import type { Protocol, PublicParameters } from '../../src/core/contract.ts';
import { claimLaws } from './contract/claims.ts';
import { deviceLaws } from './contract/device.ts';
import type { ContractCase, Law } from './contract/law.ts';
import { playerLaws } from './contract/player.ts';
import { serverLaws } from './contract/server.ts';
import { wireLaws } from './contract/wire.ts';

/** The laws every protocol obeys. Each is written once; whoever adds a protocol adds cases, not laws. */
export const LAWS: readonly Law[] = [...claimLaws, ...playerLaws, ...wireLaws, ...serverLaws, ...deviceLaws];

/** A law that was found broken. */
export interface Violation {
  /** The case it was found in. */
  readonly trial: string;
  /** The law. */
  readonly law: string;
  /** The first few findings. */
  readonly found: readonly string[];
}

/**
 * Tries a protocol on cases and returns the laws it breaks: none for a protocol in order. It throws nothing, so that a test
 * can also show which laws a protocol broken on purpose breaks.
 */
export function checkContract<Parameters extends PublicParameters, Datum, Report, Tally, Estimate, Query>(
  protocol: Protocol<Parameters, Datum, Report, Tally, Estimate, Query>,
  cases: readonly ContractCase<Parameters, Datum, Tally, Estimate, Query>[],
  laws: readonly Law[] = LAWS,
): Violation[] {
  const violations: Violation[] = [];
  for (const trial of cases) {
    for (const { sentence, broken } of laws) {
      const found: string[] = [];
      // Fresh for every law: what a broken protocol does to them must not decide what the next law sees.
      const parameters = trial.make();
      const data = structuredClone(trial.data);
      try {
        for (const finding of broken({ protocol, parameters, trial: { ...trial, data } }))
          if (found.push(finding) === 5) break;
      } catch (error) {
        found.push(`threw ${String(error)}`);
      }
      if (found.length > 0) violations.push({ trial: trial.name, law: sentence, found });
    }
  }
  return violations;
}
