import { checkFinite, checkInteger } from '../../../check/number.ts';
import { refusedAs } from '../../../check/refusal.ts';
import type { Grade } from '../../../core/grade.ts';
import type { Guarantee } from '../../../privacy/guarantee.ts';
import { seededRandom } from '../../../random/seeded.ts';
import { permutation } from '../../../random/uniform.ts';
import { constantMetrics } from '../../../simulation/baseline.ts';
import { type Dataset, splitRows } from '../../../simulation/dataset.ts';
import type { ModelMetrics } from '../../../simulation/metrics.ts';
import type { LinearEstimate, Study, StudyQuery, StudyRequest } from '../../../simulation/study.ts';
import { counted, wholeNumber } from '../../figures.ts';
import { fileRefusal } from '../../files.ts';
import { origin } from '../../origin.ts';
import { createProgress, reading } from '../../progress.ts';
import type { DatasetSource } from '../../records.ts';
import { loadStudy } from '../../studies.ts';
import { createThreads, loadDatasetApart, type Threads } from '../../threads.ts';
import { closestToOne } from '../run.ts';
import type {
  CertificateRecord,
  EvaluatedOn,
  Metrics,
  NeededPlayers,
  PrivateMetrics,
  RunDocument,
  RunRecord,
} from './document.ts';

/** The inputs of an experiment. */
export interface Plan {
  /** The protocol's folder name. */
  readonly protocol: string;
  /** The variants that are compared, or {@link PLANNED}; the headline run uses the first one. */
  readonly variants: readonly string[];
  /** The ε of one player, in the order of the runs. */
  readonly epsilons: readonly number[];
  /** δ of one player; variants with a pure guarantee do not use it. */
  readonly delta: number;
  /**
   * The degree collected for and used; `automatic`: the study plans the degree from the number of players, or degree 1
   * is collected, and the protocol chooses what it uses.
   */
  readonly degree: number | 'automatic';
  /** What the players' noise is made of. */
  readonly grade: Grade;
  /** R: the constraint is ‖w‖ ≤ R; `automatic`: the server chooses it. */
  readonly radius: number | 'automatic';
  /** Name of the loss; the protocol's own by default. */
  readonly loss: string | undefined;
  /** Which server finds the model, and how it decodes reports; by default the protocol chooses. */
  readonly server: string | undefined;
  readonly decoder: string | undefined;
  /** How often each run is repeated with other coins. */
  readonly repetitions: number;
  /** Seed of all random choices: the training records, the players, and all the players' coins. */
  readonly seed: string;
  /** How many players take part; by default all that may. */
  readonly players: number | undefined;
  /** How many records (or which share of them) are for training; models are measured on the others. */
  readonly train: number | undefined;
  /** The file of records and its schema. */
  readonly source: DatasetSource;
  /** What the records are called. */
  readonly title: string;
}

/** In the place of a variant: the study plans variant and degree from public numbers, for each ε. */
export const PLANNED = 'planned';

/** A plan and the number of players that take part, which decides what is collected where the plan leaves it open. */
interface Sized {
  readonly plan: Plan;
  readonly study: Study;
  readonly players: number;
}

/** The request of the plan for the parameters of a variant. */
function requestOf({ plan, study, players }: Sized, variant: string, epsilon: number): StudyRequest {
  const { delta, degree, grade, source, radius } = plan;
  const { dimension } = source.schema;
  const request = { variant, epsilon, delta, degree: degree === 'automatic' ? 1 : degree, dimension, grade };
  if (variant !== PLANNED) return request;
  const {
    plan: planOf,
    variants: [best],
  } = study;
  if (planOf === undefined || degree !== 'automatic' || radius === 'automatic') return { ...request, variant: best };
  return { ...request, ...planOf({ players, dimension, epsilon, radius }) };
}

/** The query of the plan to the tally of a variant. */
function queryOf({ radius, degree, server, decoder }: Plan, variant: string): StudyQuery {
  return { radius, degree, variant, server, decoder };
}

/** The players' records and those that measure models. Rows are in shared memory and ascending; undefined means all. */
interface Division {
  readonly players: Uint32Array | undefined;
  readonly evaluated: Uint32Array | undefined;
  /** Number of players. */
  readonly count: number;
  readonly evaluatedOn: EvaluatedOn;
}

/**
 * Divides the records. With `train` there is a seeded split: the players have one part, and the models are measured on
 * the other. Without it all records do both. `players` is the size of a seeded choice from the possible players.
 *
 * @throws RangeError naming `train` or `players` when there are not as many records.
 */
function divide(dataset: Dataset, { train, players, seed, source }: Plan): Division {
  const total = dataset.players;
  if (train === undefined) {
    const count = players === undefined ? total : checkInteger('players', players, 1, total);
    const all = count === total;
    const rows = all ? undefined : shared(permutation(total, seededRandom(`${seed} players`)).subarray(0, count));
    const description = all
      ? `all ${wholeNumber(total)} records, which are those of the players`
      : `the ${wholeNumber(count)} players’ own records, a seeded choice of ${wholeNumber(total)}`;
    return { players: rows, evaluated: rows, count, evaluatedOn: { records: count, heldOut: false, description } };
  }
  if (total < 2) throw fileRefusal('data', 'a file with two or more records, to train on and to measure', source.data);
  const split = splitRows(total, { train, seed: `${seed} split` });
  const most = split.train.length;
  // The rows of a split are in random order, so its first rows are a random choice.
  const count = players === undefined ? most : checkInteger('players', players, 1, most);
  const records = split.test.length;
  const description = `${counted(records, 'record')} held out by a seeded split of ${wholeNumber(total)}`;
  return {
    players: shared(split.train.subarray(0, count)),
    evaluated: shared(split.test),
    count,
    evaluatedOn: { records, heldOut: true, description },
  };
}

// Ascending rows are read from memory in order, which is several times as fast.
function shared(rows: Uint32Array): Uint32Array {
  const target = new Uint32Array(new SharedArrayBuffer(rows.byteLength));
  target.set(rows);
  return target.sort();
}

/** One run before it is measured. */
interface Collected {
  /** As in the plan. */
  readonly asked: string;
  readonly variant: string;
  readonly epsilon: number;
  /** From 1. */
  readonly repetition: number;
  readonly guarantee: Guarantee;
  readonly estimate: LinearEstimate;
  /** The model of degree 0 from the same tally. */
  readonly meanOnly: LinearEstimate;
  readonly seconds: number;
}

/** The inputs of a collection. */
interface Stage {
  readonly plan: Plan;
  readonly study: Study;
  readonly dataset: Dataset;
  readonly division: Division;
  readonly threads: Threads;
}

/**
 * Simulates every run of the plan, one after the other: reports, tally, estimate. Every run has its own coins, derived
 * from the plan's seed. `onProgress` receives the number of reports so far.
 */
async function collectRuns(
  { plan, study, dataset, division, threads }: Stage,
  onProgress: (reports: number) => void,
): Promise<readonly Collected[]> {
  const { protocol } = study;
  const { seed } = plan;
  const sized = { plan, study, players: division.count };
  const collected: Collected[] = [];
  for (const epsilon of plan.epsilons) {
    for (const asked of plan.variants) {
      const request = requestOf(sized, asked, epsilon);
      const { variant } = request;
      const parameters = study.parameters(request);
      for (let repetition = 1; repetition <= plan.repetitions; repetition++) {
        const before = collected.length * division.count;
        const start = performance.now();
        const tally = await threads.simulate({
          protocol: plan.protocol,
          request,
          seed: `${seed} ${variant} ${epsilon} ${repetition}`,
          dataset,
          rows: division.players,
          onProgress: (players) => onProgress(before + players),
        });
        const estimate = protocol.server.estimate(parameters, tally, study.query(queryOf(plan, variant)));
        const seconds = (performance.now() - start) / 1000;
        const found = { radius: estimate.radius, degree: 0, variant };
        const meanOnly = protocol.server.estimate(parameters, tally, study.query(found));
        const guarantee = protocol.theory.guarantee(parameters);
        collected.push({ asked, variant, epsilon, repetition, guarantee, estimate, meanOnly, seconds });
      }
    }
  }
  return collected;
}

/** Number of models that one thread measures at a time: each needs 4 bytes per record. */
const GROUP = 2;

/** Baselines and runs, measured on the same records. */
interface Measured {
  readonly nonPrivate: Metrics;
  readonly constant: Metrics;
  /** One entry for each run, in the order of the runs. */
  readonly runs: readonly { readonly metrics: PrivateMetrics; readonly meanOnly: PrivateMetrics }[];
}

/**
 * Measures all models on the evaluated records, and fits the baselines to the players' records without privacy.
 * `onProgress` receives the number of models so far.
 */
async function measureRuns(
  { plan, study, dataset, division, threads }: Stage,
  collected: readonly Collected[],
  onProgress: (models: number) => void,
): Promise<Measured> {
  const { protocol, loss } = plan;
  // The reference model may be as large as the largest of the private models that are compared with it.
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
  // The optimum takes longest, so it starts first.
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

/** The document of a finished experiment. */
function assembleDocument(
  { plan, study, dataset, division }: Omit<Stage, 'threads'>,
  collected: readonly Collected[],
  measured: Measured,
): RunDocument {
  const players = division.count;
  const sized = { plan, study, players };
  const runs = collected.map((run, index) => recordOf(study, run, measured.runs[index], players));
  const at = headlineIndex(collected, plan);
  const headline = runs[at];
  const { variant, degree, guarantee, estimate, metrics, seconds, epsilon } = headline;
  const { nonPrivate, constant } = measured;
  const { delta, grade, radius, repetitions, seed, title } = plan;
  return {
    protocol: study.protocol.name,
    variant,
    players,
    dimension: dataset.dimension,
    degree,
    guarantee,
    estimate,
    metrics,
    baselines: { nonPrivate, constant, meanOnly: headline.baselines.meanOnly },
    seconds,
    collectedDegree: requestOf(sized, collected[at].asked, epsilon).degree,
    epsilon,
    delta,
    grade,
    radius,
    repetitions,
    seed,
    title,
    summary: study.summary,
    loss: study.loss.name,
    features: dataset.names,
    evaluatedOn: division.evaluatedOn,
    runs,
    certificates: certificatesOf(sized),
    playersForSameVariance: neededPlayers(sized, epsilon),
    ...origin(),
  };
}

// First variant, ε closest to 1, first repetition.
function headlineIndex(collected: readonly Collected[], { variants, epsilons }: Plan): number {
  const closest = closestToOne(epsilons);
  return collected.findIndex(({ asked, epsilon }) => asked === variants[0] && epsilon === closest);
}

function recordOf(study: Study, run: Collected, measured: Measured['runs'][number], players: number): RunRecord {
  const { variant, epsilon, repetition, guarantee, estimate, seconds } = run;
  const { w, degree, risk, standardError } = estimate;
  return {
    variant,
    epsilon,
    repetition,
    guarantee,
    degree,
    estimate: {
      w: Array.from(w, (value, index) => checkFinite(`w[${index}]`, value)),
      degree,
      risk,
      standardError,
      ...study.details(estimate),
    },
    metrics: measured.metrics,
    baselines: { meanOnly: measured.meanOnly },
    seconds,
    reportsPerSecond: players / seconds,
  };
}

function certificatesOf(sized: Sized): CertificateRecord[] {
  const { plan, study } = sized;
  const { theory } = study.protocol;
  return plan.epsilons.flatMap((epsilon) =>
    plan.variants.map((variant) => ({
      epsilon,
      certificate: theory.certificate(study.parameters(requestOf(sized, variant, epsilon))),
    })),
  );
}

// The comparison omits variants that do not support the degree (they say so) or whose variance is not a finite number.
function neededPlayers(sized: Sized, epsilon: number): NeededPlayers[] {
  const { study, players } = sized;
  const variances = study.variants.flatMap((variant) => {
    const variance = varianceOf(study, requestOf(sized, variant, epsilon));
    return variance === undefined || !Number.isFinite(variance) ? [] : [{ variant, variance }];
  });
  return variances.map(({ variant, variance }) => {
    const ratio = variance / variances[0].variance;
    return { variant, variance, ratio, players: ratio * players };
  });
}

function varianceOf(study: Study, request: StudyRequest): number | undefined {
  try {
    return study.gradientVariance(request);
  } catch (error) {
    if (refusedAs(error) === 'value') return undefined;
    throw error;
  }
}

/**
 * Runs a plan: reads the records, simulates every run, measures all models.
 *
 * The result is the same for every number of threads, except for the times.
 *
 * @throws TypeError or RangeError for parameters, a file or a record that is refused; the message has no private value.
 */
export async function runExperiment(plan: Plan, count: number | undefined): Promise<RunDocument> {
  const study = await loadStudy(plan.protocol, plan.loss);
  // Wrong parameters are refused before millions of records are read.
  for (const epsilon of plan.epsilons)
    for (const variant of plan.variants) study.parameters(requestOf({ plan, study, players: 1 }, variant, epsilon));
  for (const variant of plan.variants) study.query(queryOf(plan, variant === PLANNED ? study.variants[0] : variant));
  const progress = createProgress();
  const dataset = await reading(progress, (onProgress) => loadDatasetApart(plan.source, onProgress));
  const division = divide(dataset, plan);
  const threads = createThreads(count);
  try {
    const stage = { plan, study, dataset, division, threads };
    const runs = plan.epsilons.length * plan.variants.length * plan.repetitions;
    progress.begin(`${counted(runs, 'run')} of ${counted(division.count, 'player')}`, runs * division.count);
    const collected = await collectRuns(stage, progress.advance);
    progress.begin('measuring the models', 2 * runs + 1);
    const measured = await measureRuns(stage, collected, progress.advance);
    return assembleDocument(stage, collected, measured);
  } finally {
    progress.end();
    await threads.close();
  }
}
