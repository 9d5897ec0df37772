import type { RunDocument } from '../experiment/document.ts';
import { spreadText } from './cells.ts';
import { type LegendEntry, legend, STYLES, styleOf } from './legend.ts';
import { lineChart } from './line-chart.ts';
import { element, escapeText, type Markup } from './markup.ts';
import { type SummaryRow, summarize } from './summary.ts';

/** A line of a chart. */
interface Curve {
  readonly name: string;
  readonly style: number;
  readonly rows: readonly SummaryRow[];
}

/** What a chart shows of each model. */
interface Metric {
  readonly key: 'risk' | 'auc';
  readonly name: string;
  /** Digits after the point. */
  readonly digits: number;
  readonly limits: readonly [low: number, high: number];
}

/** Risk and AUC against ε, with error bars over repetitions and one legend for both. */
export function metricCharts(document: RunDocument): Markup {
  const { loss, repetitions } = document;
  const { nonPrivate, constant, meanOnly, variants } = summarize(document);
  const curves: Curve[] = [
    ...variants.map(({ variant, rows }) => ({ name: variant, style: styleOf(document, variant), rows })),
    { name: meanOnly[0].label, style: STYLES - 1, rows: meanOnly },
  ];
  const levels = [nonPrivate, constant] as const;
  const entries: LegendEntry[] = [
    ...curves.map(({ name, style }) => ({ name, style })),
    { name: nonPrivate.label, style: 'solid' },
    { name: constant.label, style: 'dashed' },
  ];
  const risk: Metric = { key: 'risk', name: `${loss} risk`, digits: 5, limits: [leastRisk(curves, levels), Infinity] };
  const auc: Metric = { key: 'auc', name: 'AUC', digits: 4, limits: [0, 1] };
  const bars = `Points are means of ${repetitions} runs, bars one standard deviation.`;
  return [
    legend(entries),
    element('div', { class: 'charts' }, metricChart(risk, curves, levels), metricChart(auc, curves, levels)),
    repetitions > 1 ? element('p', { class: 'soft' }, escapeText(bars)) : '',
  ].join('');
}

// Where no model has a negative risk, no error bar says that one might.
function leastRisk(curves: readonly Curve[], levels: readonly SummaryRow[]): number {
  const rows = [...levels, ...curves.flatMap((curve) => curve.rows)];
  return rows.every(({ risk }) => risk.mean !== null && risk.mean >= 0) ? 0 : -Infinity;
}

function metricChart(
  { key, name, digits, limits }: Metric,
  curves: readonly Curve[],
  levels: readonly [solid: SummaryRow, dashed: SummaryRow],
): Markup {
  // With labels of one kind only there is no AUC to show.
  const rows = [...levels, ...curves.flatMap((curve) => curve.rows)];
  if (rows.some((row) => row[key].mean === null)) return '';
  const meanOf = (row: SummaryRow): number => row[key].mean ?? Number.NaN;
  const tipOf = (row: SummaryRow): string => {
    const at = row.epsilon === undefined ? '' : `, ε = ${row.epsilon}`;
    return `${row.label}${at}: ${spreadText(row[key], digits)}`;
  };
  const svg = lineChart({
    label: `${name} against ε`,
    xLabel: 'ε of one player (logarithmic)',
    yLabel: name,
    limits,
    series: curves.map((curve) => ({
      style: curve.style,
      points: curve.rows.map((row) => ({
        x: row.epsilon ?? Number.NaN,
        mean: meanOf(row),
        deviation: row[key].deviation,
        tip: tipOf(row),
      })),
    })),
    levels: levels.map((row, index) => ({
      kind: index === 0 ? ('solid' as const) : ('dashed' as const),
      value: meanOf(row),
      tip: tipOf(row),
    })),
  });
  return element('figure', {}, svg);
}
