import { element, escapeText, type Markup } from './markup.ts';

/** The inside of a chart in pixels; the texts of its axes stand to the left of it and below. */
export interface Inside {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The inside of a chart of this size. */
export function insideOf(width: number, height: number): Inside {
  return { left: 66, right: width - 14, top: 12, bottom: height - 50 };
}

/** A line across the inside at one height, as part of the grid or as an axis. */
export function lineAcross({ left, right }: Inside, y: number, kind: 'grid' | 'axis'): Markup {
  return element('line', { class: kind, x1: left, x2: right, y1: y, y2: y });
}

/** The text of a tick of the upright axis. */
export function textBeside({ left }: Inside, y: number, text: string): Markup {
  return element('text', { class: 'tick end', x: left - 8, y, dy: '0.32em' }, escapeText(text));
}

/** A tick of the axis at the bottom. */
export function tickBelow({ bottom }: Inside, x: number): Markup {
  return element('line', { class: 'axis', x1: x, x2: x, y1: bottom, y2: bottom + 5 });
}

/** The text of such a tick. */
export function textBelow({ bottom }: Inside, x: number, text: string): Markup {
  return element('text', { class: 'tick middle', x, y: bottom + 19 }, escapeText(text));
}

/** The name of the axis at the bottom; `lower` is how much lower it stands than usual. */
export function nameBelow({ left, right, bottom }: Omit<Inside, 'top'>, name: string, lower: number = 0): Markup {
  return element('text', { class: 'name middle', x: (left + right) / 2, y: bottom + 42 + lower }, escapeText(name));
}

/** The name of the upright axis. */
export function nameBeside({ top, bottom }: Inside, name: string): Markup {
  const turned = { class: 'name middle', transform: `translate(15 ${(top + bottom) / 2}) rotate(-90)` };
  return element('text', turned, escapeText(name));
}

/** 1, 2 and 5 times powers of ten within a range, or only the powers. */
export function decimalTicks(low: number, high: number, onlyPowers: boolean = false): readonly number[] {
  const ticks: number[] = [];
  for (let exponent = Math.floor(Math.log10(low)); 10 ** exponent <= high; exponent++) {
    for (const digit of onlyPowers ? [1] : [1, 2, 5]) {
      const tick = Number(`${digit}e${exponent}`);
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  }
  return ticks;
}
