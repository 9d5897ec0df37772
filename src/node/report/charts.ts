import { decimal } from '../../privacy/rounding.ts';
import type { RunDocument } from '../experiment/document.ts';
import { compact } from '../figures.ts';
import { barChart } from './bar-chart.ts';
import { spreadText } from './cells.ts';
import { type LegendEntry, legend, STYLES } from './legend.ts';
import { type ChartPoint, lineChart } from './line-chart.ts';
import { element, escapeText, type Markup } from './markup.ts';
import { type SummaryRow, summarize } from './summary.ts';

/** Risk and AUC against ε, with error bars over repetitions and one legend for both. */
export function metricCharts(document: RunDocument): Markup {
  const { loss, repetitions } = document;
  const { nonPrivate, constant, meanOnly, makers } = summarize(document);
  const series = [
    ...makers.map(({ maker, rows }) => ({ name: maker, style: styleOf(document, maker), rows })),
    { name: meanOnly[0].label, style: STYLES - 1, rows: meanOnly },
  ];
  const entries: LegendEntry[] = [
    ...series.map(({ name, style }) => ({ name, style })),
    { name: nonPrivate.label, style: 'solid' },
    { name: constant.label, style: 'dashed' },
  ];
  const chart = (key: 'risk' | 'auc', name: string, digits: number): Markup => {
    const known = [nonPrivate, constant, ...series.flatMap(({ rows }) => rows)].every((row) => row[key].mean !== null);
    // With labels of one kind only there is no AUC to show.
    if (!known) return '';
    const points = (rows: readonly SummaryRow[]): ChartPoint[] =>
      rows.map((row) => ({
        x: row.epsilon ?? Number.NaN,
        mean: row[key].mean ?? Number.NaN,
        deviation: row[key].deviation,
        tip: `${row.label}, ε = ${row.epsilon}: ${spreadText(row[key], digits)}`,
      }));
    const level = (row: SummaryRow, kind: 'solid' | 'dashed') => ({
      kind,
      value: row[key].mean ?? Number.NaN,
      tip: `${row.label}: ${spreadText(row[key], digits)}`,
    });
    const svg = lineChart({
      label: `${name} against ε`,
      xLabel: 'ε of one player (logarithmic)',
      yLabel: name,
      ...(key === 'auc' ? { limits: [0, 1] as const } : {}),
      series: series.map(({ style, rows }) => ({ style, points: points(rows) })),
      levels: [level(nonPrivate, 'solid'), level(constant, 'dashed')],
    });
    return element('figure', {}, svg);
  };
  const bars = `Points are means of ${repetitions} runs, bars one standard deviation.`;
  return [
    legend(entries),
    element('div', { class: 'charts' }, chart('risk', `${loss} risk`, 5), chart('auc', 'AUC', 4)),
    repetitions > 1 ? element('p', { class: 'soft' }, escapeText(bars)) : '',
  ].join('');
}

/** How many players each maker needs for a gradient as exact as the best maker's with the players there are. */
export function playersChart(document: RunDocument): Markup {
  const { playersForSameVariance, epsilon, delta, players, collectedDegree } = document;
  if (playersForSameVariance.length === 0) return '';
  const [best] = playersForSameVariance;
  const bars = playersForSameVariance.map(({ maker, ratio, players: needed, variance }) => ({
    name: maker,
    style: styleOf(document, maker),
    value: needed,
    text: `${compact(needed)}  (${compact(ratio)} ×)`,
    tip: `${maker}: ${compact(needed)} players; variance ${compact(variance)} of one report`,
  }));
  const caption =
    `So many players give, under each maker, a gradient of the variance that ${compact(players)} players give ` +
    `under ${best.maker}; ε = ${epsilon}, δ = ${decimal(delta)}, ‖w‖ = 1, degree ${collectedDegree}.`;
  return [
    element('p', {}, escapeText(caption)),
    element(
      'figure',
      { class: 'wide' },
      barChart({ label: 'Players needed for the same variance', xLabel: 'players (logarithmic)', bars }),
    ),
  ].join('');
}

// Every maker of the protocol keeps its colour, whichever of them have been run.
function styleOf({ playersForSameVariance, runs }: RunDocument, maker: string): number {
  const known = [...new Set([...playersForSameVariance, ...runs].map((one) => one.maker))];
  return known.indexOf(maker) % (STYLES - 1);
}
