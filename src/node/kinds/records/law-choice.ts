/**
 * How tallies come about. `reports`: every report is made. `sum`: none is, and what all of them add up to is drawn by the
 * law of sums. `headline`: reports for the headline run, and the law of sums for every other run that has one.
 */
export type LawChoice = 'reports' | 'sum' | 'headline';

/** Names of the choices; the first is the default. */
export const LAWS: readonly LawChoice[] = ['reports', 'sum', 'headline'];
