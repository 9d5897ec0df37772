import type { AuditCounts } from '../audit/plan.ts';
import type { Baseline } from '../simulation/baseline.ts';
import type { Dataset } from '../simulation/dataset.ts';
import type { ModelMetrics } from '../simulation/metrics.ts';
import type { AnyTarget } from './audit-target.ts';
import type { AuditTask, LoadTask, MetricsTask, OptimumTask, PlayersTask } from './threads.ts';

// What a thread of the pool does. Each task loads only what it needs: a thread that reads a file needs no protocol.

/** Simulates one range of players in a worker thread and returns their tally. */
export default async function work({
  protocol: name,
  request,
  dataset,
  rows,
  ...range
}: PlayersTask): Promise<unknown> {
  const [{ datasetPopulation }, { simulate }, { loadStudy }] = await Promise.all([
    import('../simulation/population.ts'),
    import('../simulation/runner.ts'),
    import('./studies.ts'),
  ]);
  const { protocol, parameters } = await loadStudy(name);
  return simulate(protocol, parameters(request), datasetPopulation(dataset, rows), range);
}

/** Measures models under the protocol's loss in a worker thread. */
export async function measure({ protocol, loss: name, ...task }: MetricsTask): Promise<readonly ModelMetrics[]> {
  const [{ scoreMetrics }, { loadStudy }] = await Promise.all([
    import('../simulation/metrics.ts'),
    import('./studies.ts'),
  ]);
  const { loss } = await loadStudy(protocol, name);
  return scoreMetrics(task.dataset, task.models, task.rows, loss);
}

/** Finds the protocol's non-private optimum in a worker thread. */
export async function optimum({ protocol, loss, dataset, rows, radius }: OptimumTask): Promise<Baseline> {
  const { loadStudy } = await import('./studies.ts');
  return (await loadStudy(protocol, loss)).optimum(dataset, radius, rows);
}

/** Reads a dataset in a worker thread. */
export async function load({ source, port }: LoadTask): Promise<Dataset> {
  const { loadDataset } = await import('./records.ts');
  try {
    return await loadDataset(source, (records, expected) => port.postMessage([records, expected]));
  } finally {
    port.close();
  }
}

/** The player that this thread attacked last: all shards of an audit have the same, and its rounds are simulated. */
let attackedLast: { readonly key: string; readonly target: AnyTarget } | undefined;

/** Counts one shard of an audit in a worker thread. */
export async function count({
  protocol,
  request,
  attacked,
  plan,
  seed,
  shard,
  shards,
}: AuditTask): Promise<AuditCounts> {
  const [{ auditShare }, { seededRandom }, { auditTarget }] = await Promise.all([
    import('../audit/plan.ts'),
    import('../random/seeded.ts'),
    import('./audit-target.ts'),
  ]);
  const key = JSON.stringify([protocol, request, attacked]);
  if (attackedLast?.key !== key) attackedLast = { key, target: await auditTarget(protocol, request, attacked) };
  return auditShare(attackedLast.target, plan, { random: seededRandom(seed).stream(shard), shard, shards });
}
