import type { AuditCounts } from '../audit/plan.ts';
import type { Baseline, ModelMetrics } from '../simulation/metrics.ts';
import type { Dataset, SimulationOptions } from '../simulation/runner.ts';
import type { Forecast, LinearEstimate, StudyForecaster, StudyQuery, StudyRequest } from '../simulation/study.ts';
import type { Block, DataMoments, SumPart } from '../simulation/sum-law.ts';
import { type Answering, answering, refusing } from './refused.ts';
import type { EstimateTask } from './serve/collection.ts';
import type { AnyTarget } from './study.ts';
import type { AuditTask, ForecastTask, FoundModel, LoadTask } from './threads.ts';

// What a thread of the pool does. Each task loads only what it needs: a thread that reads a file needs no protocol.

/** What is the same for all tasks of a run on labelled records. */
interface RecordTask {
  /** The protocol's folder name, and the name of the loss; the protocol's own default by default. */
  readonly protocol: string;
  readonly loss?: string | undefined;
  /** The records, and the rows to use, all by default: both in shared memory. */
  readonly dataset: Dataset;
  readonly rows?: Uint32Array | undefined;
}

/** A task about players, whose parameters are made from the request. */
interface PlayersTask extends RecordTask {
  readonly request: StudyRequest;
}

/** Simulates one range of players in a worker thread and returns their tally. */
const work: Answering<PlayersTask & SimulationOptions, unknown> = answering(
  async ({ protocol: name, request, dataset, rows, ...range }) => {
    const { datasetPopulation, simulate } = await import('../simulation/runner.ts');
    const { protocol, parameters } = await (await import('./study.ts')).loadStudy(name);
    return simulate(protocol, parameters(request), datasetPopulation(dataset, rows), range);
  },
);
export default work;

/** The law of sums of a task, its parameters, and its records. */
async function sumOf({ protocol: name, request, dataset, rows }: PlayersTask) {
  const { datasetPopulation } = await import('../simulation/runner.ts');
  const { loadStudy, requiredLaw } = await import('./study.ts');
  const laws = await import('../simulation/sum-law.ts');
  const { parameters, sums } = await loadStudy(name);
  const law = requiredLaw(sums, name);
  return { ...laws, law, parameters: parameters(request), population: datasetPopulation(dataset, rows) };
}

/** Sums the moments of one block of records in a worker thread. */
export const moments: Answering<PlayersTask & { readonly block: Block }, DataMoments> = answering(async (task) => {
  const { law, parameters, population, blockMoments } = await sumOf(task);
  return blockMoments(law, parameters, population, task.block);
});

/** Draws the part that one block of players has in a sum of reports, in a worker thread. */
export const sum: Answering<
  PlayersTask & {
    readonly block: Block;
    readonly moments: DataMoments;
    readonly seed: string;
    readonly copies: number;
  },
  SumPart
> = answering(async ({ moments: known, seed, copies, ...task }) => {
  const { law, parameters, population, drawBlock } = await sumOf(task);
  return drawBlock(law, parameters, { population, moments: known }, { ...task.block, seed, copies });
});

/** Finds the models of a tally in a worker thread. */
export const model: Answering<PlayersTask & { readonly tally: unknown; readonly query: StudyQuery }, FoundModel> =
  answering(async ({ protocol: name, loss, request, tally, query }) => {
    const study = await (await import('./study.ts')).loadStudy(name, loss);
    const { server } = study.protocol;
    const parameters = study.parameters(request);
    const begun = performance.now();
    const estimate = server.estimate(parameters, tally, study.query(query));
    const seconds = (performance.now() - begun) / 1000;
    const uncertainty = study.uncertainty(parameters, tally, estimate, query);
    const mean = { radius: estimate.radius, degree: 0, variant: request.variant };
    const meanOnly = server.estimate(parameters, tally, study.query(mean));
    const details = study.details(estimate);
    return { estimate: numbersOf(estimate), details, uncertainty, meanOnly: numbersOf(meanOnly), seconds };
  });

/** An estimate as data: what a protocol adds to it may be a function. */
function numbersOf({ players, w, radius, degree, risk, standardError }: LinearEstimate): LinearEstimate {
  return { players, w, radius, degree, risk, standardError };
}

/** Measures models under the protocol's loss in a worker thread. */
export const measure: Answering<RecordTask & { readonly models: readonly Float64Array[] }, readonly ModelMetrics[]> =
  answering(async ({ protocol, loss: name, ...task }) => {
    const { scoreMetrics } = await import('../simulation/metrics.ts');
    const { loss } = await (await import('./study.ts')).loadStudy(protocol, name);
    return scoreMetrics(task.dataset, task.models, task.rows, loss);
  });

/** Finds the protocol's non-private optimum within ‖w‖ ≤ `radius` in a worker thread. */
export const optimum: Answering<RecordTask & { readonly radius: number }, Baseline> = answering(
  async ({ protocol, loss, dataset, rows, radius }) => {
    const { loadStudy } = await import('./study.ts');
    return (await loadStudy(protocol, loss)).optimum(dataset, radius, rows);
  },
);

export const load: Answering<LoadTask, Dataset> = answering(async ({ source, port }) => {
  const { loadDataset } = await import('./records.ts');
  try {
    return await loadDataset(source, (records, expected) => port.postMessage([records, expected]));
  } finally {
    port.close();
  }
});

/** Estimates from the state of a collector, in a worker thread. */
export const estimate: Answering<EstimateTask, string> = answering(async (task) =>
  (await import('./serve/collection.ts')).estimateText(task),
);

/** Makes what one task after the other needs, once as long as they are given the same. */
function lastMade<Value>(): (given: unknown, make: () => Value | Promise<Value>) => Promise<Value> {
  let last: { readonly key: string; readonly value: Value } | undefined;
  return async (given, make) => {
    const key = JSON.stringify(given);
    if (last?.key !== key) last = { key, value: await make() };
    return last.value;
  };
}

/** The player under attack: all shards of an audit have the same, and its rounds are simulated. */
const attackedLast = lastMade<AnyTarget>();

/** Counts one shard of an audit in a worker thread. */
export const count: Answering<AuditTask, AuditCounts> = answering(
  async ({ protocol, request, attacked, plan, seed, shard, shards }) => {
    const { auditShare } = await import('../audit/plan.ts');
    const { seededRandom } = await import('../random/seeded.ts');
    const { commandOf, openStudy } = await import('./studies.ts');
    const target = await attackedLast([protocol, request, attacked], async () =>
      commandOf('audit', await openStudy(protocol)).target(request as never, attacked),
    );
    return auditShare(target, plan, { random: seededRandom(seed).stream(shard), shard, shards });
  },
);

/** What a command forecasts with: all its forecasts have the same population, of the same file if any. */
const forecasterLast = lastMade<StudyForecaster>();

function forecasterOf({ word, setting }: ForecastTask): Promise<StudyForecaster> {
  return forecasterLast([word, { ...setting, records: undefined }], async () => {
    const { commandOf, openStudy } = await import('./studies.ts');
    const forecaster = await commandOf('forecast', await openStudy(word)).forecaster!(setting as never);
    return refusing({ forecaster }).forecaster;
  });
}

/** Forecasts in a worker thread. */
export const forecast: Answering<ForecastTask, Forecast> = answering(async (task) =>
  (await forecasterOf(task))(task.request, task.players),
);

/** The players for a target excess risk, by some twenty forecasts in a worker thread. */
export const playersNeeded: Answering<ForecastTask, number> = answering(async (task) => {
  const { playersUntil } = await import('../simulation/study.ts');
  const forecaster = await forecasterOf(task);
  return playersUntil(task.target!, (players) => forecaster(task.request, players).excessRisk);
});
