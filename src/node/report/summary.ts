import type { Metrics, PrivateMetrics, RunDocument, RunRecord } from '../experiment/document.ts';

/** A mean over repetitions and their standard deviation; null where there is none. */
export interface Spread {
  readonly mean: number | null;
  readonly deviation: number | null;
}

/** One model, or the mean over the repetitions of one. */
export interface SummaryRow {
  /** What it is called in a table. */
  readonly label: string;
  /** Undefined for baselines that are not private. */
  readonly epsilon: number | undefined;
  readonly risk: Spread;
  readonly excessRisk: Spread;
  readonly auc: Spread;
  readonly accuracy: Spread;
  /** Undefined for what takes no run of its own. */
  readonly seconds: Spread | undefined;
  readonly reportsPerSecond: Spread | undefined;
}

/** The models of a document by what they are. */
export interface Summary {
  readonly nonPrivate: SummaryRow;
  readonly constant: SummaryRow;
  /** For each ε in the order of the runs: the mean-only model of the headline's variant. */
  readonly meanOnly: readonly SummaryRow[];
  /** For each variant: a row for each ε. */
  readonly variants: readonly { readonly variant: string; readonly rows: readonly SummaryRow[] }[];
}

/** Means and standard deviations over repetitions. */
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
      const all = chosen(headline, epsilon);
      return row(
        `mean only (${headline})`,
        epsilon,
        all.map((run) => run.baselines.meanOnly),
        [],
      );
    }),
    variants: variants.map((variant) => ({
      variant,
      rows: epsilons.map((epsilon) => {
        const all = chosen(variant, epsilon);
        return row(
          variant,
          epsilon,
          all.map((run) => run.metrics),
          all,
        );
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
  return {
    label,
    epsilon,
    risk: spread(metrics.map(({ risk }) => risk)),
    excessRisk: spread(metrics.map(({ excessRisk }) => excessRisk)),
    auc: spread(metrics.map(({ auc }) => auc)),
    accuracy: spread(metrics.map(({ accuracy }) => accuracy)),
    seconds: runs.length === 0 ? undefined : spread(runs.map(({ seconds }) => seconds)),
    reportsPerSecond: runs.length === 0 ? undefined : spread(runs.map(({ reportsPerSecond }) => reportsPerSecond)),
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
