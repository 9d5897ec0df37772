import { element, escapeText, type Markup } from './markup.ts';
import { STYLE } from './style.ts';

/**
 * A whole page around its content. It loads nothing and runs nothing, and says so to the browser. `style` is added to the
 * style sheet of all pages.
 */
export function pageFrame(title: string, body: Markup, style: string = ''): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  const meta = [
    element('meta', { charset: 'utf-8' }),
    element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    element('meta', { 'http-equiv': 'Content-Security-Policy', content: policy }),
    element('title', {}, escapeText(title)),
    element('style', {}, STYLE + style),
  ];
  const html = element('html', { lang: 'en' }, element('head', {}, ...meta), element('body', {}, body));
  return `<!doctype html>\n${html}\n`;
}

/** A part of a page under a heading. */
export function section(heading: string, ...content: readonly Markup[]): Markup {
  return element('section', {}, element('h2', {}, escapeText(heading)), ...content);
}

/** A paragraph of plain text. */
export function paragraph(text: string, kind?: string): Markup {
  return element('p', { class: kind }, escapeText(text));
}
