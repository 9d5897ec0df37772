import { counted } from 'ldpkit/node';
import { prepareCells } from '../engine/cells.ts';
import {
  type ComputingMeans,
  computeTogether,
  type DocumentOrigin,
  type ExperimentEffort,
  elapsed,
} from '../engine/experiment-run.ts';
import type { FoundValidation } from '../engine/experiments.ts';
import type { KeptChunks } from '../engine/kept-chunks.ts';
import { byPaper, countClaims, type ValidationDocument, type ValidationRecord } from './document.ts';

/** With what validations are computed. */
export interface ValidationMeans extends ComputingMeans {
  /** The chunks of a validation, by its name. */
  keptOf(name: string): KeptChunks;
}

/**
 * Computes validations, the chunks of all of them in one queue, but for those that are kept already. All but `effort` is the same
 * for every number of threads, stopped and gone on with or not.
 */
export async function runValidations(
  found: readonly FoundValidation[],
  origin: DocumentOrigin,
  { keptOf, ...means }: ValidationMeans,
): Promise<ValidationDocument> {
  const started = performance.now();
  const prepared = await Promise.all(
    found.map((one) => prepareCells({ ...one, ...origin }, keptOf(one.experiment.name))),
  );
  const computed = await computeTogether(prepared, `computing ${counted(found.length, 'validation')}`, means);
  const records = computed.map(({ result, effort }, index): ValidationRecord => {
    const { paper, theorems } = found[index].experiment;
    return { paper, theorems, ...result, effort };
  });
  const validations = byPaper(records).flatMap((group) => group.validations);
  const effort = { ...totalOf(validations), ...elapsed(started, means.computer) };
  return { ...origin, claims: countClaims(validations), validations, effort };
}

function totalOf(records: readonly ValidationRecord[]): Omit<ExperimentEffort, 'threads' | 'seconds'> {
  const sum = (field: keyof ValidationRecord['effort']): number =>
    records.reduce((total, { effort }) => total + effort[field], 0);
  const threadSeconds = Number(sum('threadSeconds').toFixed(2));
  return { computed: sum('computed'), threadSeconds, reused: sum('reused'), unfit: sum('unfit') };
}
