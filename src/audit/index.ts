/**
 * Attacks on reports, and the privacy loss that they prove.
 *
 * | to | start from |
 * |---|---|
 * | attack a player | {@link audit} |
 * | know a finite channel exactly | {@link exactEpsilon} |
 * | attack the rounds of a protocol | {@link transcriptTarget} |
 * | attack one run of a curator | {@link auditOneRun} |
 *
 * @packageDocumentation
 */
export { audit, auditOneRun, guessInclusion } from './audit.ts';
export { exactEpsilon } from './claim.ts';
export { transcriptTarget } from './transcript.ts';
