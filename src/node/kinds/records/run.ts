import { basename } from 'node:path';
import { checkWord, refusal } from '../../../check/number.ts';
import { RefusedValue } from '../../../check/refusal.ts';
import type { Study } from '../../../simulation/study.ts';
import type { RunShown } from '../../commands/answer.ts';
import { knownVariants, type RunOptions } from '../../commands/options.ts';
import { flightsSchema, locateFlights } from '../../flights.ts';
import type { Workforce } from '../../jobs/jobs.ts';
import { sourceOf } from '../run.ts';
import { runExperiment } from './experiment.ts';
import type { LawChoice } from './law-choice.ts';
import { PLANNED, type Plan } from './plan.ts';

/** The options of such a run. */
interface RecordRun extends RunOptions {
  readonly epsilon: readonly number[] | undefined;
  readonly degree: number | undefined;
  readonly radius: number | 'automatic';
  readonly loss: string | undefined;
  readonly server: string | undefined;
  readonly decoder: string | undefined;
  readonly train: number | undefined;
  readonly repetitions: number | undefined;
  readonly threads: number | undefined;
  readonly law: LawChoice;
  readonly copies: number;
}

/** The default comparison of `ldpkit run`, without a file, an ε or a variant: the two best variants, three times. */
const COMPARISON = { epsilons: [0.5, 1, 4], others: 1, repetitions: 3 };

/** The share of the records of a file that is used for training. */
const TRAIN = 5 / 6;

/**
 * `ldpkit run` of a protocol on labelled records: runs it on the records of a file, or on the flights. `word` is the
 * protocol as typed: worker threads load it by the same word.
 *
 * @throws TypeError or RangeError naming the option, the file, the column or the row.
 */
export async function runRecords(
  word: string,
  study: Study,
  options: RecordRun,
  workforce: Workforce,
): Promise<RunShown | undefined> {
  const document = await runExperiment(await planOf(word, study, options), options.threads, workforce);
  if (document === undefined) return undefined;
  return { document, result: async () => (await import('./result.ts')).recordResult(document) };
}

async function planOf(protocol: string, study: Study, options: RecordRun): Promise<Plan> {
  const { epsilon, variant, degree = 'automatic', radius, delta, grade, server, decoder, players, seed } = options;
  const compared = options.data === undefined && epsilon === undefined && variant === undefined;
  const others = study.variants.slice(1, compared ? 1 + COMPARISON.others : 1);
  if (radius === 'automatic' && study.automaticRadius === undefined) {
    throw new RefusedValue(refusal('radius', 'a number for this protocol', 'auto'));
  }
  const { law, copies } = options;
  if (copies > 1 && law !== 'sum') {
    throw new RefusedValue(refusal('copies', '1 where reports are made (--law sum makes none)', copies));
  }
  const { data, schema } = (await sourceOf(options, 'records')) ?? { data: locateFlights(), schema: flightsSchema() };
  return {
    protocol,
    variants: variant === undefined ? [PLANNED, ...others] : knownVariants(variant, study.variants),
    epsilons: epsilon ?? (compared ? COMPARISON.epsilons : [1]),
    ...{ delta, degree, grade, radius, server, decoder, players, seed, law, copies },
    loss: options.loss === undefined ? undefined : checkWord('loss', options.loss, study.losses),
    repetitions: options.repetitions ?? (compared ? COMPARISON.repetitions : 1),
    source: { data, schema },
    title: schema.title ?? basename(data),
    train: options.train ?? (options.data === undefined ? undefined : TRAIN),
  };
}
