import { type LegendEntry, legend, STYLES } from '../report/legend.ts';
import { lineChart } from '../report/line-chart.ts';
import { element, type Markup } from '../report/markup.ts';
import { profileChart } from '../report/profile-chart.ts';
import type { UserRunDocument, UserRunRecord } from './document.ts';
import { errorText } from './text.ts';

const AXIS = 'ε of one player (logarithmic)';

/** The number of a variant's colour and marker. */
function styleOf({ runs }: UserRunDocument, variant: string): number {
  return [...new Set(runs.map((run) => run.variant))].indexOf(variant) % STYLES;
}

function runsOf({ runs }: UserRunDocument, variant: string): readonly UserRunRecord[] {
  return runs.filter((run) => run.variant === variant);
}

/** Root mean squared error against ε, for every variant, with the answers that need no players as levels. */
export function errorChart(document: UserRunDocument): Markup {
  const { runs, baselines, unit, dimension } = document;
  const variants = [...new Set(runs.map(({ variant }) => variant))];
  const kinds = ['dashed', 'solid'] as const;
  const guesses = Object.entries(baselines)
    .filter(([, { description }]) => description !== undefined)
    .slice(0, kinds.length);
  const entries: LegendEntry[] = [
    ...variants.map((variant) => ({ name: variant, style: styleOf(document, variant) })),
    ...guesses.map(([name, { description }], index) => ({ name: `${name}: ${description}`, style: kinds[index] })),
  ];
  const svg = lineChart({
    label: 'Error against ε',
    xLabel: AXIS,
    yLabel: dimension === 1 ? `error, ${unit} (logarithmic)` : 'error, ℓ₂ (logarithmic)',
    limits: [0, Infinity],
    logarithmic: true,
    series: variants.map((variant) => ({
      style: styleOf(document, variant),
      points: runsOf(document, variant).map(({ epsilon, metrics: { error } }) => ({
        x: epsilon,
        mean: error,
        deviation: null,
        tip: `${variant}, ε = ${epsilon}: ${errorText(error, document)}`,
      })),
    })),
    levels: guesses.map(([name, { error }], index) => ({
      kind: kinds[index],
      value: error,
      tip: `${name}: ${errorText(error, document)}`,
    })),
  });
  return [legend(entries), element('div', { class: 'charts' }, element('figure', {}, svg))].join('');
}

/** The estimates of the headline's variant with their deviation, beside the truth. */
export function estimateChart(document: UserRunDocument): Markup {
  const { variant, truth, flightMean, unit } = { ...document, flightMean: document.truth.flightMean[0] };
  const style = styleOf(document, variant);
  const [mean] = truth.mean;
  const svg = lineChart({
    label: 'Estimates against ε',
    xLabel: AXIS,
    yLabel: `mean, ${unit}`,
    limits: [-Infinity, Infinity],
    series: [
      {
        style,
        points: runsOf(document, variant).map(({ epsilon, metrics: { bias, deviation } }) => ({
          x: epsilon,
          mean: mean + bias,
          deviation,
          tip: `${variant}, ε = ${epsilon}: ${(mean + bias).toFixed(2)} ± ${deviation?.toFixed(2) ?? '–'}`,
        })),
      },
    ],
    levels: [
      { kind: 'solid', value: mean, tip: `mean over players: ${mean.toFixed(2)}` },
      { kind: 'dashed', value: flightMean, tip: `mean over flights: ${flightMean.toFixed(2)}` },
    ],
  });
  const entries: LegendEntry[] = [
    { name: `${variant}: mean of the runs, bars one standard deviation`, style },
    { name: `mean over players: ${mean.toFixed(2)}`, style: 'solid' },
    { name: `mean over flights, not asked for: ${flightMean.toFixed(2)}`, style: 'dashed' },
  ];
  return [legend(entries), element('div', { class: 'charts' }, element('figure', {}, svg))].join('');
}

/** The profile of the headline run, first repetition, over the true one. */
export function hoursChart(document: UserRunDocument): Markup {
  const { variant, epsilon, estimate, truth } = document;
  const style = styleOf(document, variant);
  const places = truth.mean.map((value, hour) => {
    const [found, error] = [estimate.mean[hour], estimate.standardError[hour]];
    const tip =
      `${hour}–${hour + 1} h: ${value.toFixed(4)}; ${variant} ${found.toFixed(4)} ± ${error.toFixed(4)}`.replace(
        '-',
        '−',
      );
    return { name: String(hour), value, estimate: found, error, tip };
  });
  const entries: LegendEntry[] = [
    { name: `${variant} at ε = ${epsilon}, first run, with its stated standard errors; bars are the truth`, style },
  ];
  const chart = profileChart({
    label: 'Share of departures by hour',
    xLabel: 'hour of the departure',
    yLabel: 'share of departures',
    places,
    style,
  });
  return [legend(entries), element('figure', { class: 'wide' }, chart)].join('');
}
