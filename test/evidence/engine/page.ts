import { element, escapeText, pageFrame, paragraph, section } from 'ldpkit/node';
import type { ExperimentDocument } from './experiment-run.ts';
import { FIGURE_STYLE } from './figure-frame.ts';
import { claimTable, figureGrid, originSection, resultTable } from './page-parts.ts';

/** One HTML page about an experiment: what was asked, what was measured, figures, tables. It loads nothing and runs nothing. */
export function experimentPage(document: ExperimentDocument): string {
  const { title, source, summary, claims, figures, tables } = document;
  const body = element(
    'main',
    {},
    element('h1', {}, escapeText(title)),
    paragraph(`${source}.`, 'soft'),
    ...summary.split('\n').map((text) => paragraph(text)),
    claims.length === 0 ? '' : section('Asked and measured', claimTable(claims)),
    figures.length === 0 ? '' : section('Figures', figureGrid(figures)),
    ...tables.map((one) => section(one.title, resultTable(one))),
    originSection(document),
  );
  return pageFrame(title, body, FIGURE_STYLE);
}
