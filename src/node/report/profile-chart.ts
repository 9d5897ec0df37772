import { scaleBand, scaleLinear } from 'd3-scale';
import { insideOf, lineAcross, nameBelow, nameBeside, textBelow, textBeside } from './axes.ts';
import { type Picture, WIDE } from './figure.ts';
import { element, escapeText, type Markup, markerPath } from './markup.ts';

/** One place of a profile: the true value as a bar, and the estimate as a point. */
interface ProfilePlace {
  readonly name: string;
  readonly value: number;
  readonly estimate: number;
  /** Standard error of the estimate, or the ends of its interval. */
  readonly error: number | readonly [lower: number, upper: number];
  /** The text that is shown when one points at it. */
  readonly tip: string;
}

/** Bars with points over them, side by side. */
interface ProfileChart {
  readonly label: string;
  /** What the points are, for the legend; bars are named with them. */
  readonly name: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly places: readonly ProfilePlace[];
  /** Number of the colour and the marker of the points. */
  readonly style: number;
}

const HEIGHT = 330;
const INSIDE = insideOf(WIDE, HEIGHT);
const { left: LEFT, right: RIGHT, top: TOP, bottom: BOTTOM } = INSIDE;

/** Width of one letter, and the most letters of a name that are shown. */
const LETTER = 6.5;
const LONGEST = 24;

/** The chart as a picture. */
export function profileChart({ label, name, xLabel, yLabel, places, style }: ProfileChart): Picture {
  const ends = places.map(({ estimate, error }) =>
    typeof error === 'number' ? [estimate - error, estimate + error] : error,
  );
  const all = [...places.flatMap(({ value, estimate }) => [value, estimate]), ...ends.flat()];
  const y = scaleLinear([Math.min(0, ...all), Math.max(...all)], [BOTTOM, TOP]).nice(5);
  const names = places.map((_, index) => String(index));
  const x = scaleBand(names, [LEFT, RIGHT]).paddingInner(0.25).paddingOuter(0.15);
  const tickText = y.tickFormat(6);
  const shown = places.map(({ name }) => (name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name));
  const longest = LETTER * Math.max(...shown.map((name) => name.length));
  // Names that do not fit side by side are rotated and need space below.
  const turns = longest > x.step();
  const below = turns ? 0.7 * longest : 0;
  const parts: Markup[] = [];
  for (const tick of y.ticks(6)) {
    parts.push(lineAcross(INSIDE, y(tick), 'grid'), textBeside(INSIDE, y(tick), tickText(tick)));
  }
  places.forEach(({ value, estimate, tip }, index) => {
    const left = x(names[index]) ?? 0;
    const middle = left + x.bandwidth() / 2;
    const [from, to] = [Math.min(y(0), y(value)), Math.max(y(0), y(value))];
    const [low, high] = ends[index].map((end) => y(end).toFixed(2));
    const at = middle.toFixed(2);
    parts.push(
      element(
        'g',
        {},
        element('title', {}, escapeText(tip)),
        element('rect', { class: 'truth', x: left, y: from, width: x.bandwidth(), height: to - from }),
        element(
          'g',
          { class: `s${style}` },
          element('path', { class: 'error', d: `M${at} ${high}V${low}` }),
          element('path', {
            class: 'marker',
            d: markerPath(style),
            transform: `translate(${at} ${y(estimate).toFixed(2)})`,
          }),
        ),
      ),
      turns
        ? element(
            'text',
            { class: 'tick end', transform: `translate(${middle.toFixed(2)} ${BOTTOM + 14}) rotate(-45)` },
            escapeText(shown[index]),
          )
        : textBelow(INSIDE, middle, shown[index]),
    );
  });
  parts.push(lineAcross(INSIDE, y(0), 'axis'), nameBelow(INSIDE, xLabel, below), nameBeside(INSIDE, yLabel));
  return {
    ...{ label, width: WIDE, height: HEIGHT + below, parts, legend: [{ name, style }] },
    rows: [
      [xLabel, 'value in the clear', 'estimate', 'from', 'to'],
      ...places.map((one, index) => [one.name, one.value, one.estimate, ...ends[index]]),
    ],
  };
}
