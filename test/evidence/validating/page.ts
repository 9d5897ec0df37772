import { counted, element, escapeText, type Markup, markupTable, pageFrame, paragraph, section } from 'ldpkit/node';
import { FIGURE_STYLE } from '../engine/figure-frame.ts';
import { claimTable, figureGrid, originSection, resultTable } from '../engine/page-parts.ts';
import { byPaper, countClaims, isMissed, type ValidationDocument, type ValidationRecord } from './document.ts';

/** What this page needs besides the style sheets of all pages and of figures. */
const VALIDATION_STYLE = `
h3 { font-size: 1rem; margin: 24px 0 2px; }
article + article { border-top: 1px solid var(--rule); margin-top: 28px; }
article .charts { margin: 14px 0; }
details { margin: 8px 0; }
details .scroll { margin-top: 6px; }
a { color: inherit; text-decoration-color: var(--soft); }
@media (min-width: 641px) {
  .asked td:nth-child(2), .summary td:nth-child(3) { min-width: 14rem; }
  .summary td:nth-child(-n+2) { white-space: nowrap; }
}
@media (max-width: 640px) {
  .summary :is(th, td):is(:nth-child(2), :nth-child(5)) { display: none; }
  .summary td:nth-child(3) { min-width: 7rem; }
  .summary td:first-child { min-width: 7rem; }
}
`;

/** One HTML page about validations: which claims are met, and for each theorem what is claimed and measured. It loads and runs nothing. */
export function validationPage(document: ValidationDocument): string {
  const { validations, claims, effort } = document;
  const title = 'Theorems measured against what they claim';
  const body = element(
    'main',
    {},
    element('h1', {}, escapeText(title)),
    element('div', { class: 'claims' }, verdict(document)),
    paragraph(
      `${counted(claims.all, 'claim')} of ${counted(validations.length, 'validation')}; ${effort.threadSeconds} core seconds. ` +
        'In figures, what is measured has marks and bars, what is claimed is dashed or dotted.',
      'soft',
    ),
    section('Summary', summaryTable(validations)),
    ...byPaper(validations).map((group) => section(group.title, ...group.validations.map(article))),
    originSection(document),
  );
  return pageFrame(title, body, FIGURE_STYLE + VALIDATION_STYLE);
}

function verdict({ claims, validations }: ValidationDocument): Markup {
  if (claims.met === claims.all) return paragraph('Every claim is met.', 'met');
  const missed = validations.filter((one) => one.claims.some(isMissed)).map(({ name }) => name);
  const open = claims.open === 0 ? '' : `Open, for too little was computed: ${claims.open}.`;
  if (missed.length === 0) return paragraph(open);
  const count = claims.all - claims.met - claims.open;
  return paragraph(
    `Not met: ${count} of ${counted(claims.all, 'claim')}, of ${missed.join(', ')}. ${open}`.trim(),
    'missed',
  );
}

function summaryTable(validations: readonly ValidationRecord[]): Markup {
  const rows = byPaper(validations).flatMap((group) =>
    group.validations.map((one) => {
      const { met, open, all } = countClaims([one]);
      const link = element('a', { href: `#${one.name}` }, escapeText(one.name));
      return [
        element('td', {}, link),
        element('td', {}, escapeText(one.paper)),
        element('td', {}, escapeText(one.theorems.join('; '))),
        element('td', { class: met + open === all ? 'number met' : 'number missed' }, `${met} of ${all}`),
        element('td', { class: 'number' }, one.effort.computed === 0 ? 'kept' : String(one.effort.threadSeconds)),
      ];
    }),
  );
  const head = ['validation', 'paper', 'items', 'claims met', 'core seconds'];
  return markupTable(head, rows, 'scroll claims summary');
}

function article(record: ValidationRecord): Markup {
  const { name, title, theorems, source, summary, claims, figures, tables } = record;
  return element(
    'article',
    { id: name },
    element('h3', {}, escapeText(title)),
    paragraph(`${theorems.join('; ')}. ${source}.`, 'soft'),
    ...summary.split('\n').map((text) => paragraph(text)),
    claimTable(claims),
    figureGrid(figures),
    ...tables.map((one) => element('details', {}, element('summary', {}, escapeText(one.title)), resultTable(one))),
  );
}
