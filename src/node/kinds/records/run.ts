import { checkFinite, checkInteger, checkWord, RefusedValue, refusedAs } from '../../../check/refusal.ts';
import { permutation } from '../../../random/random.ts';
import { seededRandom } from '../../../random/seeded.ts';
import { type Baseline, constantMetrics, type ModelMetrics } from '../../../simulation/metrics.ts';
import { type Dataset, splitRows } from '../../../simulation/runner.ts';
import type { Study, StudyRequest } from '../../../simulation/study.ts';
import { knownVariants, type PlayedRun } from '../../commands/options.ts';
import { fileRefusal } from '../../files.ts';
import { flightsSchema, locateFlights } from '../../flights.ts';
import type { Workforce } from '../../jobs/jobs.ts';
import { counted, wholeNumber } from '../../print.ts';
import { createProgress, reading } from '../../progress.ts';
import { fileTitle, sourceOf } from '../../records.ts';
import { loadStudy } from '../../study.ts';
import { createThreads, loadDatasetApart } from '../../threads.ts';
import {
  type Collected,
  type Collection,
  collectRuns,
  type Division,
  isHeadline,
  largestRadius,
  lawOf,
  PLANNED,
  type Plan,
  queryOf,
  type RecordRun,
  recordJobs,
  requestOf,
  type Stage,
  sizedBy,
} from './collect.ts';
import type { Metrics, NeededPlayers, PrivateMetrics, RunDocument, RunRecord } from './summary.ts';

/** The default comparison of `ldpkit run`, without a file, an ε or a variant: the two best variants, three times. */
const COMPARISON = { epsilons: [0.5, 1, 4], others: 1, repetitions: 3 };

const TRAIN = 5 / 6;

/**
 * `ldpkit run` of a protocol on labelled records: those of a file, or the flights. `word` is the protocol as typed: worker threads
 * load it by the same word. The result is the same for every number of threads, except for the times.
 */
export async function runRecords(word: string, offered: Study, options: RecordRun, workforce: Workforce): PlayedRun {
  const plan = await planOf(word, offered, options);
  const study = await loadStudy(word, plan.loss);
  // Wrong parameters are refused before millions of records are read.
  for (const epsilon of plan.epsilons) {
    for (const asked of plan.variants) {
      const request = requestOf({ plan, study, players: 1 }, asked, epsilon);
      const parameters = study.parameters(request);
      lawOf(plan, study, parameters, { asked, epsilon, repetition: 1 });
      // Made also where nothing else checks it: some queries cannot be.
      const query = study.query(queryOf(plan, request.variant));
      study.checkQuery?.(parameters as never, query as never);
    }
  }
  const progress = createProgress();
  const dataset = await reading(progress, (onProgress) => loadDatasetApart(plan.source, onProgress));
  const division = divide(dataset, plan);
  const threads = createThreads(options.threads);
  try {
    const work = await workforce.open(recordJobs({ plan, dataset, division }, threads));
    if (work === undefined) return undefined;
    const stage = { plan, study, dataset, division, work, progress };
    const collection = await collectRuns(stage);
    if (!work.whole) return undefined;
    progress.begin('measuring the models', 2 * collection.collected.length + 1);
    const measured = await measureRuns(stage, collection.collected);
    const document = documentOf(stage, collection, measured);
    return { document, result: async () => (await import('./result.ts')).recordResult(document) };
  } finally {
    progress.end();
    await threads.close();
  }
}

async function planOf(protocol: string, study: Study, options: RecordRun): Promise<Plan> {
  const { epsilon, variant, degree = 'automatic', radius, law, copies } = options;
  const compared = options.data === undefined && epsilon === undefined && variant === undefined;
  const others = study.variants.slice(1, compared ? 1 + COMPARISON.others : 1);
  if (radius === 'automatic' && study.automaticRadius === undefined) {
    throw new RefusedValue('radius', 'a number for this protocol', 'auto');
  }
  if (copies > 1 && law !== 'sum') {
    throw new RefusedValue('copies', '1 where reports are made (--law sum makes none)', copies);
  }
  const { data, schema } = (await sourceOf(options, 'records')) ?? { data: locateFlights(), schema: flightsSchema() };
  return {
    ...options,
    ...{ protocol, degree },
    variants: variant === undefined ? [PLANNED, ...others] : knownVariants(variant, study.variants),
    epsilons: epsilon ?? (compared ? COMPARISON.epsilons : [1]),
    loss: options.loss === undefined ? undefined : checkWord('loss', options.loss, study.losses),
    repetitions: options.repetitions ?? (compared ? COMPARISON.repetitions : 1),
    source: { data, schema },
    title: fileTitle({ data, schema }),
    train: options.train ?? (options.data === undefined ? undefined : TRAIN),
  };
}

/** Divides the records: with `train` by a seeded split into those of the players and those that measure; without it all do both. */
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
  // Of the default share so much that a record is left to measure on, also of two or three.
  const share = train === TRAIN ? Math.min(train, 1 - 1 / total) : train;
  const split = splitRows(total, { train: share, seed: `${seed} split` });
  const most = split.train.length;
  // The rows of a split are in random order, so its first rows are a random choice.
  const records = split.test.length;
  if (players !== undefined && players > most && players <= total) {
    const expected = `at most ${most}, since ${records} of ${total} records are held out to measure on`;
    throw new RefusedValue('players', expected, players);
  }
  const count = players === undefined ? most : checkInteger('players', players, 1, most);
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

/** Number of models that one thread measures at a time: each needs 4 bytes per record. */
const GROUP = 2;

/** Measures all models on the evaluated records, and fits the baselines to the players' records without privacy. */
async function measureRuns({ plan, study, dataset, division, work, progress }: Stage, collected: readonly Collected[]) {
  // The reference model may be as large as the largest of the private models that are compared with it.
  const radius = largestRadius(plan, study);
  const { players, evaluated } = division;
  const all: Float64Array[] = collected.flatMap(({ estimate, meanOnly }) => [estimate.w, meanOnly.w]);
  // The optimum takes longest, so it starts first.
  const merge = ({ w }: Baseline) => all.push(w);
  const fitted = work.all({ name: 'optimum', given: [{ radius }], merge, late: true });
  const measured: ModelMetrics[] = [];
  const measure = async (models: readonly Float64Array[]): Promise<void> => {
    const before = measured.length;
    await work.all({
      name: 'measure',
      given: Array.from({ length: Math.ceil(models.length / GROUP) }, (_, i) => ({
        models: models.slice(i * GROUP, (i + 1) * GROUP),
      })),
      merge: (metrics: readonly ModelMetrics[]) => measured.push(...metrics),
      size: (given) => given.models.length,
      onProgress: (models, note) => progress.advance(before + models, note),
      late: true,
    });
  };
  await Promise.all([fitted, measure(all.slice())]);
  await measure(all.slice(measured.length));
  const optimum = measured[2 * collected.length];

  const { score } = study.bestConstant(dataset, radius, players);
  const competing = (metrics: ModelMetrics): PrivateMetrics => {
    const { risk, accuracy, auc } = plain(metrics);
    return { risk, excessRisk: risk - optimum.risk, accuracy, auc };
  };
  return {
    nonPrivate: plain(optimum),
    constant: plain(constantMetrics(dataset, score, study.loss, evaluated)),
    runs: collected.map((_, index) => ({
      metrics: competing(measured[2 * index]),
      meanOnly: competing(measured[2 * index + 1]),
    })),
  };
}

// JSON has no NaN.
function plain({ risk, accuracy, auc }: ModelMetrics): Metrics {
  return { risk, accuracy, auc: Number.isNaN(auc) ? null : auc };
}

type Measured = Awaited<ReturnType<typeof measureRuns>>;

function documentOf(stage: Stage, { collected, momentsSeconds }: Collection, measured: Measured): RunDocument {
  const { plan, study, dataset, division } = stage;
  const sized = sizedBy(stage);
  const { players } = sized;
  const askedOf = (variant: string, epsilon: number): StudyRequest => requestOf(sized, variant, epsilon);
  const runs = collected.map((run, index) => recordOf(run, measured.runs[index], players));
  const at = collected.findIndex((run) => isHeadline(plan, run));
  const headline = runs[at];
  const { variant, degree, guarantee, estimate, uncertainty, metrics, seconds, epsilon } = headline;
  const asked = askedOf(collected[at].asked, epsilon);
  const { nonPrivate, constant } = measured;
  const { delta, grade, radius, repetitions, seed, title } = plan;
  return {
    ...{ protocol: study.protocol.name, variant, players, dimension: dataset.dimension, degree },
    ...{ guarantee, estimate, uncertainty, metrics },
    baselines: { nonPrivate, constant, meanOnly: headline.baselines.meanOnly },
    seconds,
    collectedDegree: asked.degree,
    ...{ epsilon, delta, grade, radius, repetitions, copies: plan.copies, momentsSeconds: momentsSeconds ?? null },
    ...{ seed, title, summary: study.summary, loss: study.loss.name, features: dataset.names },
    evaluatedOn: division.evaluatedOn,
    runs,
    certificates: plan.epsilons.flatMap((epsilon) =>
      plan.variants.map((variant) => {
        const parameters = study.parameters(askedOf(variant, epsilon));
        return { epsilon, certificate: study.protocol.theory.certificate(parameters) };
      }),
    ),
    // A planned degree is that of the headline; alone, a variant would be collected for another one.
    playersForSameVariance: neededPlayers(study, players, (other) =>
      other === asked.variant ? asked : { ...askedOf(other, epsilon), degree: asked.degree },
    ),
  };
}

function recordOf(run: Collected, measured: Measured['runs'][number], players: number): RunRecord {
  const { variant, epsilon, repetition, guarantee, estimate, details, uncertainty, seconds, origin } = run;
  const { w, degree, risk, standardError } = estimate;
  const numbers = Array.from(w, (value, index) => checkFinite(`w[${index}]`, value));
  return {
    ...{ variant, epsilon, repetition, guarantee, degree },
    estimate: { w: numbers, degree, risk, standardError, ...details },
    uncertainty,
    metrics: measured.metrics,
    baselines: { meanOnly: measured.meanOnly },
    seconds,
    ...origin,
    // No report was made that could have a speed, or only some of them.
    reportsPerSecond: origin.law === 'reports' ? players / seconds : null,
  };
}

// The comparison omits variants that do not support the degree (they say so) or whose variance is not a finite number.
function neededPlayers(study: Study, players: number, asked: (variant: string) => StudyRequest): NeededPlayers[] {
  const variances = study.variants.flatMap((variant) => {
    const request = asked(variant);
    try {
      const variance = study.gradientVariance(request);
      return Number.isFinite(variance) ? [{ variant, variance }] : [];
    } catch (error) {
      if (refusedAs(error) === 'value') return [];
      throw error;
    }
  });
  return variances.map(({ variant, variance }) => {
    const ratio = variance / variances[0].variance;
    return { variant, variance, ratio, players: ratio * players };
  });
}
