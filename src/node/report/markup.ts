import {
  symbol,
  symbolCircle,
  symbolCross,
  symbolDiamond,
  symbolSquare,
  symbolStar,
  symbolTriangle,
  symbolWye,
} from 'd3-shape';
import Papa from 'papaparse';
import { printable } from '../../check/refusal.ts';
import { powerOfTen, signed } from '../print.ts';

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
    // Hundredths of a pixel are too fine to be seen.
    .map(([key, value]) => [key, typeof value === 'number' ? Math.round(value * 100) / 100 : value] as const)
    .map(([key, value]) => ` ${key}="${escapeText(String(value))}"`);
  const open = `<${name}${list.join('')}>`;
  return VOID.includes(name) ? open : `${open}${content.join('')}</${name}>`;
}

/** A part of a page under a heading. */
export function section(heading: string, ...content: readonly Markup[]): Markup {
  return element('section', {}, element('h2', {}, prose(heading)), ...content);
}

/** A paragraph of plain text; its formulas are set as formulas. */
export function paragraph(text: string, kind?: string): Markup {
  return element('p', { class: kind }, prose(text));
}

/** A table of texts; columns from `right` on are numbers on the right; a row `opens` where something new begins, such as another ε. */
export function table(
  head: readonly string[],
  rows: readonly { readonly cells: readonly string[]; readonly opens: boolean }[],
  { right }: { readonly right: number },
): Markup {
  const cells = (name: string, texts: readonly string[]): Markup[] =>
    texts.map((text, column) => element(name, { class: column >= right ? 'number' : undefined }, prose(text)));
  const body = rows.map((row) => element('tr', { class: row.opens ? 'opens' : undefined }, ...cells('td', row.cells)));
  return framedTable(cells('th', head), body, 'scroll');
}

/** A table whose cells are markup, in a box that may have several classes. */
export function markupTable(head: readonly string[], rows: readonly (readonly Markup[])[], kind: string): Markup {
  const names = head.map((text) => element('th', {}, escapeText(text)));
  const body = rows.map((cells) => element('tr', {}, ...cells));
  return framedTable(names, body, kind);
}

/** A table of cells and rows in a box that may have several classes. */
export function framedTable(head: readonly Markup[], body: readonly Markup[], kind: string): Markup {
  const rows = [element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...body)];
  return element('div', { class: kind }, element('table', {}, ...rows));
}

// Each colour has its own shape, so that nobody needs to distinguish colours.
const SYMBOLS = [symbolCircle, symbolSquare, symbolTriangle, symbolDiamond, symbolCross, symbolStar, symbolWye];

/** How many colours and markers there are. */
export const STYLES: number = SYMBOLS.length;

/** The path of a marker around the origin. */
export function markerPath(style: number): string {
  const shape = symbol().type(SYMBOLS[style % STYLES]);
  return shape.size(58).digits(2)() ?? '';
}

/** The marker of a style at a place of a picture; `content` is what stands in it, such as a tip. */
export function markerAt(
  style: number,
  [left, top]: readonly [number, number],
  size: number = 1,
  ...content: readonly Markup[]
): Markup {
  const transform = `translate(${left.toFixed(2)} ${top.toFixed(2)})${size === 1 ? '' : ` scale(${size})`}`;
  return element('path', { class: 'marker', d: markerPath(style), transform }, ...content);
}

/** What is shown where one points at something in a picture. */
export function tipOf(tip: string): Markup {
  return element('title', {}, escapeText(tip));
}

/** Things in a picture that belong together, with their tip; of a kind such as `s0`, whose colour they have. */
export function marked(tip: string, kind: string | undefined, ...parts: readonly Markup[]): Markup {
  return element('g', { class: kind }, tipOf(tip), ...parts);
}

/** A text in a picture. */
export function words(kind: string, place: Attributes, text: string): Markup {
  return element('text', { class: kind, ...place }, escapeText(text));
}

/** Text that is already markup; all other text passes `escapeText` first. */
export type Markup = string;

const ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' };

/**
 * Any text in a form that is safe between tags or in an attribute. Characters that a program would obey instead of show
 * are written as `\u202e`.
 */
export function escapeText(text: string): Markup {
  return printable(text).replace(/[&<>"']/g, (character) => `&${ENTITIES[character]};`);
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const SUBSCRIPTS = '₀₁₂₃₄₅₆₇₈₉';
const NUMBER = String.raw`[−-]?\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?`;
const GREEK = '[αβγδεζθλμρστφΦ]';
// What stands raised or lowered: a number, a letter that is not a word, or anything in brackets.
const SCRIPT = String.raw`[_^](?:[−-]?\p{L}(?![\p{L}\p{Nd}_])|${NUMBER}|\{[^{}\n]+\}|\([^()\n]+\))`;
// A single letter is a symbol where another sign of a formula, or what it carries, says so.
const SYMBOL = String.raw`‖\p{L}‖|${GREEK}|(?<![\p{L}\p{N}_])(?:\p{L}(?=${SCRIPT})|[wRpnTik](?![\p{L}\p{N}_]))`;
const ATOM = `(?:${NUMBER}|${SYMBOL})(?:[₀-₉]+|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|${SCRIPT})*`;
const FORMULA = new RegExp(
  String.raw`(?<![\p{L}\p{N}.])√?${ATOM}(?:[ \u00a0]?[=≤≥·×/√][ \u00a0]?√?${ATOM})*(?!\p{L})`,
  'gu',
);
/** What stands so close to a formula that no line may end between them. */
const OPENING = /[([“]+$/u;
const CLOSING = /^[)\]”.,;:]+/u;
/** What makes a match a formula and not a number in a sentence. */
const SIGN: RegExp = new RegExp(String.raw`${GREEK}|[√‖_^⁻⁰¹²³⁴⁵⁶⁷⁸⁹]|e-\d`, 'u');
const TOKEN = new RegExp(
  String.raw`(?<script>${SCRIPT})|(?<number>${NUMBER})|(?<raised>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)|(?<lowered>[₀-₉]+)|(?<name>\p{L})|(?<sign>.)`,
  'gu',
);

/** A text whose formulas (ε = 1, ‖w‖ ≤ R, e^ε, 1e-6) are set as MathML, with the same text but for exponents; `between` makes the rest. */
export function prose(text: string, between: (text: string) => Markup = escapeText): Markup {
  let markup = '';
  let rest = 0;
  for (const { 0: formula, index } of text.matchAll(FORMULA)) {
    if (!SIGN.test(formula)) continue;
    const end = index + formula.length;
    const [opening] = OPENING.exec(text.slice(rest, index)) ?? [''];
    const [closing] = CLOSING.exec(text.slice(end)) ?? [''];
    const whole = `${between(opening)}<math>${partsOf(formula)}</math>${between(closing)}`;
    markup += between(text.slice(rest, index - opening.length));
    markup += opening + closing === '' ? whole : `<span class="whole">${whole}</span>`;
    rest = end + closing.length;
  }
  return markup + between(text.slice(rest));
}

/** The parts of a formula; spaces stay between them, where they are not drawn but read and copied. */
function partsOf(formula: string): Markup {
  const parts: Markup[] = [];
  let root = false;
  const add = (part: Markup): void => {
    parts.push(root ? `<msqrt>${part}</msqrt>` : part);
    root = false;
  };
  for (const { groups = {} } of formula.matchAll(TOKEN)) {
    const { script, number, raised: exponent, lowered: index, name, sign } = groups;
    if (script !== undefined) {
      const row = `<mrow>${partsOf(script.slice(1).replace(/^[{(](.*)[})]$/u, '$1'))}</mrow>`;
      parts.push(script.startsWith('^') ? raised(parts.pop() ?? '', row) : lowered(parts.pop() ?? '', row));
    } else if (number !== undefined) add(numberOf(number));
    else if (exponent !== undefined) add(raised(parts.pop() ?? '', `<mn>${plainDigits(exponent)}</mn>`));
    else if (index !== undefined) parts.push(lowered(parts.pop() ?? '', `<mn>${plainDigits(index)}</mn>`));
    else if (name !== undefined) add(`<mi>${name}</mi>`);
    else if (sign === '√') root = true;
    else if (sign === ' ' || sign === '\u00a0') parts.push(' ');
    else if (sign === '‖') parts.push('<mo stretchy="false">‖</mo>');
    else parts.push(`<mo>${sign === '-' ? '−' : escapeText(sign)}</mo>`);
  }
  return parts.join('');
}

const raised = (base: Markup, exponent: Markup): Markup => `<msup>${base}${exponent}</msup>`;
const lowered = (base: Markup, index: Markup): Markup => `<msub>${base}${index}</msub>`;

/** A number; one with a power of ten as that power. */
function numberOf(text: string): Markup {
  const [digits, exponent] = text.replace('-', '−').replace('e−', 'e-').split('e');
  if (exponent === undefined) return `<mn>${digits}</mn>`;
  const power = raised('<mn>10</mn>', `<mn>${exponent.replace('-', '−')}</mn>`);
  return `<mrow>${digits === '1' ? '' : `<mn>${digits}</mn><mo>×</mo>`}${power}</mrow>`;
}

function plainDigits(small: string): string {
  const digit = (sign: string): number => Math.max(SUPERSCRIPTS.indexOf(sign), SUBSCRIPTS.indexOf(sign));
  return Array.from(small, (sign) => (sign === '⁻' ? '−' : String(digit(sign)))).join('');
}

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

/** The drawing, and below it the legend in as many lines as its names need. */
function pictureSvg({ label, width, height, parts, legend }: Picture): Markup {
  const left = 16;
  let [x, y] = [left, height + LINE / 2];
  const items = legend.map(({ name, style }) => {
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
  const [below, end] = items.length === 0 ? ['', height] : [element('g', { class: 'legend' }, ...items), y + LINE];
  const box = { viewBox: `0 0 ${width} ${end.toFixed(0)}`, role: 'img', 'aria-label': label };
  return element('svg', { ...box, class: width > HALF ? 'wide' : undefined }, ...parts, below);
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

// Where the ticks of an axis stand, and their texts, for which the margin of a chart is narrow.

/** The most powers of ten that an axis of a chart has room for. */
const POWERS = 12;

/** 1, 2 and 5 times powers of ten within a range, or only the powers, of many every second, every third and so on. */
export function decimalTicks(low: number, high: number, onlyPowers: boolean = false): readonly number[] {
  const ticks: number[] = [];
  const step = Math.ceil(Math.log10(high / low) / POWERS) || 1;
  const lowest = Math.floor(Math.log10(low) / step) * step;
  for (let exponent = lowest; 10 ** exponent <= high; exponent += step) {
    for (const digit of onlyPowers ? [1] : [1, 2, 5]) {
      const tick = Number(`${digit}e${exponent}`);
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  }
  return ticks;
}

/** From this number on a tick is too long for the margin. */
const LONG = 1e5;

/** A tick of an axis of powers as a decimal number, or by its power of ten if it would be too long for the margin. */
export function decimalText(tick: number): string {
  if (tick >= LONG) return powerText(tick);
  return tick >= 1e-3 || !Number.isInteger(Math.log10(tick)) ? String(tick) : powerOfTen(Math.log10(tick));
}

/** The ticks of an even axis as decimal numbers, or by powers of ten if one of them would be too long for the margin. */
export function linearText(y: {
  // In words of its own: the types of d3-scale are not installed beside this package.
  domain(): readonly number[];
  tickFormat(count: number): (tick: number) => string;
}): (tick: number) => string {
  return Math.max(...y.domain().map(Math.abs)) >= 10 * LONG ? powerText : y.tickFormat(6);
}

/** 0, 10⁶, −2.5×10⁶. */
function powerText(tick: number): string {
  if (tick === 0) return '0';
  const [mantissa, exponent] = tick.toExponential(2).split('e');
  const power = powerOfTen(Number(exponent));
  return `${signed(Number(mantissa))}×${power}`.replace(/^(−?)1×/, '$1');
}
