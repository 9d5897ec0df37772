import { decimal } from '../../../privacy/rounding.ts';
import { compact, counted, wholeNumber } from '../../figures.ts';
import { barChart } from '../../report/bar-chart.ts';
import { figures, type Picture } from '../../report/figure.ts';
import { lineChart } from '../../report/line-chart.ts';
import { element, escapeText, type Markup, paragraph, STYLES, section, table, textTable } from '../../report/markup.ts';
import { capital, guaranteeSection, promisedBy, runPage, type Tile } from '../../report/page.ts';
import type { RunDocument } from './document.ts';
import { drawnNotes, RIGHT_ALIGNED, resultTable, type SummaryRow, spreadText, summarize } from './text.ts';
import { headlineRows, recordVerdict, shareOf } from './verdict.ts';

/** One HTML page about a document: what was done, charts, tables, guarantees. */
export function reportPage(document: RunDocument): string {
  const { protocol, title, summary, evaluatedOn, command, seed, version, loss } = document;
  const { head, rows } = resultTable(document);
  return runPage({
    ...{ protocol, title, command, version, seed },
    verdict: recordVerdict(document),
    about: [`${capital(summary)}. ${settingOf(document)}`, `Models are measured on ${evaluatedOn.description}.`],
    tiles: tilesOf(document),
    sections: [
      section(`${capital(loss)} risk and AUC against ε`, figures(...metricPictures(document)), repeatedNote(document)),
      section(
        'Results',
        table(head, rows, { right: RIGHT_ALIGNED }),
        ...drawnNotes(document).map((note) => paragraph(`${capital(note)}${note.endsWith('.') ? '' : '.'}`)),
        paragraph(NOTE, 'soft'),
      ),
      guaranteeSection({ symbol: 'ε' }, promisedBy(document)),
      section(SAME_VARIANCE, playersChart(document)),
      section('The model', modelTable(document)),
    ],
  });
}

const SAME_VARIANCE = 'Players needed for the same variance';

const NOTE =
  'Excess risk is the risk above that of the non-private optimum on the same records. “Mean only” is the model of ' +
  'degree 0 out of the same tally, so it costs no further privacy. The baselines and all measurements are ' +
  'computed from the records in the clear, for comparison; only the reports are private.';

function settingOf({ players, dimension, radius, repetitions, runs }: RunDocument): string {
  const variants = new Set(runs.map(({ variant }) => variant));
  const epsilons = new Set(runs.map(({ epsilon }) => epsilon));
  const several = repetitions > 1 ? `, each ${repetitions} times with other coins` : '';
  const made = runs.some(({ law }) => law === 'reports');
  return (
    `Each of ${counted(players, 'player')} ${made ? 'sends' : 'would send'} one randomized report of a record with ${counted(dimension, 'feature')}; the ` +
    `server finds a model w with ${radius === 'automatic' ? '‖w‖ ≤ R, and R itself,' : `‖w‖ ≤ ${radius}`} from the reports alone. Run with ${listed([...variants])} at ` +
    `ε = ${[...epsilons].join(', ')}${several}.`
  );
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}

// The headline variant at the headline ε, beside what is possible without privacy; what went furthest comes first.
function tilesOf(document: RunDocument): readonly Tile[] {
  const { epsilon, variant, loss } = document;
  const { found, optimum, constant } = headlineRows(document);
  const tile = (name: string, key: 'risk' | 'auc' | 'accuracy', digits: number) => ({
    name,
    figure: mean(found[key].mean, digits),
    notes: [`optimum ${spreadText(optimum[key], digits)}`, `constant ${spreadText(constant[key], digits)}`],
    share: shareOf(document, key) ?? -Infinity,
  });
  const tiles = [tile(`${loss} risk`, 'risk', 4), tile('AUC', 'auc', 3), tile('accuracy', 'accuracy', 3)];
  const [first, ...others] = tiles.sort((a, b) => b.share - a.share);
  return [
    { ...first, name: `${first.name}, ${variant} at ε = ${epsilon}` },
    ...others,
    found.reportsPerSecond === null
      ? {
          name: 'seconds a run by the law of sums',
          figure: mean(found.seconds?.mean ?? 0, 3),
          notes: ['drawn from the records, not collected'],
        }
      : {
          name: 'reports per second',
          figure: wholeNumber(found.reportsPerSecond?.mean ?? 0),
          notes: [`${mean(found.seconds?.mean ?? 0, 3)} s a run`],
        },
  ];
}

function mean(value: number | null, digits: number): string {
  return spreadText({ mean: value, deviation: null }, digits);
}

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

/** Risk and AUC against ε, with error bars over repetitions. */
function metricPictures(document: RunDocument): readonly Picture[] {
  const { loss } = document;
  const { nonPrivate, constant, meanOnly, variants } = summarize(document);
  const meanOnlyName = meanOnly.every(({ label }) => label === meanOnly[0].label) ? meanOnly[0].label : 'mean only';
  const curves: Curve[] = [
    ...variants.map(({ variant, rows }) => ({ name: variant, style: styleOf(document, variant), rows })),
    { name: meanOnlyName, style: MEAN_ONLY, rows: meanOnly },
  ];
  const levels = [nonPrivate, constant] as const;
  const risk: Metric = { key: 'risk', name: `${loss} risk`, digits: 5, limits: [leastRisk(curves, levels), Infinity] };
  const auc: Metric = { key: 'auc', name: 'AUC', digits: 4, limits: [0, 1] };
  // If all labels are equal, there is no AUC to show.
  const known = [risk, auc].filter(({ key }) =>
    [...levels, ...curves.flatMap(({ rows }) => rows)].every((row) => row[key].mean !== null),
  );
  return known.map((metric) => metricPicture(metric, curves, levels, known.length === 1));
}

function repeatedNote({ repetitions }: RunDocument): Markup {
  const bars = `Points are means of ${repetitions} runs, bars one standard deviation.`;
  return repetitions > 1 ? paragraph(bars, 'soft') : '';
}

// If no model has a negative risk, error bars do not go below zero.
function leastRisk(curves: readonly Curve[], levels: readonly SummaryRow[]): number {
  const rows = [...levels, ...curves.flatMap((curve) => curve.rows)];
  return rows.every(({ risk }) => risk.mean !== null && risk.mean >= 0) ? 0 : -Infinity;
}

function metricPicture(
  { key, name, digits, limits }: Metric,
  curves: readonly Curve[],
  levels: readonly [solid: SummaryRow, dashed: SummaryRow],
  wide: boolean,
): Picture {
  const meanOf = (row: SummaryRow): number => row[key].mean ?? Number.NaN;
  const tipOf = (row: SummaryRow): string => {
    const at = row.epsilon === undefined ? '' : `, ε = ${row.epsilon}`;
    return `${row.label}${at}: ${spreadText(row[key], digits)}`;
  };
  return lineChart({
    label: `${name} against ε`,
    wide,
    xLabel: 'ε of one player (logarithmic)',
    yLabel: name,
    limits,
    series: curves.map((curve) => ({
      name: curve.name,
      style: curve.style,
      points: curve.rows.map((row) => ({
        x: row.epsilon ?? Number.NaN,
        mean: meanOf(row),
        deviation: row[key].deviation,
        tip: tipOf(row),
      })),
    })),
    levels: levels.map((row, index) => ({
      name: row.label,
      kind: index === 0 ? ('solid' as const) : ('dashed' as const),
      value: meanOf(row),
      tip: tipOf(row),
    })),
  });
}

/** How many players each variant needs for a gradient as exact as that of the best variant with the actual players. */
function playersChart(document: RunDocument): Markup {
  const { playersForSameVariance, epsilon, delta, players, collectedDegree } = document;
  if (playersForSameVariance.length === 0) return '';
  const [best] = playersForSameVariance;
  const bars = playersForSameVariance.map(({ variant, ratio, players: needed, variance }) => ({
    name: variant,
    style: styleOf(document, variant),
    value: needed,
    text: `${compact(needed)}  (${compact(ratio)} ×)`,
    tip: `${variant}: ${compact(needed)} players; variance ${compact(variance)} of one report`,
  }));
  const caption =
    `So many players give, under each variant, a gradient of the variance that ${counted(players, 'player')} give ` +
    `under ${best.variant}; ε = ${epsilon}, δ = ${decimal(delta)}, ‖w‖ = 1, degree ${collectedDegree}.`;
  return paragraph(caption) + figures(barChart({ label: SAME_VARIANCE, xLabel: 'players (logarithmic)', bars }));
}

/** The coordinates of the headline run's model. */
function modelTable({ features, estimate, variant, epsilon }: RunDocument): Markup {
  const rows = features.map((name, index) => [name, estimate.w[index].toFixed(4)]);
  return element(
    'details',
    {},
    element('summary', {}, escapeText(`Coordinates of w, ${variant} at ε = ${epsilon}, first run`)),
    textTable([['feature', 'weight'], ...rows], { right: 1 }),
  );
}

/** The colour and marker of the model that knows the mean only; no variant has it. */
const MEAN_ONLY = 4;

/** The number of a variant's colour and marker: the same on all pages of a protocol, for any variants in the run. */
function styleOf({ playersForSameVariance, runs }: RunDocument, variant: string): number {
  const known = [...new Set([...playersForSameVariance, ...runs].map((one) => one.variant))];
  const number = known.indexOf(variant) % (STYLES - 1);
  return number < MEAN_ONLY ? number : number + 1;
}
