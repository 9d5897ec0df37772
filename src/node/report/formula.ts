import { printable } from '../../check/refusal.ts';

/** Text that is already markup; all other text passes `escapeText` first. */
export type Markup = string;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Any text in a form that is safe between tags or in an attribute. Characters that a program would obey instead of show
 * are written as `\u202e`.
 */
export function escapeText(text: string): Markup {
  return printable(text).replace(/[&<>"']/g, (character) => ENTITIES[character]);
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

/**
 * A plain text for people, in which what is a formula, such as ε = 1, ‖w‖ ≤ R, e^ε or 1e-6, is set as one (MathML).
 * Everything else is escaped. The text of the page stays that of the formula, but for exponents.
 */
export function prose(text: string): Markup {
  return withFormulas(text, escapeText);
}

/** A text whose formulas are set (MathML); `between` makes markup of everything else. */
export function withFormulas(text: string, between: (text: string) => Markup): Markup {
  let markup = '';
  let rest = 0;
  for (const { 0: formula, index } of text.matchAll(FORMULA)) {
    if (!SIGN.test(formula)) continue;
    const end = index + formula.length;
    const [opening] = OPENING.exec(text.slice(rest, index)) ?? [''];
    const [closing] = CLOSING.exec(text.slice(end)) ?? [''];
    const whole = between(opening) + mathOf(formula) + between(closing);
    markup += between(text.slice(rest, index - opening.length));
    markup += opening + closing === '' ? whole : `<span class="whole">${whole}</span>`;
    rest = end + closing.length;
  }
  return markup + between(text.slice(rest));
}

/** The formula as MathML. */
const mathOf = (formula: string): Markup => `<math>${partsOf(formula)}</math>`;

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
