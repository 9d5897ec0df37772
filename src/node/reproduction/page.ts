import { element, escapeText, type Markup } from '../report/markup.ts';
import { pageFrame, paragraph, section } from '../report/page-frame.ts';
import { table } from '../report/page-tables.ts';
import type { ExperimentDocument } from './experiment-run.ts';
import { figureInPage } from './figure.ts';
import { FIGURE_STYLE } from './figure-frame.ts';

/** One HTML page about an experiment: what was asked, what was measured, figures, tables. It loads nothing and runs nothing. */
export function experimentPage(document: ExperimentDocument): string {
  const { title, source, summary, claims, figures, tables, scale, command, seed, version } = document;
  const body = element(
    'main',
    {},
    element('h1', {}, escapeText(title)),
    paragraph(`${source}.`, 'soft'),
    ...summary.split('\n').map((text) => paragraph(text)),
    claims.length === 0 ? '' : section('Asked and measured', claimTable(document)),
    figures.length === 0 ? '' : section('Figures', element('div', { class: 'charts' }, ...figures.map(figureInPage))),
    ...tables.map((one) =>
      section(
        one.title,
        table(
          one.columns,
          one.rows.map((cells, index) => ({ cells, opens: opensAt(one.rows, index) })),
          { right: firstOfNumbers(one.rows) },
        ),
        ...one.notes.map((note) => paragraph(note, 'soft')),
      ),
    ),
    section(
      'How this page was made',
      element('pre', {}, escapeText(command)),
      paragraph(
        `ldpkit ${version}, scale ${scale}, seed “${seed}”: the same command gives the same numbers on any number of ` +
          'threads, stopped and gone on with or not. Seeded coins protect nobody: this is a simulation.',
        'soft',
      ),
    ),
  );
  return pageFrame(title, body, FIGURE_STYLE);
}

function claimTable({ claims }: ExperimentDocument): Markup {
  const rows = claims.map(({ asked, measured, met }) =>
    element(
      'tr',
      {},
      element('td', { class: met ? 'met' : 'missed' }, met ? 'yes' : 'no'),
      element('td', {}, escapeText(asked)),
      element('td', {}, escapeText(measured)),
    ),
  );
  const head = ['met', 'asked', 'measured'].map((text) => element('th', {}, text));
  return element(
    'div',
    { class: 'scroll claims' },
    element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows)),
  );
}

/** A rule above every row that names a new group, where some do not. */
function opensAt(rows: readonly (readonly string[])[], index: number): boolean {
  return index > 0 && rows[index][0] !== '' && rows.some(([first]) => first === '');
}

/** The column after the last one with words in it. */
function firstOfNumbers(rows: readonly (readonly string[])[]): number {
  let first = 1;
  for (const row of rows) {
    for (const [column, text] of row.entries()) {
      if (text !== '' && !/^(?:[-−–±(]?[\d.]|none$)/.test(text)) first = Math.max(first, column + 1);
    }
  }
  return first;
}
