import { basename } from 'node:path';
import { checkInteger, checkOpenUnit, checkPositive, checkWord, refusal } from '../../check/number.ts';
import type { Study } from '../../simulation/study.ts';
import { runExperiment } from '../experiment/experiment.ts';
import type { Plan } from '../experiment/plan.ts';
import { flightsSchema, locateFlights } from '../flights.ts';
import { jsonText, print, printJson } from '../print.ts';
import { createProgress } from '../progress.ts';
import { reportPage } from '../report/page.ts';
import { formatRun } from '../report/text.ts';
import { readSchema } from '../schema.ts';
import { checkFolder, writeTogether } from '../write-files.ts';
import { readGrade, readNumber, readNumbers, readWords } from './number-option.ts';
import { commandText, packageVersion } from './origin.ts';
import type { RunOptions } from './run-options.ts';

/** What `ldpkit run` compares when it is not told which file, ε or variant: the two best variants, three times. */
const COMPARISON = { epsilons: [0.5, 1, 2, 4, 8], variants: 2, repetitions: 3 };

/** Where results go unless they go to the standard output as JSON. */
const FOLDER = 'out';

/** The share of the records of a file that trains. */
const TRAIN = 5 / 6;

/**
 * `ldpkit run` of a protocol on labelled records: plays it on those of a file, or on the flights.
 *
 * @throws TypeError or RangeError naming the option, the file, the column or the row.
 */
export async function run(protocol: string, study: Study, options: RunOptions): Promise<void> {
  const plan = await planOf(protocol, study, options);
  const threads = options.threads === undefined ? undefined : whole('threads', options.threads, 256);
  const folder = options.out ?? (options.json === true ? undefined : FOLDER);
  if (folder !== undefined) await checkFolder('out', folder);
  const progress = createProgress();
  const origin = { version: packageVersion(), command: commandText(process.argv.slice(2)) };
  const document = await runExperiment(plan, { threads, progress, origin });
  const json = jsonText(document);
  const files =
    folder === undefined
      ? []
      : await writeTogether('out', folder, { 'result.json': json, 'report.html': reportPage(document) });
  if (options.json === true) printJson(json);
  else print([...formatRun(document), '', ...files.map((file) => `wrote ${file}`)]);
}

async function planOf(protocol: string, study: Study, options: RunOptions): Promise<Plan> {
  const compared = options.data === undefined && options.epsilon === undefined && options.variant === undefined;
  const { epsilon, variant, degree, seed = 'ldpkit' } = options;
  const variants =
    variant === undefined ? study.variants.slice(0, compared ? COMPARISON.variants : 1) : readWords('variant', variant);
  for (const word of variants) {
    if (!study.variants.includes(word))
      throw new RangeError(refusal('variant', `one of ${study.variants.join(', ')}`, word));
  }
  const epsilons = epsilon === undefined ? (compared ? COMPARISON.epsilons : [1]) : readNumbers('epsilon', epsilon);
  for (const value of epsilons) checkPositive('epsilon', value);
  const repetitions = compared ? COMPARISON.repetitions : 1;
  const numbers = {
    delta: checkOpenUnit('delta', readNumber('delta', options.delta ?? '1e-6')),
    degree: degree === undefined ? ('automatic' as const) : checkInteger('degree', readNumber('degree', degree), 0),
    grade: readGrade(options.grade),
    radius: radiusOf(study, options.radius ?? '1'),
    server: options.server,
    decoder: options.decoder,
    loss: options.loss === undefined ? undefined : checkWord('loss', options.loss, study.losses),
    repetitions: options.repetitions === undefined ? repetitions : whole('repetitions', options.repetitions, 10_000),
    players: options.players === undefined ? undefined : whole('players', options.players),
  };
  const train = options.train === undefined ? undefined : checkPositive('train', readNumber('train', options.train));
  const records = await recordsOf(options);
  return { protocol, variants, epsilons, ...numbers, seed, ...records, train: train ?? records.train };
}

function radiusOf(study: Study, text: string): number | 'automatic' {
  if (text !== 'auto') return checkPositive('radius', readNumber('radius', text));
  if (study.automaticRadius === undefined) throw new RangeError(refusal('radius', 'a number for this protocol', text));
  return 'automatic';
}

async function recordsOf({ data, schema }: RunOptions): Promise<Pick<Plan, 'source' | 'title' | 'train'>> {
  if (data === undefined) {
    if (schema !== undefined)
      throw new RangeError('"data" expected the file (--data) that --schema speaks of, got none');
    const flights = flightsSchema();
    return { source: { data: locateFlights(), schema: flights }, title: flights.title ?? 'flights', train: undefined };
  }
  if (schema === undefined) {
    throw new RangeError('"schema" expected a file (--schema) that says what the columns of --data mean, got none');
  }
  const source = { data, schema: await readSchema(schema) };
  const title = source.schema.title ?? basename(data);
  return { source, title, train: TRAIN };
}

function whole(name: string, text: string, maximum?: number): number {
  return checkInteger(name, readNumber(name, text), 1, maximum);
}
