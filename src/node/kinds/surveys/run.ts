import { basename } from 'node:path';
import { checkInteger } from '../../../check/number.ts';
import type { PlainRequest } from '../../../core/contract.ts';
import type { Grade } from '../../../core/digest.ts';
import { permutation } from '../../../random/random.ts';
import { seededRandom } from '../../../random/seeded.ts';
import type { Population } from '../../../simulation/population.ts';
import { simulate } from '../../../simulation/runner.ts';
import type { SurveyQuantity, SurveyQuestion, SurveyStudy } from '../../../simulation/study.ts';
import { type Block, blocksOf } from '../../../simulation/sum-law.ts';
import type { RunShown } from '../../commands/answer.ts';
import { knownVariants, type RunOptions } from '../../commands/options.ts';
import { locateFlights } from '../../flights.ts';
import type { Workforce } from '../../jobs/jobs.ts';
import { createProgress, reading } from '../../progress.ts';
import { type DatasetSource, loadStream } from '../../records.ts';
import { origin } from '../../run-program.ts';
import { classNames, inColumn, type NumberFeature, parseSchema, readSchema, type Schema } from '../../schema.ts';
import { closestToOne, sourceOf } from '../run.ts';
import type { SurveyDocument, SurveyMetrics, SurveyRun } from './result.ts';

/** The options of such a run. */
interface SurveyRunOptions extends Omit<RunOptions, 'delta'> {
  readonly epsilon: readonly number[];
  readonly confidence: number;
  readonly repetitions: number;
}

/**
 * `ldpkit run` of a survey: the players of a file or the flights, every ε and variant, and the same numbers in the
 * clear beside the estimates.
 *
 * @throws TypeError or RangeError naming the option, the file, the column or the row.
 */
export async function runSurvey(
  study: SurveyStudy,
  options: SurveyRunOptions,
  workforce: Workforce,
): Promise<RunShown | undefined> {
  const { epsilon: epsilons, grade, confidence, repetitions, seed } = options;
  const { protocol } = study;
  const named = options.variant === undefined ? [undefined] : knownVariants(options.variant, study.variants);
  const source = await surveySource(study, options);
  const question = questionOf(source.schema);
  // All parameters are made before anything is read: what can be refused is refused at once.
  const made = epsilons.flatMap((epsilon) =>
    named.map((variant) => protocol.make({ ...study.request(question), ...budgetOf(epsilon, grade, variant) })),
  );
  const population = await loadPlayers(source, options);
  const { players } = population;
  const data = { players, datum: (index: number) => study.datum(population.datum(index)) };
  const truth = study.truth(question, population);
  const work = await workforce.open({
    reports: ({ index, ...range }: { readonly index: number; readonly seed: string } & Pick<Block, 'from' | 'to'>) =>
      simulate(protocol, made[index], data, range),
  });
  if (work === undefined) return undefined;
  const progress = createProgress();
  const runs: SurveyRun[] = [];
  for (const [index, parameters] of made.entries()) {
    const { variant } = parameters;
    const epsilon = epsilons[Math.floor(index / named.length)];
    for (let repetition = 0; repetition < repetitions; repetition++) {
      progress.begin(`playing ${protocol.name}, ${variant}, ε = ${epsilon}`, players);
      const tally = protocol.server.empty(parameters);
      const seconds = await work.all({
        name: 'reports',
        common: { index, seed: `${seed} ${variant} ${epsilon} ${repetition}` },
        given: blocksOf(players, 1).map(({ from, to }) => ({ from, to })),
        merge: (part: unknown) => protocol.server.merge(parameters, tally, part),
        size: ({ from, to }) => to - from,
        onProgress: progress.advance,
      });
      if (!work.whole) continue;
      const start = performance.now();
      const quantities = study.quantities(question, protocol.server.estimate(parameters, tally, { confidence }));
      runs.push({
        ...{ variant, epsilon, repetition, quantities },
        guarantee: protocol.theory.guarantee(parameters),
        metrics: metricsOf(quantities, truth),
        seconds: seconds + (performance.now() - start) / 1000,
      });
    }
  }
  progress.end();
  if (!work.whole) return undefined;
  const closest = closestToOne(epsilons);
  const { variant, epsilon, guarantee, quantities, metrics } = runs.find((run) => run.epsilon === closest)!;
  const document: SurveyDocument = {
    protocol: protocol.name,
    ...{ variant, epsilon, players, grade, repetitions, seed },
    ...{ title: titleOf(source), summary: study.summary, confidence, guarantee },
    ...{ estimate: { quantities }, metrics, truth, runs },
    certificates: made.map((parameters, index) => ({
      epsilon: epsilons[Math.floor(index / named.length)],
      certificate: protocol.theory.certificate(parameters),
    })),
    ...origin(),
  };
  return { document, result: async () => (await import('./result.ts')).surveyResult(document) };
}

function metricsOf(quantities: readonly SurveyQuantity[], truth: readonly number[]): SurveyMetrics {
  const first = quantities.filter(({ group }) => group === quantities[0].group);
  const squares = first.reduce((sum, { value }, i) => sum + (value - truth[i]) ** 2, 0);
  return {
    error: Math.sqrt(squares / first.length),
    widest: Math.max(...first.map(({ lower, upper }) => upper - lower)),
    held: quantities.filter(({ lower, upper }, i) => lower <= truth[i] && truth[i] <= upper).length,
  };
}

/** The file that a run reads, with its schema: that of `--data`, or the flights. */
export async function surveySource(
  study: SurveyStudy,
  options: { readonly data: string | undefined; readonly schema: string | undefined },
): Promise<DatasetSource> {
  const source = await sourceOf(options, study.form);
  return source ?? { data: locateFlights(), schema: parseSchema(study.flights, study.form) };
}

/** The question of a schema file, or that of the flights. It reads no data. */
export async function surveyQuestion(study: SurveyStudy, schema: string | undefined): Promise<SurveyQuestion> {
  return questionOf(
    schema === undefined ? parseSchema(study.flights, study.form) : await readSchema(schema, study.form),
  );
}

/** The fields of a request that every survey has. */
export function budgetOf(epsilon: number, grade: Grade, variant: string | undefined): PlainRequest {
  return { epsilon, ...(grade === 'deployment' ? { grade } : {}), ...(variant === undefined ? {} : { variant }) };
}

/** What is public in a schema. */
export function questionOf({ label, features, names }: Schema): SurveyQuestion {
  if (label.kind === 'none') {
    const bounds = features.map((one) => {
      const { minimum, maximum } = one as NumberFeature;
      return [minimum, maximum] as const;
    });
    return { names, bounds };
  }
  const edges = label.kind === 'number' ? label.edges : undefined;
  return { names: classNames(label), ...(edges === undefined ? {} : { edges }) };
}

/** The title of the records. */
export function titleOf({ data, schema }: DatasetSource): string {
  return schema.title ?? basename(data);
}

/** The players of a file, all of them or so many, chosen by the seed: their categories, or their coordinates. */
export async function loadPlayers(
  source: DatasetSource,
  { players: asked, seed }: { readonly players: number | undefined; readonly seed: string },
): Promise<Population<ArrayLike<number>>> {
  const { features } = source.schema;
  const records = await reading(createProgress(), (onProgress) => loadStream(source, onProgress));
  const players = asked === undefined ? records.players : checkInteger('players', asked, 1, records.players);
  const rows = players === records.players ? undefined : permutation(records.players, seededRandom(`${seed} players`));
  const cells = new Float64Array(Math.max(1, features.length));
  const bounds = questionOf(source.schema).bounds;
  return {
    players,
    datum(index) {
      const row = rows === undefined ? index : rows[index];
      if (bounds === undefined) cells[0] = records.responses[row];
      // Rounding to 32 bits and back must not lead beyond the bounds.
      else
        for (const [j, [lower, upper]] of bounds.entries()) {
          const value = inColumn(features[j], records.features[row * features.length + j]);
          cells[j] = Math.max(lower, Math.min(upper, value));
        }
      return cells;
    },
  };
}
