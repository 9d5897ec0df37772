import { scaleLinear } from 'd3-scale';
import { describeGuarantee } from '../../../privacy/guarantee.ts';
import { counted, signed, wholeNumber } from '../../figures.ts';
import { lineChart } from '../../report/line-chart.ts';
import {
  chartsBelow,
  element,
  escapeText,
  type LegendEntry,
  type Markup,
  markerPath,
  paragraph,
  STYLES,
  section,
  textTable,
  wideChartBelow,
} from '../../report/markup.ts';
import { capital, guaranteeSection, runPage } from '../../report/page.ts';
import type { PointRunDocument } from './document.ts';
import { averaged, distanceText, doubtNotes, pointTable } from './text.ts';

/** One HTML page about a document; `points` are some of the points of the run. */
export function pointPage(document: PointRunDocument, points: readonly (readonly number[])[]): string {
  const { protocol, title, summary, agreed, players, who, repetitions, command, version, seed, runs, certificates } =
    document;
  const shares = [...new Set(runs.map(({ moved }) => moved))];
  const several = repetitions > 1 ? ` Means of ${repetitions} runs.` : '';
  return runPage({
    ...{ protocol, title, command, version, seed },
    about: [
      `${capital(summary)}. Each of ${counted(players, 'player')} (${who}) sends one randomized report of its point.`,
      agreed,
    ],
    tiles: tilesOf(document),
    sections: [
      ...shares.map((moved) =>
        section(
          moved === 0 ? 'Distance from the median, nobody moved' : `Distance from the median, ${100 * moved} % moved`,
          distanceChart(document, moved),
          ...(moved === 0
            ? [paragraph('In the clear the median of these points is 0 off: it is what distances are from.', 'soft')]
            : []),
        ),
      ),
      ...(document.dimension === 2 ? [section('Where it is', planeChart(document, points))] : []),
      section(
        'Results',
        textTable(pointTable(document), { right: 2, grouped: true }),
        ...doubtNotes(document).map((note) => paragraph(`${capital(note)}.`)),
        paragraph(`${NOTE}${several}`, 'soft'),
      ),
      guaranteeSection(
        { symbol: 'ε' },
        certificates.map(({ epsilon, certificate }) => ({
          budget: epsilon,
          certificate,
          guarantee: certificate.claimed,
        })),
      ),
    ],
    style: '\n.crowd { fill: var(--soft); fill-opacity: 0.25; }\n',
  });
}

const NOTE =
  'Distances are from the median of the points that nobody moved. Weiszfeld: the median of the points as moved, in the clear; plain ' +
  'mean: their mean, in the clear. The private mean comes from the same reports as the private median.';

function tilesOf(document: PointRunDocument) {
  const { variant, epsilon, metrics, baselines, players, scale, guarantee, grade, unit } = document;
  const text = (value: number): string => distanceText(value, document);
  return [
    {
      name: `distance in ${unit}, ${variant} at ε = ${epsilon}`,
      figure: text(metrics.distance),
      notes: [
        `private mean ${text(baselines.mean.distance)}`,
        `plain mean ${text(baselines.plainMean.distance)}`,
        `middle of the bounds ${text(baselines.centre.distance)}`,
      ],
    },
    { name: 'players', figure: wholeNumber(players), notes: [`${text(scale)} are 1 in the protocol`] },
    {
      name: 'one player is promised',
      figure: describeGuarantee(guarantee),
      notes: [`variant ${variant}`, `grade ${grade}`],
    },
  ];
}

/** Distance against ε: the private median and mean of each variant; levels show what is possible without privacy. */
function distanceChart(document: PointRunDocument, share: number): Markup {
  const runs = averaged(document.runs).filter(({ moved }) => moved === share);
  const variants = [...new Set(runs.map(({ variant }) => variant))];
  const curves = variants.flatMap((variant, index) =>
    (['median', 'mean'] as const).map((what, place) => ({
      name: `private ${what}, ${variant}`,
      style: (2 * index + place) % STYLES,
      points: runs
        .filter((run) => run.variant === variant)
        .map((run) => ({
          x: run.epsilon,
          mean: run[what],
          deviation: null,
          tip: `${variant}, ε = ${run.epsilon}: private ${what} ${distanceText(run[what], document)} off`,
        })),
    })),
  );
  const levels = [
    { kind: 'solid' as const, value: runs[0].weiszfeld, name: 'median in the clear' },
    { kind: 'dashed' as const, value: runs[0].plainMean, name: 'mean in the clear' },
  ].filter(({ value }) => value > 1e-6 * document.scale);
  const entries: LegendEntry[] = [...curves, ...levels.map(({ name, kind }) => ({ name, style: kind }))];
  const svg = lineChart({
    label: 'Distance against ε',
    xLabel: 'ε of one player (logarithmic)',
    yLabel: `distance, ${document.unit} (logarithmic)`,
    limits: [0, Infinity],
    logarithmic: true,
    series: curves,
    levels: levels.map(({ kind, value, name }) => ({ kind, value, tip: `${name}: ${distanceText(value, document)}` })),
  });
  return chartsBelow(entries, svg);
}

const WIDTH = 860;
const MARGIN = 58;

/** The plane: some of the points, the non-private median, and the private ones. A latitude, if first, goes upwards. */
function planeChart(
  { names, runs, baselines, epsilon, variant }: PointRunDocument,
  points: readonly (readonly number[])[],
): Markup {
  const [across, up] = names[0] === 'latitude' ? [1, 0] : [0, 1];
  const shown = runs.filter((run) => run.variant === variant && run.epsilon === epsilon);
  const all = [...points, baselines.nonPrivate.place, ...shown.map(({ place }) => place)];
  const extent = (j: number): [number, number] => [
    all.reduce((least, point) => Math.min(least, point[j]), Infinity),
    all.reduce((most, point) => Math.max(most, point[j]), -Infinity),
  ];
  const [xs, ys] = [extent(across), extent(up)];
  const height = Math.min(560, Math.max(240, ((ys[1] - ys[0]) / (xs[1] - xs[0])) * 1.25 * WIDTH));
  const x = scaleLinear(xs, [MARGIN + 12, WIDTH - 14]).nice(5);
  const y = scaleLinear(ys, [height - MARGIN, 12]).nice(5);
  const mark = (style: number, place: readonly number[], tip: string): Markup =>
    element(
      'g',
      { class: `s${style}` },
      element('title', {}, escapeText(tip)),
      element('path', {
        class: 'marker',
        d: markerPath(style),
        transform: `translate(${x(place[across]).toFixed(1)} ${y(place[up]).toFixed(1)}) scale(1.3)`,
      }),
    );
  const crowd = points.map((point) =>
    element('circle', { class: 'crowd', cx: x(point[across]), cy: y(point[up]), r: 3 }),
  );
  const ticks = [
    ...x
      .ticks(8)
      .map((tick) => element('text', { class: 'tick middle', x: x(tick), y: height - MARGIN + 18 }, signed(tick))),
    ...y
      .ticks(6)
      .map((tick) => element('text', { class: 'tick end', x: MARGIN, y: y(tick), dy: '0.32em' }, signed(tick))),
    element('text', { class: 'name middle', x: WIDTH / 2, y: height - 6 }, escapeText(names[across])),
    element(
      'text',
      { class: 'name middle', transform: `translate(12 ${height / 2}) rotate(-90)` },
      escapeText(names[up]),
    ),
  ];
  const marks = [
    ...shown.map((run) => mark(run.moved === 0 ? 0 : 1, run.place, `private median, ${100 * run.moved} % moved`)),
    mark(2, baselines.nonPrivate.place, 'median in the clear'),
  ];
  const svg = element(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': 'Points and medians' },
    ...ticks,
    ...crowd,
    ...marks,
  );
  const entries = [
    { name: `private median, ${variant} at ε = ${epsilon}`, style: 0 },
    ...(shown.some(({ moved }) => moved > 0) ? [{ name: 'the same with players moved', style: 1 }] : []),
    { name: 'median of all points in the clear, nobody moved', style: 2 },
  ];
  return wideChartBelow(entries, svg);
}
