// Attacks on reports, and the bounds that they prove: ldpkit/audit.
export { type AuditResult, audit } from './audit.ts';
export { exactEpsilon } from './claim.ts';
export { auditOneRun, guessInclusion } from './one-run.ts';
export { auditShare, mergeShares, planAudit } from './plan.ts';
export type { AuditTarget } from './target.ts';
export { roundTarget, transcriptTarget } from './transcript.ts';
