import type { RunDocument } from '../experiment/document.ts';
import { wholeNumber } from '../figures.ts';
import { type Spread, type SummaryRow, summarize } from './summary.ts';

/** A table as texts: what the terminal and the page have in common. */
export interface ResultTable {
  readonly head: readonly string[];
  readonly rows: readonly ResultRow[];
}

/** One row of it. */
export interface ResultRow {
  readonly cells: readonly string[];
  /** Whether a new ε begins here. */
  readonly opens: boolean;
}

/** The results of a document: first the baselines in the clear, then for each ε the private models. */
export function resultTable(document: RunDocument): ResultTable {
  const { nonPrivate, constant, meanOnly, variants } = summarize(document);
  const rows: ResultRow[] = [nonPrivate, constant].map((row, index) => ({ cells: cellsOf(row), opens: index === 0 }));
  meanOnly.forEach((row, index) => {
    rows.push({ cells: cellsOf(row), opens: true });
    for (const variant of variants) {
      const cells = cellsOf(variant.rows[index]);
      rows.push({ cells: ['', ...cells.slice(1)], opens: false });
    }
  });
  return {
    head: ['ε', 'model', `${document.loss} risk`, 'excess risk', 'AUC', 'accuracy', 'seconds', 'reports/s'],
    rows,
  };
}

function cellsOf({ epsilon, label, risk, excessRisk, auc, accuracy, seconds, reportsPerSecond }: SummaryRow): string[] {
  return [
    epsilon === undefined ? '' : String(epsilon),
    label,
    spreadText(risk, 5),
    spreadText(excessRisk, 5),
    spreadText(auc, 4),
    spreadText(accuracy, 4),
    seconds?.mean == null ? '' : seconds.mean.toFixed(3),
    reportsPerSecond?.mean == null ? '' : wholeNumber(reportsPerSecond.mean),
  ];
}

/** A mean ± a standard deviation with so many digits after the point; a dash where there is none. */
export function spreadText({ mean, deviation }: Spread, digits: number): string {
  if (mean === null) return '–';
  // A minus zero would say that rounding is all there is.
  const text = mean
    .toFixed(digits)
    .replace(/^-(0\.?0*)$/, '$1')
    .replace('-', '−');
  return deviation === null ? text : `${text} ± ${deviation.toFixed(digits)}`;
}
