import { decimal } from '../../../privacy/rounding.ts';
import { compact, counted, everyOf, reporting, rounded, wholeNumber } from '../../print.ts';
import { barChart, lineChart } from '../../report/charts.ts';
import { type Picture, STYLES } from '../../report/markup.ts';
import { capital, promisedBy, type ResultPart, type RunResult, type Tile } from '../../report/result.ts';
import { doubtsOf, promiseInWords, type Verdict } from '../../report/verdict.ts';
import {
  drawnNotes,
  type RunDocument,
  resultRows,
  type Summary,
  type SummaryRow,
  spreadText,
  summarize,
} from './summary.ts';

const SAME_VARIANCE = 'Players needed for the same variance';

const NOTE =
  'Excess risk is the risk above that of the non-private optimum on the same records. “Mean only” is the model of ' +
  'degree 0 out of the same tally, so it costs no further privacy. The baselines and all measurements are ' +
  'computed from the records in the clear, for comparison; only the reports are private.';

export function recordResult(document: RunDocument): RunResult {
  const { summary, evaluatedOn, loss, repetitions, runs, epsilon, features, estimate } = document;
  const rows = summarize(document);
  const several = `Points are means of ${repetitions} runs, bars one standard deviation.`;
  const servers = runs.flatMap(({ variant, epsilon: at, repetition, estimate: { plan, server } }) =>
    plan === undefined || at !== epsilon || repetition > 1
      ? []
      : [`${variant} at ε = ${at}: model by server ${server}.`],
  );
  return {
    verdict: verdictOf(document, rows),
    tiles: tilesOf(document, rows),
    about: [
      `${capital(summary)}. ${settingOf(document)}`,
      ...pooledNote(document),
      `Models are measured on ${evaluatedOn.description}.`,
    ],
    parts: [
      {
        heading: `${capital(loss)} risk and AUC against ε`,
        pictures: metricPictures(document, rows),
        notes: repetitions > 1 ? [several] : [],
      },
      {
        heading: 'Results',
        rows: resultRows(document, rows),
        right: 6,
        grouped: true,
        notes: [...servers, ...drawnNotes(document), NOTE],
      },
      ...playersPart(document),
      {
        heading: 'The model',
        rows: [['feature', 'weight'], ...features.map((name, index) => [name, estimate.w[index].toFixed(4)])],
        right: 1,
        folded: `Coordinates of w, ${document.variant} at ε = ${epsilon}, first run`,
      },
    ],
    promised: promisedBy(document),
  };
}

function settingOf({ players, dimension, radius, repetitions, runs }: RunDocument): string {
  const variants = [...new Set(runs.map(({ variant }) => variant))];
  const epsilons = new Set(runs.map(({ epsilon }) => epsilon));
  const several = repetitions > 1 ? `, each ${repetitions} times with other coins` : '';
  const made = runs.some(({ law }) => law === 'reports');
  return (
    `${everyOf(players)} ${made ? 'sends' : 'would send'} one randomized report of a record with ${counted(dimension, 'feature')}; the ` +
    `server finds a model w with ${radius === 'automatic' ? '‖w‖ ≤ R, and R itself,' : `‖w‖ ≤ ${radius}`} from the reports alone. Run with ${variants.join(', ')} at ` +
    `ε = ${[...epsilons].join(', ')}${several}.`
  );
}

/** What the server was told of the records beside their bounds, where a model needs it. */
function pooledNote({ runs }: RunDocument): readonly string[] {
  const pooled = new Set(runs.filter(({ estimate }) => estimate.pooled).map(({ variant }) => variant));
  if (pooled.size === 0) return [];
  return [
    `By the schema all records have norm 1, and the server uses it: what reports of ${[...pooled].join(', ')} say of one power it ` +
      'pools with what they say of the others. For shorter records that would be wrong.',
  ];
}

/** The headline variant at the headline ε, as the mean over its repetitions. */
function headlineOf({ epsilon, variant }: RunDocument, { variants }: Summary): SummaryRow {
  return variants.find((one) => one.variant === variant)!.rows.find((one) => one.epsilon === epsilon)!;
}

/** How much of the way from the best constant to the optimum a measure went; undefined where there is no such way. */
function shareOf(document: RunDocument, rows: Summary, key: 'risk' | 'auc' | 'accuracy'): number | undefined {
  const models = [headlineOf(document, rows), rows.nonPrivate, rows.constant];
  const [reached, best, least] = models.map((row) => row[key].mean);
  if (reached == null || best == null || least == null || best === least) return undefined;
  return (reached - least) / (best - least);
}

const percent = (value: number): string => `${rounded(100 * value, 1)} %`;

function verdictOf(document: RunDocument, rows: Summary): Verdict {
  const { players, variant, epsilon, guarantee, loss, repetitions, runs } = document;
  const { nonPrivate: optimum, constant } = rows;
  const { auc, accuracy, risk } = headlineOf(document, rows);
  const ranked = auc.mean !== null && optimum.auc.mean !== null;
  const share = shareOf(document, rows, ranked ? 'auc' : 'accuracy');
  const guessing = ranked ? auc.mean! <= 0.5 : accuracy.mean! <= constant.accuracy.mean!;
  const useless = guessing || ((share === undefined || share < 0.25) && risk.mean! >= constant.risk.mean!);
  // The model of a lucky coin finds labels too: what the first run of the headline says of itself comes first.
  const shown = runs.some(
    (run) => run.variant === variant && run.epsilon === epsilon && run.repetition === 1 && run.uncertainty.enough,
  );
  const made = runs.some(({ law }) => law === 'reports');
  const who = `${reporting(players, made ? 'sent' : 'would send')} (${variant}, ε = ${epsilon})`;
  const several = repetitions > 1 ? `, the mean of ${repetitions} runs` : '';
  const skill = ranked
    ? `of two records with different labels its model ranks the right one higher in ${percent(auc.mean!)} of cases${several}; guessing does in 50 %`
    : `its model finds the label of ${percent(accuracy.mean!)} of the records${several}; a constant finds ${percent(constant.accuracy.mean!)}`;
  const above = risk.mean! - optimum.risk.mean!;
  const guess = constant.risk.mean! - optimum.risk.mean!;
  const first = repetitions === 1 ? '' : ', first run';
  return {
    open: useless,
    learnt: useless
      ? `Hardly anything was learnt from ${who}: ${skill}.`
      : shown
        ? `From ${who} the server learnt to predict labels: ${skill}.`
        : `From ${who} came a model that noise alone may have made: ${skill}.`,
    distance: ranked
      ? `The model of least ${loss} risk on the players’ records in the clear ranks ${percent(optimum.auc.mean!)} of such pairs right. It finds the label of ` +
        `${percent(optimum.accuracy.mean!)} of the records, the private model of ${percent(accuracy.mean!)}, a constant of ${percent(constant.accuracy.mean!)}.`
      : `The model of least ${loss} risk on the players’ records in the clear finds ${percent(optimum.accuracy.mean!)}.`,
    cost:
      `${rounded(above, 4)} of ${loss} risk above the ${rounded(optimum.risk.mean!, 4)} of that model; the best constant, which ignores all ` +
      `features, is ${rounded(guess, 4)} above it${above < guess ? '' : ', so that by this measure the private model does not beat it yet'}. ${counted(players, 'player')} ${made ? 'answered' : 'would answer'} once.`,
    promise: promiseInWords(guarantee),
    ...doubtsOf(
      runs.filter(({ repetition }) => repetition === 1),
      (run) => run.variant === variant && run.epsilon === epsilon,
      (run) => ({
        ...{ name: `${run.variant} at ε = ${run.epsilon}${first}`, who: 'players', players },
        figure: (value) => rounded(value, 3),
      }),
    ),
  };
}

// The headline variant at the headline ε, beside what is possible without privacy; what went furthest comes first.
function tilesOf(document: RunDocument, rows: Summary): readonly Tile[] {
  const { epsilon, variant, loss } = document;
  const { nonPrivate, constant } = rows;
  const found = headlineOf(document, rows);
  const mean = (value: number | null | undefined, digits: number): string =>
    spreadText({ mean: value ?? null, deviation: null }, digits);
  const tile = (name: string, key: 'risk' | 'auc' | 'accuracy', digits: number) => ({
    name,
    figure: mean(found[key].mean, digits),
    notes: [`optimum ${spreadText(nonPrivate[key], digits)}`, `constant ${spreadText(constant[key], digits)}`],
    share: shareOf(document, rows, key) ?? -Infinity,
  });
  const tiles = [tile(`${loss} risk`, 'risk', 4), tile('AUC', 'auc', 3), tile('accuracy', 'accuracy', 3)];
  const [first, ...others] = tiles.sort((a, b) => b.share - a.share);
  const seconds = mean(found.seconds?.mean, 3);
  return [
    { ...first, name: `${first.name}, ${variant} at ε = ${epsilon}` },
    ...others,
    found.reportsPerSecond === null
      ? {
          name: 'seconds a run by the law of sums',
          figure: seconds,
          notes: ['drawn from the records, not collected'],
        }
      : {
          name: 'reports per second',
          figure: wholeNumber(found.reportsPerSecond?.mean ?? 0),
          notes: [`${seconds} s a run`],
        },
  ];
}

/** Risk and AUC against ε, with error bars over repetitions. */
function metricPictures(document: RunDocument, rows: Summary): readonly Picture[] {
  const { nonPrivate, constant, meanOnly, variants } = rows;
  const meanOnlyName = meanOnly.every(({ label }) => label === meanOnly[0].label) ? meanOnly[0].label : 'mean only';
  const curves = [
    ...variants.map(({ variant, rows }) => ({ name: variant, style: styleOf(document, variant), rows })),
    { name: meanOnlyName, style: MEAN_ONLY, rows: meanOnly },
  ];
  const all = [nonPrivate, constant, ...curves.flatMap((curve) => curve.rows)];
  // If all labels are equal, there is no AUC to show.
  const known = (['risk', 'auc'] as const).filter((key) => all.every((row) => row[key].mean !== null));
  return known.map((key) => {
    const tipOf = (row: SummaryRow): string => {
      const at = row.epsilon === undefined ? '' : `, ε = ${row.epsilon}`;
      return `${row.label}${at}: ${spreadText(row[key], key === 'risk' ? 5 : 4)}`;
    };
    const name = key === 'risk' ? `${document.loss} risk` : 'AUC';
    // If no model has a negative risk, error bars do not go below zero.
    const least = all.every((row) => row[key].mean! >= 0) ? 0 : -Infinity;
    return lineChart({
      label: `${name} against ε`,
      wide: known.length === 1,
      yLabel: name,
      limits: [least, key === 'risk' ? Infinity : 1],
      series: curves.map(({ rows, ...curve }) => ({
        ...curve,
        points: rows.map((row) => ({
          x: row.epsilon!,
          mean: row[key].mean!,
          deviation: row[key].deviation,
          tip: tipOf(row),
        })),
      })),
      levels: [nonPrivate, constant].map((row, index) => ({
        name: row.label,
        kind: index === 0 ? ('solid' as const) : ('dashed' as const),
        value: row[key].mean!,
        tip: tipOf(row),
      })),
    });
  });
}

/** How many players each variant needs for a gradient as exact as that of the best variant with the actual players. */
function playersPart(document: RunDocument): readonly ResultPart[] {
  const { playersForSameVariance, epsilon, delta, players, collectedDegree } = document;
  if (playersForSameVariance.length === 0) return [];
  const [best] = playersForSameVariance;
  const bars = playersForSameVariance.map(({ variant, ratio, players: needed, variance }) => ({
    name: variant,
    style: styleOf(document, variant),
    value: needed,
    text: `${compact(needed)}  (${compact(ratio)} ×)`,
    tip: `${variant}: ${compact(needed)} players; variance ${compact(variance)} of one report`,
  }));
  const note =
    `So many players give, under each variant, a gradient of the variance that the reports of ${counted(players, 'player')} have ` +
    `under ${best.variant}; ε = ${epsilon}, δ = ${decimal(delta)}, ‖w‖ = 1, degree ${collectedDegree}.`;
  const picture = barChart({ label: SAME_VARIANCE, xLabel: 'players (logarithmic)', bars });
  return [{ heading: SAME_VARIANCE, pictures: [picture], notes: [note] }];
}

/** The colour and marker of the model that knows the mean only; no variant has it. */
const MEAN_ONLY = 4;

/** The number of a variant's colour and marker: the same on all pages of a protocol, for any variants in the run. */
function styleOf({ playersForSameVariance, runs }: RunDocument, variant: string): number {
  const known = [...new Set([...playersForSameVariance, ...runs].map((one) => one.variant))];
  const number = known.indexOf(variant) % (STYLES - 1);
  return number < MEAN_ONLY ? number : number + 1;
}
