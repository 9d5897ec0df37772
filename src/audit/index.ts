// Audits of players and of one run.
export * from './attack.ts';
export * from './audit.ts';
export * from './channel.ts';
export * from './claim.ts';
export type { AuditFeature } from './feature.ts';
export * from './interval.ts';
export type { LogisticModel } from './logistic.ts';
export * from './one-run.ts';
export * from './plan.ts';
export type { AuditSampler, AuditSight } from './sampler.ts';
export * from './score.ts';
export * from './share.ts';
export type { ScoreTable, ScoreTableKind } from './table.ts';
export * from './target.ts';
export * from './transcript.ts';
