import { basename } from 'node:path';
import { checkInteger } from '../../../check/number.ts';
import type { PlainRequest } from '../../../core/contract.ts';
import type { Grade } from '../../../core/digest.ts';
import { seededRandom } from '../../../random/seeded.ts';
import { permutation } from '../../../random/uniform.ts';
import type { Population } from '../../../simulation/population.ts';
import type { SurveyQuestion, SurveyStudy } from '../../../simulation/study.ts';
import { locateFlights } from '../../flights.ts';
import { createProgress, reading } from '../../progress.ts';
import { type DatasetSource, loadStream } from '../../records.ts';
import { classNames, inColumn, type NumberFeature, parseSchema, readSchema, type Schema } from '../../schema.ts';
import { sourceOf } from '../run.ts';

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
