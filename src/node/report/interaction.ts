import { createHash } from 'node:crypto';

/**
 * What a browser adds to the pictures of a page: the value of the mark that one points at, and two buttons that save
 * the picture as SVG and its numbers as CSV. It runs in the page, so it uses nothing but its argument.
 */
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
export const SCRIPT_SOURCE: string = `'sha256-${createHash('sha256').update(PICTURE_SCRIPT).digest('base64')}'`;
