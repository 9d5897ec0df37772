import type { AuditTarget } from '../audit/target.ts';
import { refusal } from '../check/number.ts';
import type { Guarantee } from '../privacy/guarantee.ts';
import type { PublicParameters, Theory } from '../protocol/contract.ts';
import type { StudyRequest } from '../simulation/study.ts';
import { loadAnyStudy } from './studies.ts';

/** The target of an audit, whatever the types of its protocol. */
export type AnyTarget = AuditTarget<unknown, unknown, unknown>;

/**
 * The player of a protocol of this package as the target of an audit, with all that the protocol tells its attackers.
 *
 * @throws TypeError or RangeError for an unknown protocol, maker or number, and for a protocol that names no pairs.
 */
export async function auditTarget(protocol: string, request: StudyRequest): Promise<AnyTarget> {
  const study = await loadAnyStudy(protocol);
  const { player, theory, auditing } = study.protocol;
  if (auditing === undefined) throw new RangeError(refusal('protocol', 'one that says how to audit it', protocol));
  const parameters = study.parameters(request);
  return { player, auditing, parameters, claimed: claimsOf(theory, parameters) } as unknown as AnyTarget;
}

/**
 * Everything that is said of a transcript, the headline first: what the paper or the maker claims, what the theory guarantees
 * where that is something else, and the Gaussian or else the concentrated total, which says more than an (ε, δ).
 */
function claimsOf<Parameters extends PublicParameters>(
  theory: Theory<Parameters>,
  parameters: Parameters,
): readonly Guarantee[] {
  const { claimed, totals } = theory.certificate(parameters);
  const claims = [claimed ?? theory.guarantee(parameters), theory.guarantee(parameters)];
  if (claims[0].kind !== 'pure') {
    const sums = totals.map(({ guarantee }) => guarantee);
    const sharper = sums.find(({ kind }) => kind === 'gdp') ?? sums.find(({ kind }) => kind === 'zcdp');
    if (sharper !== undefined && claims.every(({ kind }) => kind !== sharper.kind)) claims.push(sharper);
  }
  const texts = claims.map((claim) => JSON.stringify(claim));
  return claims.filter((_, at) => texts.indexOf(texts[at]) === at);
}
