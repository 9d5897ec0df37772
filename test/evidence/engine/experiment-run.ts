import type { Progress } from 'ldpkit/node';
import type { Scale } from '../experiment/experiment.ts';
import {
  type CellsEffort,
  computeCells,
  type ExperimentResult,
  type PreparedCells,
  prepareCells,
  reportCells,
} from './cells.ts';
import type { ChunkComputer } from './chunk-threads.ts';
import type { FoundExperiment } from './experiments.ts';
import type { KeptChunks } from './kept-chunks.ts';

/** What made a document. */
export interface DocumentOrigin {
  readonly scale: Scale;
  readonly seed: string;
  /** Version of this package. */
  readonly version: string;
  /** The command that computes it. */
  readonly command: string;
}

/** With what a computation goes on. */
export interface ComputingMeans {
  readonly computer: ChunkComputer;
  readonly progress: Progress;
}

/** How a computation went. Two of one request and seed differ here, and in the command, alone. */
export interface ExperimentEffort extends CellsEffort {
  readonly threads: number;
  /** From the beginning to the end. */
  readonly seconds: number;
}

/** An experiment, what came of it and what made it, as plain data. */
export interface ExperimentDocument extends DocumentOrigin, ExperimentResult {
  readonly effort: ExperimentEffort;
}

/** What one of several experiments came to. */
export interface ComputedExperiment {
  readonly result: ExperimentResult;
  readonly effort: CellsEffort;
}

/** Computes the cells of an experiment, those chunks that are not kept already, and reports. */
export async function runExperimentCells(
  { protocol, experiment, ...origin }: FoundExperiment & DocumentOrigin,
  { kept, ...means }: ComputingMeans & { readonly kept: KeptChunks },
): Promise<ExperimentDocument> {
  const started = performance.now();
  const prepared = await prepareCells({ protocol, experiment, ...origin }, kept);
  const [{ result, effort }] = await computeTogether([prepared], `computing ${experiment.name}`, means);
  return { ...origin, ...result, effort: { ...effort, ...elapsed(started, means.computer) } };
}

/**
 * Computes the missing chunks of several experiments in one queue, so that no thread waits for the last chunk of an experiment, and
 * reports on each.
 */
export async function computeTogether(
  prepared: readonly PreparedCells[],
  task: string,
  { computer, progress }: ComputingMeans,
): Promise<readonly ComputedExperiment[]> {
  let done = prepared.reduce((sum, { reused }) => sum + reused, 0);
  progress.begin(
    task,
    prepared.reduce((sum, { missing }) => sum + missing.length, done),
  );
  progress.advance(done);
  const outcomes = await Promise.allSettled(
    prepared.map((one) => computeCells(one, computer, () => progress.advance(++done))),
  );
  progress.end();
  return outcomes.map((outcome, index) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return { result: reportCells(prepared[index]), effort: outcome.value };
  });
}

/** The time since the start of a computation, and on how many threads it ran. */
export function elapsed(started: number, { threads }: ChunkComputer): Pick<ExperimentEffort, 'threads' | 'seconds'> {
  return { threads, seconds: Number(((performance.now() - started) / 1000).toFixed(2)) };
}
