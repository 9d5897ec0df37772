// Attacks on reports, and what they prove: ldpkit/audit.
export { type AuditResult, audit } from './audit.ts';
export { exactEpsilon } from './channel.ts';
export { auditOneRun, guessInclusion } from './one-run.ts';
export { planAudit } from './plan.ts';
export { auditShare, mergeShares } from './share.ts';
export type { AuditTarget } from './target.ts';
export { roundTarget, transcriptTarget } from './transcript.ts';
