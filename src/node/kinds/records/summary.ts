import type { Json } from '../../../core/request.ts';
import type { Uncertainty } from '../../../inference/model-interval.ts';
import type { Guarantee } from '../../../privacy/guarantee.ts';
import { counted, rounded, wholeNumber } from '../../print.ts';
import type { EpsilonHead } from '../../report/result.ts';

/** How good one model is on the evaluated records: its mean loss, the share of sides that it finds, and the area under its ROC curve. */
export interface Metrics {
  readonly risk: number;
  readonly accuracy: number;
  /** Null where all labels are the same. */
  readonly auc: number | null;
}

export interface PrivateMetrics extends Metrics {
  /** Risk minus that of the non-private optimum on the same records; it may be negative on held-out records. */
  readonly excessRisk: number;
}

/** A private estimate as plain data: the model, the degree used, and the risk that the server reconstructs from the reports alone. */
interface EstimateRecord {
  readonly w: readonly number[];
  readonly degree: number;
  readonly risk: number;
  /** Of that risk, at a w fixed in advance. */
  readonly standardError: number;
  /** Other results of the protocol, such as its coefficients. */
  readonly [detail: string]: Json;
}

/** How a tally came about: from so many reports, or drawn by the law of the sum of all reports, without making them. */
export interface Origin {
  readonly law: 'reports' | 'sum';
  readonly reports: number;
  /** A bound on the distance in total variation between the law of this tally and that of a tally of reports. */
  readonly distance: number;
}

/** One run: one variant, one ε, one set of coins. */
export interface RunRecord extends Origin {
  readonly variant: string;
  readonly epsilon: number;
  /** From 1. */
  readonly repetition: number;
  readonly guarantee: Guarantee;
  readonly degree: number;
  readonly estimate: EstimateRecord;
  /** What the noise of the reports leaves open about the estimate, from the reports alone. */
  readonly uncertainty: Uncertainty;
  readonly metrics: PrivateMetrics;
  /** The model of degree 0 from the same tally. */
  readonly baselines: { readonly meanOnly: PrivateMetrics };
  /** To make all reports, or to draw what they add up to, tally and estimate. */
  readonly seconds: number;
  /** Null where the tally was drawn. */
  readonly reportsPerSecond: number | null;
}

export interface EvaluatedOn {
  readonly records: number;
  /** Whether these records differ from those of the players. */
  readonly heldOut: boolean;
  readonly description: string;
}

/** How many players a variant needs for a gradient as exact as that of the best variant: the ratio of variances of a report's gradient. */
export interface NeededPlayers {
  readonly variant: string;
  readonly variance: number;
  readonly ratio: number;
  readonly players: number;
}

/**
 * What `ldpkit run` reports: the headline run (first variant, ε closest to 1, first repetition), then every run. `baselines`,
 * `metrics` and the number of records come from the records without privacy; only estimates are private.
 */
export interface RunDocument
  extends EpsilonHead,
    Pick<RunRecord, 'degree' | 'estimate' | 'uncertainty' | 'metrics' | 'seconds'> {
  readonly dimension: number;
  readonly baselines: RunRecord['baselines'] & { readonly nonPrivate: Metrics; readonly constant: Metrics };
  /** The degree for which the reports were collected; `degree` is the one that the estimate used. */
  readonly collectedDegree: number;
  readonly delta: number;
  readonly radius: number | 'automatic';
  /** How many players hold each record. */
  readonly copies: number;
  /** For the moments of the data, which serve all runs without reports; null where there are none. */
  readonly momentsSeconds: number | null;
  readonly loss: string;
  readonly features: readonly string[];
  readonly evaluatedOn: EvaluatedOn;
  readonly runs: readonly RunRecord[];
  /** All variants of the protocol, at the ε of the headline run and the collected degree. */
  readonly playersForSameVariance: readonly NeededPlayers[];
}

/** A mean over repetitions and their standard deviation; null where there is none. */
interface Spread {
  readonly mean: number | null;
  readonly deviation: number | null;
}

/** One model, or the mean over the repetitions of one. */
export interface SummaryRow {
  readonly label: string;
  /** Undefined for baselines that are not private. */
  readonly epsilon: number | undefined;
  readonly risk: Spread;
  readonly excessRisk: Spread;
  readonly auc: Spread;
  readonly accuracy: Spread;
  /** Of the runs that made reports, or of all where none did; undefined for a model that needs no run of its own. */
  readonly seconds: Spread | undefined;
  /** Null where no run made all reports. */
  readonly reportsPerSecond: Spread | null | undefined;
}

/** The models of a document, grouped by kind. */
export interface Summary {
  readonly nonPrivate: SummaryRow;
  readonly constant: SummaryRow;
  /** For each ε in the order of the runs: the mean-only model of the headline's variant. */
  readonly meanOnly: readonly SummaryRow[];
  /** For each variant: a row for each ε. */
  readonly variants: readonly { readonly variant: string; readonly rows: readonly SummaryRow[] }[];
}

export function summarize({ runs, variant: headline, baselines }: RunDocument): Summary {
  const distinct = <Value>(values: readonly Value[]): readonly Value[] => [...new Set(values)];
  const epsilons = distinct(runs.map(({ epsilon }) => epsilon));
  const variants = distinct(runs.map(({ variant }) => variant));
  const chosen = (variant: string, epsilon: number): readonly RunRecord[] =>
    runs.filter((run) => run.variant === variant && run.epsilon === epsilon);
  const { risk } = baselines.nonPrivate;
  const clear = (label: string, metrics: Metrics): SummaryRow =>
    row(label, undefined, [{ ...metrics, excessRisk: metrics.risk - risk }], []);
  return {
    nonPrivate: clear('non-private optimum', baselines.nonPrivate),
    constant: clear('best constant', baselines.constant),
    meanOnly: epsilons.map((epsilon) => {
      // A planned run may take another variant at another ε.
      const at = runs.filter((run) => run.epsilon === epsilon);
      const { variant } = at.find((run) => run.variant === headline) ?? at[0];
      const metrics = chosen(variant, epsilon).map((run) => run.baselines.meanOnly);
      return row(`mean only (${variant})`, epsilon, metrics, []);
    }),
    variants: variants.map((variant) => ({
      variant,
      rows: epsilons.flatMap((epsilon) => {
        const all = chosen(variant, epsilon);
        const metrics = all.map((run) => run.metrics);
        return all.length === 0 ? [] : [row(variant, epsilon, metrics, all)];
      }),
    })),
  };
}

function row(
  label: string,
  epsilon: number | undefined,
  metrics: readonly PrivateMetrics[],
  runs: readonly RunRecord[],
): SummaryRow {
  const made = runs.filter(({ law }) => law === 'reports');
  const timed = made.length === 0 ? runs : made;
  const speed = made.length === 0 ? null : spread(made.map(({ reportsPerSecond }) => reportsPerSecond));
  return {
    label,
    epsilon,
    risk: spread(metrics.map(({ risk }) => risk)),
    excessRisk: spread(metrics.map(({ excessRisk }) => excessRisk)),
    auc: spread(metrics.map(({ auc }) => auc)),
    accuracy: spread(metrics.map(({ accuracy }) => accuracy)),
    seconds: runs.length === 0 ? undefined : spread(timed.map(({ seconds }) => seconds)),
    reportsPerSecond: runs.length === 0 ? undefined : speed,
  };
}

function spread(values: readonly (number | null)[]): Spread {
  const known = values.filter((value) => value !== null);
  if (known.length < values.length) return { mean: null, deviation: null };
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  if (known.length < 2) return { mean, deviation: null };
  const squares = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(squares / (known.length - 1)) };
}

/** A mean ± a standard deviation with so many digits after the point; a dash where there is none. */
export function spreadText({ mean, deviation }: Spread, digits: number): string {
  if (mean === null) return '–';
  const text = rounded(mean, digits);
  return deviation === null ? text : `${text} ± ${deviation.toFixed(digits)}`;
}

/** The results: first the non-private baselines, then the private models for each ε. */
export function resultRows({ loss }: RunDocument, rows: Summary): readonly (readonly string[])[] {
  const { nonPrivate, constant, meanOnly, variants } = rows;
  const models = meanOnly.flatMap((row) => [
    row,
    ...variants.flatMap((variant) => variant.rows.filter(({ epsilon }) => epsilon === row.epsilon)),
  ]);
  return [
    ['ε', 'model', `${loss} risk`, 'excess risk', 'AUC', 'accuracy', 'seconds', 'reports/s'],
    ...[nonPrivate, constant, ...models].map(cellsOf),
  ];
}

function cellsOf({ epsilon, label, risk, excessRisk, auc, accuracy, seconds, reportsPerSecond }: SummaryRow): string[] {
  const speed = reportsPerSecond?.mean == null ? '' : wholeNumber(reportsPerSecond.mean);
  return [
    ...[epsilon === undefined ? '' : String(epsilon), label],
    ...[spreadText(risk, 5), spreadText(excessRisk, 5), spreadText(auc, 4), spreadText(accuracy, 4)],
    seconds?.mean == null ? '' : seconds.mean.toFixed(3),
    reportsPerSecond === null ? 'law of sums' : speed,
  ];
}

/** What was not collected: sentences about the runs without reports, if there are any. */
export function drawnNotes({ runs, copies, players, momentsSeconds }: RunDocument): readonly string[] {
  const drawn = runs.filter(({ law }) => law === 'sum');
  if (drawn.length === 0) return [];
  const nameOf = (run: RunRecord): string => `${run.variant} at ε = ${run.epsilon}`;
  const lines = Array.from(new Set(drawn.map(nameOf)), (name) => {
    const list = drawn.filter((run) => nameOf(run) === name);
    const all = runs.filter((run) => nameOf(run) === name).length;
    const distance = Math.max(...list.map((run) => run.distance));
    const law = distance === 0 ? 'exact' : `within ${distance.toPrecision(2)} in total variation`;
    const made = Math.max(...list.map((run) => run.reports));
    const some = made === 0 ? '' : `, with ${wholeNumber(made)} reports a run for what has no such law`;
    return `${name} (${list.length} of ${counted(all, 'run')}; ${law}${some})`;
  });
  const reports = drawn.every((run) => run.reports === 0) ? 'no reports were made' : 'not all reports were made';
  const held =
    copies === 1 ? '' : ` Each record stands for ${wholeNumber(copies)} of the ${wholeNumber(players)} players.`;
  const moments = `Moments of the records for all of these runs: ${momentsSeconds?.toFixed(1)} s.`;
  return [
    `Law of sums: ${reports} for ${lines.join(', ')}. What they add up to was drawn from the records.${held}`,
    ...(momentsSeconds === null ? [] : [moments]),
  ];
}
