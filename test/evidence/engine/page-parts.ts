import { element, escapeText, type Markup, markupTable, paragraph, section, table } from 'ldpkit/node';
import type { ExperimentClaim } from 'ldpkit/testing';
import type { Reproduction } from '../experiment/experiment.ts';
import type { Figure } from '../experiment/figure.ts';
import type { DocumentOrigin } from './experiment-run.ts';
import { figureInPage } from './figure.ts';

/** What was asked, what was measured, and whether that met it. */
export function claimTable(claims: readonly ExperimentClaim[]): Markup {
  const rows = claims.map(({ asked, measured, met, undecided }) => [
    undecided === true
      ? element('td', {}, 'open')
      : element('td', { class: met ? 'met' : 'missed' }, met ? 'yes' : 'no'),
    element('td', {}, escapeText(asked)),
    element('td', {}, escapeText(measured)),
  ]);
  return markupTable(['met', 'asked', 'measured'], rows, 'scroll claims asked');
}

/** Figures beside and below each other. */
export function figureGrid(figures: readonly Figure[]): Markup {
  return element('div', { class: 'charts' }, ...figures.map(figureInPage));
}

/** A table of results with its notes, but for its title. */
export function resultTable({ columns, rows, notes }: Reproduction): Markup {
  const shown = rows.map((cells, index) => ({ cells, opens: opensAt(rows, index) }));
  return [table(columns, shown, { right: firstOfNumbers(rows) }), ...notes.map((note) => paragraph(note, 'soft'))].join(
    '',
  );
}

/** The command that makes a page, and what its numbers depend on. */
export function originSection({ scale, command, seed, version }: DocumentOrigin): Markup {
  return section(
    'How this page was made',
    element('pre', {}, escapeText(command)),
    paragraph(
      `ldpkit ${version}, scale ${scale}, seed “${seed}”: the same command gives the same numbers on any number of ` +
        'threads, stopped and gone on with or not. Seeded coins protect nobody: this is a simulation.',
      'soft',
    ),
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
