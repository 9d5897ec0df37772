import { constantMetrics } from '../../simulation/baseline.ts';
import type { ModelMetrics } from '../../simulation/metrics.ts';
import type { Collected, Stage } from './collection.ts';
import type { Metrics, PrivateMetrics } from './document.ts';

/** Models measured by one thread at a time: each needs 4 bytes a record. */
const GROUP = 2;

/** Baselines and runs, measured on the same records. */
export interface Measured {
  readonly nonPrivate: Metrics;
  readonly constant: Metrics;
  /** As many as there are runs, in their order. */
  readonly runs: readonly { readonly metrics: PrivateMetrics; readonly meanOnly: PrivateMetrics }[];
}

/**
 * Measures all models on the evaluated records, and fits the baselines to the players' records, in the clear.
 * `onProgress` hears the number of models so far.
 */
export async function measureRuns(
  { plan, study, dataset, division, threads }: Stage,
  collected: readonly Collected[],
  onProgress: (models: number) => void,
): Promise<Measured> {
  const { protocol, loss } = plan;
  // What the private models are held against may be as large as the largest of them.
  const radius = plan.radius === 'automatic' ? (study.automaticRadius ?? 1) : plan.radius;
  const { players, evaluated } = division;
  let done = 0;
  const measure = async (models: readonly Float64Array[]): Promise<readonly ModelMetrics[]> => {
    const metrics = await threads.measure({ protocol, loss, dataset, rows: evaluated, models });
    onProgress((done += models.length));
    return metrics;
  };
  const models = collected.flatMap(({ estimate, meanOnly }) => [estimate.w, meanOnly.w]);
  const groups: Promise<readonly ModelMetrics[]>[] = [];
  // The optimum takes longest, so it is begun first.
  groups.push(threads.optimum({ protocol, loss, dataset, rows: players, radius }).then(({ w }) => measure([w])));
  for (let first = 0; first < models.length; first += GROUP) groups.push(measure(models.slice(first, first + GROUP)));
  const [optimum, ...others] = (await Promise.all(groups)).flat();

  const { score } = study.bestConstant(dataset, radius, players);
  const competing = (metrics: ModelMetrics): PrivateMetrics => {
    const { risk, accuracy, auc } = plain(metrics);
    return { risk, excessRisk: risk - optimum.risk, accuracy, auc };
  };
  return {
    nonPrivate: plain(optimum),
    constant: plain(constantMetrics(dataset, score, study.loss, evaluated)),
    runs: collected.map((_, index) => ({
      metrics: competing(others[2 * index]),
      meanOnly: competing(others[2 * index + 1]),
    })),
  };
}

// JSON has no NaN.
function plain({ risk, accuracy, auc }: ModelMetrics): Metrics {
  return { risk, accuracy, auc: Number.isNaN(auc) ? null : auc };
}
