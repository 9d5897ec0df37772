import { counted, wholeNumber } from '../figures.ts';
import { element, escapeText, type Markup } from '../report/markup.ts';
import { pageFrame, paragraph, section } from '../report/page-frame.ts';
import { guaranteeTable, table } from '../report/page-tables.ts';
import { errorChart, estimateChart, hoursChart } from './charts.ts';
import type { UserRunDocument } from './document.ts';
import { errorText, truthText } from './text.ts';

/** Bars of the profile chart, which no series has the colour of. */
const STYLE = '\n.truth { fill: var(--rule); }\n';

const FRESH = 'Each player answers in one round only';
const FRESH_OR_BOTH = `${FRESH}, with “printed” in both`;

/** One HTML page about a document: what was done, charts, tables, guarantees. It loads nothing and runs nothing. */
export function userPage(document: UserRunDocument): string {
  const { protocol, title, summary, agreed, dimension, command, seed, version, certificates, repetitions } = document;
  const body = element(
    'main',
    {},
    element('h1', {}, escapeText(`${protocol}: ${title}`)),
    paragraph(
      `${summary.charAt(0).toUpperCase()}${summary.slice(1)}. ${dimension === 1 ? FRESH_OR_BOTH : FRESH}; the budget covers ` +
        'everything it sends, and all its flights together.',
    ),
    paragraph(`${truthText(document)}.`),
    paragraph(agreed),
    tiles(document),
    section(
      'Error against ε',
      errorChart(document),
      paragraph(`Root mean squared error over ${counted(repetitions, 'run')} with other coins, logarithmic.`, 'soft'),
    ),
    dimension === 1
      ? section('What is estimated', estimateChart(document))
      : section('The private profile', hoursChart(document)),
    section('Results', resultTable(document), paragraph(NOTE, 'soft')),
    section(
      'What one player is promised',
      guaranteeTable(document),
      paragraph(
        `Neighbouring inputs, ${certificates[0].certificate.neighbouring}: all flights of an airport-day.`,
        'soft',
      ),
    ),
    section(
      'How this page was made',
      element('pre', {}, escapeText(command)),
      paragraph(
        `ldpkit ${version}, seed “${seed}”: the same command gives the same numbers, except for the times. Seeded coins ` +
          'protect nobody: this is a simulation.',
        'soft',
      ),
    ),
  );
  return pageFrame(`${protocol}: ${title}`, body, STYLE);
}

const NOTE =
  'The error is the root mean squared one; bias is the mean estimate less the truth (its length, for a profile, where the noise ' +
  'of the mean is part of it); deviation is how estimates differ from run to run; the stated error is what the estimates say of ' +
  'themselves, from the reports alone. Truth and errors are computed from the flights in the clear, for comparison; only the ' +
  'reports are private.';

// The headline run, beside the baselines at the same ε.
function tiles(document: UserRunDocument): Markup {
  const { variant, epsilon, metrics, baselines, unit, dimension, players, seconds, estimate, truth } = document;
  const others = Object.entries(baselines).map(([name, { error }]) => `${name} ${errorText(error, document)}`);
  const figures: readonly (readonly [string, string, readonly string[]])[] = [
    [`error, ${variant} at ε = ${epsilon}`, errorText(metrics.error, document), [unit, ...others]],
    ...(dimension === 1
      ? [
          [
            'private mean, first run',
            `${estimate.mean[0].toFixed(2)}`,
            [`± ${estimate.standardError[0].toFixed(2)} stated`, `truth ${truth.mean[0].toFixed(2)}`],
          ] as const,
        ]
      : []),
    ['players', wholeNumber(players), [`${seconds.toFixed(3)} s a run`, `${wholeNumber(players / seconds)} a second`]],
  ];
  const boxes = figures.map(([name, figure, notes]) =>
    element(
      'div',
      {},
      element('dt', {}, escapeText(name)),
      element('dd', { class: 'figure' }, escapeText(figure)),
      ...notes.map((note) => element('dd', { class: 'soft' }, escapeText(note))),
    ),
  );
  return element('dl', { class: 'tiles' }, ...boxes);
}

function resultTable(document: UserRunDocument): Markup {
  const { runs, baselines } = document;
  const text = (value: number | null): string =>
    value === null
      ? '–'
      : errorText(value, document)
          .replace(/^-(0\.?0*)$/, '$1')
          .replace('-', '−');
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
