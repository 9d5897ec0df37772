import { type LogisticModel, logisticScore } from './logistic.ts';
import { describeTable, type ScoreTable, tableScore } from './table.ts';

/**
 * A number that grows as a report looks more like one under the first datum. Plain data, but for the likelihood ratio,
 * which belongs to the target: so a plan of attack can travel to another thread.
 */
export type AuditScore =
  | { readonly kind: 'likelihood ratio' }
  | { readonly kind: 'logistic'; readonly model: LogisticModel }
  | { readonly kind: 'table'; readonly table: ScoreTable };

/** How the score of the last trial is computed, from what was seen and from the report. */
export type AuditScorer<Report> = (values: Float64Array, report: Report) => number;

/**
 * A score as a function.
 *
 * @throws TypeError for a likelihood ratio that the target does not have.
 */
export function scorerOf<Report>(
  score: AuditScore,
  ratio: ((report: Report) => number) | undefined,
): AuditScorer<Report> {
  if (score.kind === 'logistic') return (values) => logisticScore(score.model, values, 0);
  if (score.kind === 'table') return (values) => tableScore(score.table, values, 0);
  if (ratio === undefined) throw new TypeError('"logLikelihoodRatio" expected a function, as in the plan, got none');
  return (_, report) => ratio(report);
}

/** A score in words. */
export function describeScore(score: AuditScore): string {
  return score.kind === 'table' ? describeTable(score.table) : score.kind;
}
