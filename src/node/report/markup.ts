import { printable } from '../../check/printable.ts';

/** Text that is markup already; everything else passes `escapeText` first. */
export type Markup = string;

/** The attributes of an element; one that is undefined is left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Elements of HTML without content. */
const VOID: readonly string[] = ['meta', 'br'];

/**
 * Any text as it may stand between tags or in an attribute. Characters that a reader would obey instead of read stand as
 * `\u202e`.
 */
export function escapeText(text: string): Markup {
  return printable(text).replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

/** The same for a text of several lines that this program wrote, such as a document of JSON. */
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

// Hundredths of a pixel are finer than anybody sees.
function coordinate(value: number): string {
  return String(Math.round(value * 100) / 100);
}
