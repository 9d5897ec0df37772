/**
 * Attacks on reports, and the privacy loss that they prove.
 *
 * | to | start from |
 * |---|---|
 * | attack a player | {@link audit} |
 * | know a finite channel exactly | {@link exactEpsilon} |
 * | attack the rounds of a protocol | {@link roundTarget}, {@link transcriptTarget} |
 * | attack one run of a curator | {@link auditOneRun} |
 * | share an attack between threads | {@link planAudit}, {@link auditShare}, {@link mergeShares} |
 *
 * @packageDocumentation
 */
export { type AuditResult, audit } from './audit.ts';
export { exactEpsilon } from './claim.ts';
export { auditOneRun, guessInclusion } from './one-run.ts';
export { auditShare, mergeShares, planAudit } from './plan.ts';
export type { AuditTarget } from './target.ts';
export { roundTarget, transcriptTarget } from './transcript.ts';
