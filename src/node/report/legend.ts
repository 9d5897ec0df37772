import {
  type SymbolType,
  symbol,
  symbolCircle,
  symbolCross,
  symbolDiamond,
  symbolSquare,
  symbolTriangle,
} from 'd3-shape';
import type { RunDocument } from '../experiment/document.ts';
import { element, escapeText, type Markup } from './markup.ts';

// A form for each colour, so that nobody needs to tell colours apart.
const SYMBOLS: readonly SymbolType[] = [symbolCircle, symbolSquare, symbolTriangle, symbolDiamond, symbolCross];

/** How many colours and markers there are. */
export const STYLES: number = SYMBOLS.length;

/** What one entry of a legend shows. */
export interface LegendEntry {
  readonly name: string;
  /** The number of a series' colour and marker, or the kind of a level. */
  readonly style: number | 'solid' | 'dashed';
}

/** The path of a marker around the origin. */
export function markerPath(style: number): string {
  return (
    symbol()
      .type(SYMBOLS[style % STYLES])
      .size(58)
      .digits(2)() ?? ''
  );
}

/** A legend as a list of HTML, which wraps instead of overlapping. */
export function legend(entries: readonly LegendEntry[]): Markup {
  const items = entries.map(({ name, style }) => {
    const isSeries = typeof style === 'number';
    const stroke = element('line', { class: isSeries ? 'line' : `level ${style}`, x1: 1, x2: 29, y1: 8, y2: 8 });
    const mark = isSeries
      ? element('path', { class: 'marker', d: markerPath(style), transform: 'translate(15 8)' })
      : '';
    const group = element('g', { class: isSeries ? `s${style}` : undefined }, stroke, mark);
    const picture = element('svg', { viewBox: '0 0 30 16', width: 30, height: 16, 'aria-hidden': 'true' }, group);
    return element('li', {}, picture, escapeText(name));
  });
  return element('ul', { class: 'legend' }, ...items);
}

/** The number of a variant's colour and marker: the same for each page of a protocol, whichever variants have been run. */
export function styleOf({ playersForSameVariance, runs }: RunDocument, variant: string): number {
  const known = [...new Set([...playersForSameVariance, ...runs].map((one) => one.variant))];
  return known.indexOf(variant) % (STYLES - 1);
}
