import type { RunDocument } from '../experiment/document.ts';
import { counted, wholeNumber } from '../figures.ts';
import { resultTable, spreadText } from './cells.ts';
import { element, escapeText, type Markup } from './markup.ts';
import { metricCharts } from './metric-charts.ts';
import { pageFrame, paragraph, section } from './page-frame.ts';
import { guaranteeTable, modelTable, table } from './page-tables.ts';
import { playersChart } from './players-chart.ts';
import { summarize } from './summary.ts';

/**
 * One HTML page about a document: what was done, charts, tables, guarantees. It loads nothing and runs nothing, and says
 * so to the browser; whatever comes from the records' schema is escaped.
 */
export function reportPage(document: RunDocument): string {
  const { protocol, title, summary, evaluatedOn, command, seed, version } = document;
  const { head, rows } = resultTable(document);
  const body = element(
    'main',
    {},
    element('h1', {}, escapeText(`${protocol}: ${title}`)),
    paragraph(`${sentence(summary)} ${settingOf(document)}`),
    paragraph(`Models are measured on ${evaluatedOn.description}.`),
    tiles(document),
    section(`${capital(document.loss)} risk and AUC against ε`, metricCharts(document)),
    section(
      'Results',
      table(head, rows, { right: 6 }),
      paragraph(
        'Excess risk is the risk above that of the non-private optimum on the same records. “Mean only” is the model of ' +
          'degree 0 out of the same tally, so it costs no further privacy. The baselines and all measurements are ' +
          'computed from the records in the clear, for comparison; only the reports are private.',
        'soft',
      ),
    ),
    section(
      'What one player is promised',
      guaranteeTable(document),
      paragraph(`Neighbouring inputs, ${document.certificates[0].certificate.neighbouring}.`, 'soft'),
    ),
    section('Players needed for the same variance', playersChart(document)),
    section('The model', modelTable(document)),
    section(
      'How this page was made',
      element('pre', {}, escapeText(command)),
      paragraph(
        `ldpkit ${version}, seed “${seed}”: the same command gives the same numbers, except for the times, on any ` +
          'number of threads. Seeded coins protect nobody: this is a simulation.',
        'soft',
      ),
    ),
  );
  return pageFrame(`${protocol}: ${title}`, body);
}

function sentence(text: string): string {
  return `${capital(text)}.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function settingOf({ players, dimension, radius, repetitions, runs }: RunDocument): string {
  const variants = new Set(runs.map(({ variant }) => variant));
  const epsilons = new Set(runs.map(({ epsilon }) => epsilon));
  const several = repetitions > 1 ? `, each ${repetitions} times with other coins` : '';
  return (
    `Each of ${counted(players, 'player')} sends one randomized report of a record with ${counted(dimension, 'feature')}; the ` +
    `server finds a model w with ${radius === 'automatic' ? '‖w‖ ≤ R, and R itself,' : `‖w‖ ≤ ${radius}`} from the reports alone. Run with ${listed([...variants])} at ` +
    `ε = ${[...epsilons].join(', ')}${several}.`
  );
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}

// The headline variant at the headline ε, beside what is possible without privacy.
function tiles(document: RunDocument): Markup {
  const { epsilon, variant, loss } = document;
  const { nonPrivate, constant, variants } = summarize(document);
  const row = variants.find((one) => one.variant === variant)?.rows.find((one) => one.epsilon === epsilon);
  if (row === undefined) return '';
  const bounds = (key: 'risk' | 'auc' | 'accuracy', digits: number): string[] => [
    `optimum ${spreadText(nonPrivate[key], digits)}`,
    `constant ${spreadText(constant[key], digits)}`,
  ];
  const figures: readonly (readonly [string, string, readonly string[]])[] = [
    [`${loss} risk, ${variant} at ε = ${epsilon}`, mean(row.risk.mean, 4), bounds('risk', 4)],
    ['AUC', mean(row.auc.mean, 3), bounds('auc', 3)],
    ['accuracy', mean(row.accuracy.mean, 3), bounds('accuracy', 3)],
    [
      'reports per second',
      wholeNumber(row.reportsPerSecond?.mean ?? 0),
      [`${mean(row.seconds?.mean ?? 0, 3)} s a run`],
    ],
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

function mean(value: number | null, digits: number): string {
  return spreadText({ mean: value, deviation: null }, digits);
}
