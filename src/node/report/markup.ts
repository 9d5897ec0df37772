import {
  type SymbolType,
  symbol,
  symbolCircle,
  symbolCross,
  symbolDiamond,
  symbolSquare,
  symbolStar,
  symbolTriangle,
  symbolWye,
} from 'd3-shape';
import { escapeText, type Markup, prose } from './formula.ts';

export { escapeText, type Markup } from './formula.ts';

/** The attributes of an element; an undefined attribute is left out. */
type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Elements of HTML without content. */
const VOID: readonly string[] = ['meta', 'br'];

/** The same as {@link escapeText} for a text of several lines that this program wrote, such as a document of JSON. */
export function escapeLines(text: string): Markup {
  return text.split('\n').map(escapeText).join('\n');
}

/** An element; attributes are escaped, content is markup. */
export function element(name: string, attributes: Attributes = {}, ...content: readonly Markup[]): Markup {
  const list = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escapeText(typeof value === 'number' ? coordinate(value) : String(value))}"`);
  const open = `<${name}${list.join('')}>`;
  return VOID.includes(name) ? open : `${open}${content.join('')}</${name}>`;
}

// Hundredths of a pixel are too fine to be seen.
function coordinate(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** A part of a page under a heading. */
export function section(heading: string, ...content: readonly Markup[]): Markup {
  return element('section', {}, element('h2', {}, prose(heading)), ...content);
}

/** A paragraph of plain text; its formulas are set as formulas. */
export function paragraph(text: string, kind?: string): Markup {
  return element('p', { class: kind }, prose(text));
}

/** One row of a table of texts. */
interface TableRow {
  readonly cells: readonly string[];
  /** Whether something new begins here, such as another ε. */
  readonly opens: boolean;
}

/** A table of texts; columns from `right` on are numbers aligned on the right. */
export function table(
  head: readonly string[],
  rows: readonly TableRow[],
  { right }: { readonly right: number },
): Markup {
  const cells = (name: string, texts: readonly string[]): Markup[] =>
    texts.map((text, column) => element(name, { class: column >= right ? 'number' : undefined }, prose(text)));
  const body = rows.map((row) => element('tr', { class: row.opens ? 'opens' : undefined }, ...cells('td', row.cells)));
  return framedTable(cells('th', head), body, 'scroll');
}

/** A table whose cells are markup, in a box that may have several classes. */
export function markupTable(head: readonly string[], rows: readonly (readonly Markup[])[], kind: string): Markup {
  const body = rows.map((cells) => element('tr', {}, ...cells));
  return framedTable(
    head.map((text) => element('th', {}, escapeText(text))),
    body,
    kind,
  );
}

function framedTable(head: readonly Markup[], body: readonly Markup[], kind: string): Markup {
  return element(
    'div',
    { class: kind },
    element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...body)),
  );
}

// Each colour has its own shape, so that nobody needs to distinguish colours.
const SYMBOLS: readonly SymbolType[] = [
  symbolCircle,
  symbolSquare,
  symbolTriangle,
  symbolDiamond,
  symbolCross,
  symbolStar,
  symbolWye,
];

/** How many colours and markers there are. */
export const STYLES: number = SYMBOLS.length;

/** The path of a marker around the origin. */
export function markerPath(style: number): string {
  return (
    symbol()
      .type(SYMBOLS[style % STYLES])
      .size(58)
      .digits(2)() ?? ''
  );
}
