import { type LegendEntry, legend, STYLES } from '../report/legend.ts';
import { lineChart } from '../report/line-chart.ts';
import { element, type Markup } from '../report/markup.ts';
import { profileChart } from '../report/profile-chart.ts';
import type { UserRunDocument, UserRunRecord } from './document.ts';
import { errorText } from './text.ts';

const AXIS = 'ε of one player (logarithmic)';

/** The number of a maker's colour and marker. */
function styleOf({ runs }: UserRunDocument, maker: string): number {
  return [...new Set(runs.map((run) => run.maker))].indexOf(maker) % STYLES;
}

function runsOf({ runs }: UserRunDocument, maker: string): readonly UserRunRecord[] {
  return runs.filter((run) => run.maker === maker);
}

/** Root mean squared error against ε, for every maker, with the answers that need no players as levels. */
export function errorChart(document: UserRunDocument): Markup {
  const { runs, baselines, unit, dimension } = document;
  const makers = [...new Set(runs.map(({ maker }) => maker))];
  const kinds = ['dashed', 'solid'] as const;
  const guesses = Object.entries(baselines)
    .filter(([, { description }]) => description !== undefined)
    .slice(0, kinds.length);
  const entries: LegendEntry[] = [
    ...makers.map((maker) => ({ name: maker, style: styleOf(document, maker) })),
    ...guesses.map(([name, { description }], index) => ({ name: `${name}: ${description}`, style: kinds[index] })),
  ];
  const svg = lineChart({
    label: 'Error against ε',
    xLabel: AXIS,
    yLabel: dimension === 1 ? `error, ${unit} (logarithmic)` : 'error, ℓ₂ (logarithmic)',
    limits: [0, Infinity],
    logarithmic: true,
    series: makers.map((maker) => ({
      style: styleOf(document, maker),
      points: runsOf(document, maker).map(({ epsilon, metrics: { error } }) => ({
        x: epsilon,
        mean: error,
        deviation: null,
        tip: `${maker}, ε = ${epsilon}: ${errorText(error, document)}`,
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

/** The estimates of the headline's maker with their deviation, beside the truth. */
export function estimateChart(document: UserRunDocument): Markup {
  const { maker, truth, flightMean, unit } = { ...document, flightMean: document.truth.flightMean[0] };
  const style = styleOf(document, maker);
  const [mean] = truth.mean;
  const svg = lineChart({
    label: 'Estimates against ε',
    xLabel: AXIS,
    yLabel: `mean, ${unit}`,
    limits: [-Infinity, Infinity],
    series: [
      {
        style,
        points: runsOf(document, maker).map(({ epsilon, metrics: { bias, deviation } }) => ({
          x: epsilon,
          mean: mean + bias,
          deviation,
          tip: `${maker}, ε = ${epsilon}: ${(mean + bias).toFixed(2)} ± ${deviation?.toFixed(2) ?? '–'}`,
        })),
      },
    ],
    levels: [
      { kind: 'solid', value: mean, tip: `mean over players: ${mean.toFixed(2)}` },
      { kind: 'dashed', value: flightMean, tip: `mean over flights: ${flightMean.toFixed(2)}` },
    ],
  });
  const entries: LegendEntry[] = [
    { name: `${maker}: mean of the runs, bars one standard deviation`, style },
    { name: `mean over players: ${mean.toFixed(2)}`, style: 'solid' },
    { name: `mean over flights, not asked for: ${flightMean.toFixed(2)}`, style: 'dashed' },
  ];
  return [legend(entries), element('div', { class: 'charts' }, element('figure', {}, svg))].join('');
}

/** The profile of the headline run, first repetition, over the true one. */
export function hoursChart(document: UserRunDocument): Markup {
  const { maker, epsilon, estimate, truth } = document;
  const style = styleOf(document, maker);
  const places = truth.mean.map((value, hour) => {
    const [found, error] = [estimate.mean[hour], estimate.standardError[hour]];
    const tip =
      `${hour}–${hour + 1} h: ${value.toFixed(4)}; ${maker} ${found.toFixed(4)} ± ${error.toFixed(4)}`.replace(
        '-',
        '−',
      );
    return { name: String(hour), value, estimate: found, error, tip };
  });
  const entries: LegendEntry[] = [
    { name: `${maker} at ε = ${epsilon}, first run, with its stated standard errors; bars are the truth`, style },
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
