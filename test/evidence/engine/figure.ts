import { element, escapeText, type Markup, markerPath } from 'ldpkit/node';
import type { Figure } from '../experiment/figure.ts';
import { boxFigure } from './box-figure.ts';
import { curveFigure, dashesOf } from './curve-figure.ts';
import { type FileLegendEntry, figureFile } from './figure-frame.ts';

/** A figure as SVG within a page. */
function figureMarkup(figure: Figure): Markup {
  return figure.kind === 'curves' ? curveFigure(figure) : boxFigure(figure);
}

/** A figure as an SVG file of its own. */
export function figureSvg(figure: Figure): string {
  return figureFile(figure.title, figureMarkup(figure), entriesOf(figure));
}

/** Figures as SVG files, by the names of the files. */
export function figureFiles(figures: readonly Figure[]): Readonly<Record<string, string>> {
  return Object.fromEntries(figures.map((figure) => [`${figure.name}.svg`, figureSvg(figure)]));
}

/** A figure with its title and legend, for a page. */
export function figureInPage(figure: Figure): Markup {
  const items = entriesOf(figure).map(({ name, mark }) => {
    const picture = element('svg', { viewBox: '0 0 30 16', width: 30, height: 16, 'aria-hidden': 'true' }, mark);
    return element('li', {}, picture, escapeText(name));
  });
  return element(
    'figure',
    {},
    element('figcaption', {}, escapeText(figure.title)),
    element('div', { class: 'scroll plot' }, figureMarkup(figure)),
    element('ul', { class: 'legend' }, ...items),
  );
}

/** What the legend of a figure says: every name once. */
function entriesOf(figure: Figure): readonly FileLegendEntry[] {
  const entries = new Map<string, Markup>();
  if (figure.kind === 'curves') {
    const patterns = dashesOf(figure.curves);
    for (const { name, style } of figure.curves) entries.set(name, curveMark(style, patterns.get(name)));
  } else {
    for (const { name, style } of figure.groups.flatMap(({ boxes }) => boxes)) entries.set(name, boxMark(style));
  }
  for (const { name } of figure.levels) {
    entries.set(name, element('line', { class: 'level dashed', x1: 1, x2: 29, y1: 8, y2: 8 }));
  }
  return [...entries].map(([name, mark]) => ({ name, mark }));
}

function curveMark(style: number, dash: number | undefined): Markup {
  const kind = dash === undefined ? 'line' : `line dashed dash${dash}`;
  const stroke = element('line', { class: kind, x1: 1, x2: 29, y1: 8, y2: 8 });
  const mark =
    dash !== undefined ? '' : element('path', { class: 'marker', d: markerPath(style), transform: 'translate(15 8)' });
  return element('g', { class: `s${style}` }, stroke, mark);
}

function boxMark(style: number): Markup {
  return element('g', { class: `s${style}` }, element('rect', { class: 'box', x: 6, y: 1, width: 18, height: 14 }));
}
