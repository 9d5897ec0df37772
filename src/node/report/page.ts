import { PICTURE_SCRIPT, SCRIPT_SOURCE } from './interaction.ts';
import { element, escapeText, type Markup } from './markup.ts';
import { PAGE_STYLE, PICTURE_STYLE } from './style.ts';

/**
 * A whole page around its content. It loads nothing and tells the browser so; the only script that may run is the one for
 * pictures (`PICTURE_SCRIPT`), and only in pages that have some. `style` is added to the style sheet of all pages.
 */
export function pageFrame(title: string, body: Markup, style: string = ''): string {
  const drawn = body.includes('<figure');
  const policy = `default-src 'none'; style-src 'unsafe-inline'${drawn ? `; script-src ${SCRIPT_SOURCE}` : ''}`;
  const meta = [
    element('meta', { charset: 'utf-8' }),
    element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    element('meta', { 'http-equiv': 'Content-Security-Policy', content: policy }),
    element('title', {}, escapeText(title)),
    element('style', { class: 'pictures' }, PICTURE_STYLE),
    element('style', {}, PAGE_STYLE + style),
  ];
  const script = drawn ? element('script', {}, PICTURE_SCRIPT) : '';
  const html = element('html', { lang: 'en' }, element('head', {}, ...meta), element('body', {}, body, script));
  return `<!doctype html>\n${html}\n`;
}
