import { counted, wholeNumber } from '../../figures.ts';
import { figures } from '../../report/figure.ts';
import { lineChart } from '../../report/line-chart.ts';
import { type Markup, paragraph, STYLES, section, table } from '../../report/markup.ts';
import { capital, guaranteeSection, promisedBy, runPage, type Tile } from '../../report/page.ts';
import { profileChart } from '../../report/profile-chart.ts';
import type { UserRunDocument, UserRunRecord } from './document.ts';
import { errorText, truthText } from './text.ts';
import { userVerdict } from './verdict.ts';

const FRESH = 'Each player answers in one round only';
const FRESH_OR_BOTH = `${FRESH}, with “printed” in both`;

/** One HTML page about a document: what was done, charts, tables, guarantees. */
export function userPage(document: UserRunDocument): string {
  const { protocol, title, summary, agreed, dimension, command, seed, version, repetitions, sample, player } = document;
  return runPage({
    ...{ protocol, title, command, version, seed },
    verdict: userVerdict(document),
    about: [
      `${capital(summary)}. ${dimension === 1 ? FRESH_OR_BOTH : FRESH}; the budget covers everything it sends, and all its ${sample}s together.`,
      `${truthText(document)}.`,
      agreed,
    ],
    tiles: tilesOf(document),
    sections: [
      section(
        'Error against ε',
        errorChart(document),
        paragraph(`Root mean squared error over ${counted(repetitions, 'run')} with other coins, logarithmic.`, 'soft'),
      ),
      dimension === 1
        ? section('What is estimated', estimateChart(document))
        : section('The private profile', profile(document)),
      section('Results', resultTable(document), paragraph(NOTE, 'soft')),
      guaranteeSection(
        { symbol: 'ε', about: `: all ${sample}s of ${player === 'named by the file' ? 'a player' : player}` },
        promisedBy(document),
      ),
    ],
  });
}

const NOTE =
  'The error is the root mean squared one; bias is the mean estimate less the truth (its length, for a profile, where the noise ' +
  'of the mean is part of it); deviation is how estimates differ from run to run; the stated error is what the estimates say of ' +
  'themselves, from the reports alone. Truth and errors are computed from the samples in the clear, for comparison; only the ' +
  'reports are private.';

// The headline run, and the baselines at the same ε.
function tilesOf(document: UserRunDocument): readonly Tile[] {
  const { variant, epsilon, metrics, baselines, unit, dimension, players, seconds, estimate, truth } = document;
  const others = Object.entries(baselines).map(([name, { error }]) => `${name} ${errorText(error, document)}`);
  const mean = {
    name: 'private mean, first run',
    figure: estimate.mean[0].toFixed(2),
    notes: [`± ${estimate.standardError[0].toFixed(2)} stated`, `truth ${truth.mean[0].toFixed(2)}`],
  };
  return [
    {
      name: `error, ${variant} at ε = ${epsilon}`,
      figure: errorText(metrics.error, document),
      notes: [unit, ...others],
    },
    ...(dimension === 1 ? [mean] : []),
    {
      name: 'players',
      figure: wholeNumber(players),
      notes: [`${seconds.toFixed(3)} s a run`, `${wholeNumber(players / seconds)} a second`],
    },
  ];
}

function resultTable(document: UserRunDocument): Markup {
  const { runs, baselines } = document;
  const text = (value: number | null): string => (value === null ? '–' : errorText(value, document));
  const guesses = Object.entries(baselines).flatMap(([name, { error, description }], index) =>
    description === undefined
      ? []
      : [{ cells: ['', `${name}: ${description}`, text(error), '', '', '', '', ''], opens: index === 0 }],
  );
  const rows = runs.map(({ variant, epsilon, metrics, seconds, reportsPerSecond }, index) => {
    const opens = index === 0 || runs[index - 1].epsilon !== epsilon;
    const { error, bias, deviation, claimedError } = metrics;
    const numbers = [text(error), text(bias), text(deviation), text(claimedError)];
    const times = [seconds.toFixed(3), wholeNumber(reportsPerSecond)];
    return { cells: [opens ? String(epsilon) : '', variant, ...numbers, ...times], opens };
  });
  return table(
    ['ε', 'variant', 'error', 'bias', 'deviation', 'stated error', 'seconds', 'reports/s'],
    [...guesses, ...rows],
    { right: 2 },
  );
}

const AXIS = 'ε of one player (logarithmic)';

/** The number of a variant's colour and marker. */
function styleOf({ runs }: UserRunDocument, variant: string): number {
  return [...new Set(runs.map((run) => run.variant))].indexOf(variant) % STYLES;
}

function runsOf({ runs }: UserRunDocument, variant: string): readonly UserRunRecord[] {
  return runs.filter((run) => run.variant === variant);
}

/** Root mean squared error against ε, for every variant; levels show the answers that need no players. */
function errorChart(document: UserRunDocument): Markup {
  const { runs, baselines, unit, dimension } = document;
  const variants = [...new Set(runs.map(({ variant }) => variant))];
  const kinds = ['dashed', 'solid'] as const;
  const guesses = Object.entries(baselines)
    .filter(([, { description }]) => description !== undefined)
    .slice(0, kinds.length);
  const picture = lineChart({
    label: 'Error against ε',
    wide: true,
    xLabel: AXIS,
    yLabel: dimension === 1 ? `error, ${unit} (logarithmic)` : 'error, ℓ₂ (logarithmic)',
    limits: [0, Infinity],
    logarithmic: true,
    series: variants.map((variant) => ({
      name: variant,
      style: styleOf(document, variant),
      points: runsOf(document, variant).map(({ epsilon, metrics: { error } }) => ({
        x: epsilon,
        mean: error,
        deviation: null,
        tip: `${variant}, ε = ${epsilon}: ${errorText(error, document)}`,
      })),
    })),
    levels: guesses.map(([name, { error, description }], index) => ({
      name: `${name}: ${description}`,
      kind: kinds[index],
      value: error,
      tip: `${name}: ${errorText(error, document)}`,
    })),
  });
  return figures(picture);
}

const named = (name: string) => ({ name, tip: name });

/** The estimates of the variant of the headline run with their deviation, beside the truth. */
function estimateChart(document: UserRunDocument): Markup {
  const { variant, truth, sample, unit } = document;
  const [recordMean] = truth.recordMean;
  const style = styleOf(document, variant);
  const [mean] = truth.mean;
  const picture = lineChart({
    label: 'Estimates against ε',
    wide: true,
    xLabel: AXIS,
    yLabel: `mean, ${unit}`,
    limits: [-Infinity, Infinity],
    series: [
      {
        name: `${variant}: mean of the runs, bars one standard deviation`,
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
      { kind: 'solid', value: mean, ...named(`mean over players: ${mean.toFixed(2)}`) },
      { kind: 'dashed', value: recordMean, ...named(`mean over ${sample}s, not asked for: ${recordMean.toFixed(2)}`) },
    ],
  });
  return figures(picture);
}

/** The estimate of the headline run (first repetition) above the truth, for each coordinate. */
function profile(document: UserRunDocument): Markup {
  const { variant, epsilon, estimate, truth, names, question, unit } = document;
  const style = styleOf(document, variant);
  const places = truth.mean.map((value, index) => {
    const [found, error] = [estimate.mean[index], estimate.standardError[index]];
    const name = question === 'hours' ? `${index}–${index + 1} h` : names[index];
    const tip = `${name}: ${value.toFixed(4)}; ${variant} ${found.toFixed(4)} ± ${error.toFixed(4)}`.replace('-', '−');
    return { name: names[index], value, estimate: found, error, tip };
  });
  const name = `${variant} at ε = ${epsilon}, first run, with its stated standard errors; bars are the truth`;
  const words =
    question === 'hours'
      ? { label: 'Share of departures by hour', xLabel: 'hour of the departure', yLabel: 'share of departures' }
      : { label: 'Mean of each coordinate', xLabel: 'coordinate', yLabel: unit };
  return figures(profileChart({ ...words, name, places, style }));
}
