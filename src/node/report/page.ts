import { createHash } from 'node:crypto';
import { element, escapeText, type Markup, STYLES } from './markup.ts';

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

/**
 * The part of the style sheet that pictures need, also in a file of their own. The colours of series are those of Okabe
 * and Ito (2008), made darker or lighter to stand out from the page; they differ for every common kind of colour vision.
 * The last two, grey and brown, are told from the others by their shapes as well.
 */
export const PICTURE_STYLE: string = `
:root {
  color-scheme: light dark;
  --paper: #ffffff; --panel: #f5f7f9; --ink: #1a1f26; --soft: #56606b; --rule: #d5dbe1;
  --s0: #0072b2; --s1: #c65102; --s2: #007a5a; --s3: #a8487f; --s4: #8a6d00; --s5: #5a5f66; --s6: #7a3e00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181d; --panel: #1c2229; --ink: #e6eaee; --soft: #a3adb8; --rule: #38414b;
    --s0: #56b4e9; --s1: #f08a4b; --s2: #2ec4a0; --s3: #e08fbd; --s4: #e6c700; --s5: #b8bec6; --s6: #d9a066;
  }
}
svg text { font: 13px system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; fill: var(--ink); }
svg .tick { fill: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums; }
svg .end { text-anchor: end; }
svg .middle { text-anchor: middle; }
.grid { stroke: var(--rule); stroke-width: 1; }
.axis { stroke: var(--soft); stroke-width: 1; }
.level { stroke: var(--ink); stroke-width: 1.6; }
.level.dashed { stroke-dasharray: 7 5; stroke: var(--soft); }
.line { fill: none; stroke: var(--series); stroke-width: 2; }
.error { fill: none; stroke: var(--series); stroke-width: 1.5; }
.marker { fill: var(--series); stroke: var(--paper); stroke-width: 1; }
.bar { fill: var(--series); }
${Array.from({ length: STYLES }, (_, style) => `.s${style} { --series: var(--s${style}); }`).join('\n')}
.band { fill: var(--series); fill-opacity: 0.16; stroke: none; }
.truth { fill: var(--rule); }
.crowd { fill: var(--soft); }
.land { fill: none; stroke: var(--rule); stroke-width: 1; }
.near { filter: brightness(1.35); stroke: var(--ink); }
`;

/** The style sheet of all pages for everything around their pictures. */
export const PAGE_STYLE: string = `
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 48px; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 4px; }
h2 { font-size: 1.15rem; margin: 36px 0 8px; }
p { margin: 6px 0; max-width: 80ch; }
.soft { color: var(--soft); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 12px; margin: 20px 0 0; padding: 0; }
.tiles div { background: var(--panel); border: 1px solid var(--rule); border-radius: 8px; padding: 12px 16px; }
.tiles dt { color: var(--soft); font-size: 0.85rem; }
.tiles dd { margin: 0; }
.tiles dd.soft { font-size: 0.9rem; }
.tiles .figure { font-size: 1.6rem; font-weight: 600; font-variant-numeric: tabular-nums; line-height: 1.3; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); gap: 16px 24px; }
figure { margin: 0; min-width: 0; }
figcaption { font-weight: 600; margin-bottom: 4px; }
figure svg { display: block; width: 100%; height: auto; }
.scroll { overflow-x: auto; }
table { overflow-wrap: normal; border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 22px 4px 0; text-align: left; white-space: nowrap; vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
td:last-child:not(.number) { white-space: normal; min-width: 18rem; }
thead th { border-bottom: 2px solid var(--rule); font-weight: 600; }
tr.opens td { border-top: 1px solid var(--rule); padding-top: 7px; }
.number { text-align: right; }
code, pre { font: 0.88rem/1.5 ui-monospace, 'SFMono-Regular', Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
pre { background: var(--panel); border: 1px solid var(--rule); border-radius: 8px; padding: 10px 14px; margin: 8px 0; white-space: pre-wrap; }
summary { cursor: pointer; font-weight: 600; }
.findings { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 6px 20px; margin: 18px 0; padding: 14px 18px; background: var(--panel); border-left: 5px solid var(--s2); border-radius: 4px; }
.findings dt { color: var(--soft); font-size: 0.9rem; line-height: 1.75; }
.findings dd { margin: 0; max-width: 84ch; }
.findings dd.first { font-size: 1.2rem; font-weight: 600; line-height: 1.4; }
.findings.open { border-left-color: var(--s1); }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 0 0 8px; padding: 0; font-size: 0.9rem; }
.legend li { display: flex; align-items: center; gap: 7px; }
figure { position: relative; }
.plot { overflow-x: auto; }
.tools { display: flex; gap: 8px; justify-content: flex-end; margin-top: 2px; }
.tools button { font: inherit; font-size: 0.8rem; color: var(--soft); background: none; border: 1px solid var(--rule); border-radius: 5px; padding: 2px 9px; cursor: pointer; }
.tools button:hover { color: var(--ink); border-color: var(--soft); }
.tip { position: absolute; z-index: 1; max-width: 22rem; pointer-events: none; background: var(--ink); color: var(--paper); font-size: 0.85rem; line-height: 1.35; border-radius: 5px; padding: 4px 9px; }
math, mi, mn, mo { font-family: inherit; }
.whole { white-space: nowrap; }
@media (max-width: 640px) {
  main { padding: 20px 14px 32px; }
  h1 { font-size: 1.35rem; }
  .findings { grid-template-columns: minmax(0, 1fr); gap: 2px; padding: 12px 14px; }
  .findings dt { margin-top: 6px; }
  .plot svg { min-width: 30rem; }
  .plot svg.wide { min-width: 44rem; }
  .tiles { grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); }
  th, td { padding-right: 14px; }
  td:last-child:not(.number) { min-width: 14rem; }
}
@media print { body { font-size: 12px; } main { padding: 0; } .tools, .tip { display: none; } figure, tr { break-inside: avoid; } }
`;

/** What a browser adds to pictures: the value of a mark, and buttons that save. It runs in the page, and uses nothing but its argument. */
function addInteraction(page: Document): void {
  const style = page.querySelector('style.pictures')?.textContent ?? '';
  const save = (name: string, type: string, text: string): void => {
    const link = page.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };
  for (const figure of page.querySelectorAll('figure')) {
    const svg = figure.querySelector<SVGSVGElement>('svg[role="img"]');
    if (svg === null) continue;
    const { name = 'figure', csv } = figure.dataset;
    const { width, height } = svg.viewBox.baseVal;
    const file = (): string => {
      const copy = svg.cloneNode(true) as SVGSVGElement;
      copy.setAttribute('width', String(width));
      copy.setAttribute('height', String(height));
      for (const mark of copy.querySelectorAll('[data-tip]')) {
        const title = page.createElementNS(svg.namespaceURI, 'title');
        title.textContent = mark.getAttribute('data-tip');
        mark.prepend(title);
        mark.removeAttribute('data-tip');
        mark.removeAttribute('aria-label');
      }
      const sheet = page.createElementNS(svg.namespaceURI, 'style');
      sheet.textContent = `${style} svg { background: var(--paper); }`;
      copy.prepend(sheet);
      return new XMLSerializer().serializeToString(copy);
    };
    const tools = page.createElement('div');
    tools.className = 'tools';
    const button = (text: string, act: () => void): void => {
      const made = page.createElement('button');
      made.type = 'button';
      made.textContent = text;
      made.addEventListener('click', act);
      tools.append(made);
    };
    button('save as SVG', () => save(`${name}.svg`, 'image/svg+xml', file()));
    // No line of a table may hold a line feed, so that lines are apart by its picture.
    if (csv) button('save as CSV', () => save(`${name}.csv`, 'text/csv', csv.replaceAll('␊', '\r\n')));
    figure.append(tools);

    // The browser's own tip comes late, and never under a finger.
    for (const title of svg.querySelectorAll('title')) {
      const mark = title.parentElement;
      mark?.setAttribute('data-tip', title.textContent ?? '');
      mark?.setAttribute('aria-label', title.textContent ?? '');
      title.remove();
    }
    const marks = [...svg.querySelectorAll('[data-tip]')];
    const tip = page.createElement('div');
    tip.className = 'tip';
    tip.hidden = true;
    figure.append(tip);
    let near: Element | null = null;
    const show = (mark: Element | null): void => {
      near?.classList.remove('near');
      near = mark;
      tip.hidden = mark === null;
      if (mark === null) return;
      mark.classList.add('near');
      tip.textContent = mark.getAttribute('data-tip');
      const [box, around] = [mark.getBoundingClientRect(), figure.getBoundingClientRect()];
      const left = box.left + box.width / 2 - around.left - tip.offsetWidth / 2;
      tip.style.left = `${Math.max(0, Math.min(left, around.width - tip.offsetWidth))}px`;
      const above = box.top - around.top - tip.offsetHeight - 8;
      tip.style.top = `${above >= 0 ? above : box.bottom - around.top + 8}px`;
    };
    const point = ({ target, clientX, clientY }: PointerEvent): void => {
      const exact = target instanceof Element ? target.closest('[data-tip]') : null;
      let least = 24;
      let found = exact;
      for (const mark of exact === null ? marks : []) {
        const { left, right, top, bottom } = mark.getBoundingClientRect();
        const apart = Math.hypot(
          Math.max(left - clientX, 0, clientX - right),
          Math.max(top - clientY, 0, clientY - bottom),
        );
        if (apart < least) [least, found] = [apart, mark];
      }
      show(found);
    };
    svg.addEventListener('pointermove', point);
    svg.addEventListener('pointerdown', point);
    svg.addEventListener('pointerleave', () => show(null));
  }
}

/** The script of every page with pictures. It loads nothing and sends nothing; without it the pages show the same. */
export const PICTURE_SCRIPT: string = `(${addInteraction.toString()})(document);`;

/** The one script that the policy of a page allows: this one, by its digest. */
const SCRIPT_SOURCE: string = `'sha256-${createHash('sha256').update(PICTURE_SCRIPT).digest('base64')}'`;
