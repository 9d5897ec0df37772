import Papa from 'papaparse';
import { printable } from '../../check/refusal.ts';
import { element, escapeText, type Markup, markerPath } from './markup.ts';

/** Width of a picture as wide as the page, and of one that stands beside another. */
export const WIDE = 900;
export const HALF = 540;

/** What one entry of a legend shows. */
export interface LegendEntry {
  readonly name: string;
  /** The number of a series' colour and marker, or the kind of a level. */
  readonly style: number | 'solid' | 'dashed';
}

/** A picture: what is drawn, and the numbers in it. */
export interface Picture {
  /** What it shows: read aloud, and the name of its files. */
  readonly label: string;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly parts: readonly Markup[];
  /** What the series and levels are; drawn below the picture and part of it. */
  readonly legend: readonly LegendEntry[];
  /** The numbers: names of columns, then a row for each point. */
  readonly rows: readonly (readonly (string | number)[])[];
  /** Stands above it. */
  readonly caption?: string;
}

/** Pixels of a line of the legend, of a letter in it, and of a mark with the space around it. */
const LINE = 22;
const LETTER = 7.1;
const MARK = 38;
const APART = 22;

/** A picture as a figure of a page; a script adds what can be saved and hovered (`PICTURE_SCRIPT`). */
function figure(picture: Picture): Markup {
  const { label, rows, caption } = picture;
  // One cell of a table of numbers may be a name out of a schema.
  const csv = Papa.unparse(
    rows.map((cells) => cells.map((cell) => (typeof cell === 'number' ? cell : printable(cell)))),
    // What begins like a formula of a spreadsheet is not one.
    { escapeFormulae: true },
  );
  const data = { 'data-name': fileName(label), 'data-csv': `${csv}\r\n`.replaceAll('\r\n', '␊') };
  const head = caption === undefined ? '' : element('figcaption', {}, escapeText(caption));
  return element('figure', data, head, element('div', { class: 'plot' }, pictureSvg(picture)));
}

/** Figures side by side, or one as wide as the page. */
export function figures(...pictures: readonly Picture[]): Markup {
  return element('div', { class: pictures.length > 1 ? 'charts' : undefined }, ...pictures.map(figure));
}

function pictureSvg({ label, width, height, parts, legend }: Picture): Markup {
  const below = legendBelow(legend, width, height);
  const box = { viewBox: `0 0 ${width} ${(height + below.height).toFixed(0)}`, role: 'img', 'aria-label': label };
  return element('svg', { ...box, class: width > HALF ? 'wide' : undefined }, ...parts, below.markup);
}

/** The legend in as many lines as its names need. */
function legendBelow(entries: readonly LegendEntry[], width: number, top: number): { markup: Markup; height: number } {
  if (entries.length === 0) return { markup: '', height: 0 };
  const left = 16;
  let [x, y] = [left, top + LINE / 2];
  const items = entries.map(({ name, style }) => {
    const needed = MARK + LETTER * name.length;
    if (x > left && x + needed > width) [x, y] = [left, y + LINE];
    const isSeries = typeof style === 'number';
    const item = element(
      'g',
      { class: isSeries ? `s${style}` : undefined, transform: `translate(${x.toFixed(0)} ${y})` },
      element('line', { class: isSeries ? 'line' : `level ${style}`, x1: 1, x2: 29, y1: 0, y2: 0 }),
      isSeries ? element('path', { class: 'marker', d: markerPath(style), transform: 'translate(15 0)' }) : '',
      element('text', { x: MARK - 3, y: 0, dy: '0.32em' }, escapeText(name)),
    );
    x += needed + APART;
    return item;
  });
  return { markup: element('g', { class: 'legend' }, ...items), height: y + LINE - top };
}

/** A label as the name of a file: letters, digits and hyphens. */
function fileName(label: string): string {
  const words = label
    .replaceAll('ε', 'epsilon')
    .replaceAll('μ', 'mu')
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['picture'];
  return words.join('-').slice(0, 60);
}
