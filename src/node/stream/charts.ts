import { wholeNumber } from '../figures.ts';
import { bandChart } from '../report/band-chart.ts';
import { legend } from '../report/legend.ts';
import { element, escapeText, type Markup } from '../report/markup.ts';
import type { MeasuredCheckpoint, StreamRunDocument } from './document.ts';
import { fixed } from './text.ts';

const AXIS = 'players (logarithmic)';

/** Styles of the private stream and of the one without privacy. */
const PRIVATE = 0;
const OPEN = 1;

/** Share of the stream from which on a chart has room for everything. */
const SETTLED = 1 / 30;

/** A chart for each coordinate: estimate and interval along the stream, and the fit that they go to. */
export function coordinateCharts(document: StreamRunDocument): Markup {
  const { features, variant, baselines, checkpoints, unit } = document;
  const { theta } = baselines.nonPrivate;
  const charts = features.map((name, index) => {
    const figure = bandChart({
      label: `${name} along the stream`,
      xLabel: AXIS,
      yLabel: unit,
      window: windowOf(checkpoints, theta[index], index),
      level: { value: theta[index], tip: `fit to all records: ${fixed(theta[index])}` },
      series: [
        {
          style: OPEN,
          points: baselines.stream.checkpoints.map((one) => ({
            ...pointOf(one, index, 'without privacy'),
            band: null,
          })),
        },
        { style: PRIVATE, points: checkpoints.map((one) => pointOf(one, index, variant)) },
      ],
    });
    return element('figure', {}, element('figcaption', {}, escapeText(name)), figure);
  });
  const entries = [
    { name: `${variant}, with its intervals`, style: PRIVATE },
    { name: 'the same stream without privacy', style: OPEN },
    { name: 'fit to all records in the clear', style: 'solid' as const },
  ];
  return [legend(entries), element('div', { class: 'charts' }, ...charts)].join('');
}

function pointOf({ players, until, estimate }: MeasuredCheckpoint, index: number, name: string) {
  const value = estimate.theta[index];
  const band = estimate.intervals?.[index] ?? null;
  const range = band === null ? '' : ` [${fixed(band[0])}, ${fixed(band[1])}]`;
  const when = until === undefined ? '' : `, until ${until.replace('T', ' ')}`;
  return { x: players, value, band, tip: `${wholeNumber(players)} players${when}: ${name} ${fixed(value)}${range}` };
}

// What the later part of the stream needs: intervals at the beginning are hundreds of times longer.
function windowOf(checkpoints: readonly MeasuredCheckpoint[], fit: number, index: number): [number, number] {
  const { players } = checkpoints[checkpoints.length - 1];
  const late = checkpoints.filter((one) => one.players >= SETTLED * players);
  const values = late.flatMap(({ estimate: { theta, intervals } }) => [theta[index], ...(intervals?.[index] ?? [])]);
  const [low, high] = [Math.min(fit, ...values), Math.max(fit, ...values)];
  const air = 0.08 * (high - low) || 0.05 * Math.abs(high) || 1;
  return [low - air, high + air];
}

/** Mean half length of the intervals along the stream, and the distance to the fit; both logarithmic. */
export function widthChart(document: StreamRunDocument): Markup {
  const { checkpoints, baselines, variant, unit } = document;
  const widths = (list: readonly MeasuredCheckpoint[], name: string) =>
    list.flatMap(({ players, errors: { halfWidth } }) =>
      halfWidth === null
        ? []
        : [
            {
              x: players,
              value: halfWidth,
              band: null,
              tip: `${wholeNumber(players)} players, ${name}: ± ${fixed(halfWidth)} ${unit}`,
            },
          ],
    );
  const distances = checkpoints.map(({ players, errors: { distance } }) => ({
    x: players,
    value: distance,
    band: null,
    tip: `${wholeNumber(players)} players: ${fixed(distance)} ${unit} from the fit`,
  }));
  const series = [
    { style: PRIVATE, points: widths(checkpoints, variant) },
    { style: OPEN, points: widths(baselines.stream.checkpoints, 'without privacy') },
    { style: 2, points: distances },
  ].filter(({ points }) => points.length > 0);
  const values = series.flatMap(({ points }) => points.map(({ value }) => value)).filter((value) => value > 0);
  const entries = [
    { name: `${variant}: half an interval, mean over coordinates`, style: PRIVATE },
    { name: 'the same without privacy', style: OPEN },
    { name: `${variant}: distance of the estimate to the fit, all coordinates`, style: 2 },
  ];
  const svg = bandChart({
    label: 'Length of intervals along the stream',
    xLabel: AXIS,
    yLabel: `${unit} (logarithmic)`,
    window: [Math.min(...values) / 1.25, Math.max(...values) * 1.25],
    logarithmic: true,
    series,
  });
  return [legend(entries), element('div', { class: 'charts' }, element('figure', {}, svg))].join('');
}
