import { digestOf, type Json } from 'ldpkit';
import type { CellResult, ExperimentCell, ExperimentReport, Scale } from '../experiment/experiment.ts';
import type { ChunkComputer } from './chunk-threads.ts';
import type { FoundExperiment } from './experiments.ts';
import { figureFaults } from './figure-faults.ts';
import type { ChunkIdentity, KeptChunks } from './kept-chunks.ts';

/** What is computed of an experiment, and with which coins. */
export interface CellsRequest extends FoundExperiment {
  readonly scale: Scale;
  readonly seed: string;
  /** Version of this package. */
  readonly version: string;
}

/** An experiment and what came of it, as plain data: the same for every number of threads, stopped and gone on with or not. */
export interface ExperimentResult extends ExperimentReport {
  readonly name: string;
  readonly protocol: string;
  readonly title: string;
  readonly source: string;
  readonly summary: string;
  readonly experimentVersion: number;
  readonly cells: readonly ExperimentCell[];
}

/** How much of an experiment was computed. */
export interface CellsEffort {
  /** Chunks computed now, and how long threads took for them, all together. */
  readonly computed: number;
  readonly threadSeconds: number;
  /** Chunks taken from the folder. */
  readonly reused: number;
  /** Chunks in the folder that were damaged, or of another seed or version, and were computed again. */
  readonly unfit: number;
}

/** The cells of an experiment with the chunks that are kept already; the others are missing. */
export interface PreparedCells {
  readonly request: CellsRequest;
  readonly kept: KeptChunks;
  readonly cells: readonly ExperimentCell[];
  readonly missing: readonly ChunkIdentity[];
  readonly reused: number;
  readonly unfit: number;
  /** By cell and chunk. */
  readonly results: Json[][];
}

/** Looks for the chunks of an experiment that are kept. */
export async function prepareCells(request: CellsRequest, kept: KeptChunks): Promise<PreparedCells> {
  const { experiment, scale, seed, version } = request;
  const cells = experiment.cells(scale);
  const results: Json[][] = cells.map(({ chunks }) => new Array<Json>(chunks));
  const missing: ChunkIdentity[] = [];
  let reused = 0;
  let unfit = 0;
  // Cells of many sizes often share one small run.
  const marks = new Map<string, string>();
  const base = { experiment: experiment.name, version: experiment.version, package: version, seed };
  for (const [cell, { key, setting, chunks }] of cells.entries()) {
    const mark = within(`the small run of ${key} of ${experiment.name}`, () => {
      const small = experiment.smallRun(setting);
      const probed = JSON.stringify(small);
      const known = marks.get(probed) ?? digestOf(experiment.chunk(small, 0, 'probe'));
      marks.set(probed, known);
      return known;
    });
    for (let chunk = 0; chunk < chunks; chunk++) {
      const identity = { ...base, key, setting, mark, chunk };
      const found = await kept.read(identity);
      if (typeof found === 'object') {
        results[cell][chunk] = found.result;
        reused++;
      } else {
        if (found === 'unfit') unfit++;
        missing.push(identity);
      }
    }
  }
  return { request, kept, cells, missing, reused, unfit, results };
}

/** Computes the chunks that are missing, and keeps them. `onChunk` is called after each. */
export async function computeCells(
  { request, kept, cells, missing, reused, unfit, results }: PreparedCells,
  computer: ChunkComputer,
  onChunk: () => void,
): Promise<CellsEffort> {
  const { protocol, experiment, seed } = request;
  const cellOf = new Map(cells.map(({ key }, index) => [key, index]));
  let threadSeconds = 0;
  const pending = missing.map(async (identity) => {
    const { key, setting, chunk } = identity;
    const task = { protocol, experiment: experiment.name, setting, chunk, seed };
    const place = `chunk ${chunk} of ${key} of ${experiment.name}`;
    const { json, seconds } = await computer.compute(task).catch((cause: unknown) => {
      throw faultIn(place, cause);
    });
    const result = JSON.parse(json) as Json;
    await kept.write(identity, result);
    results[cellOf.get(key) as number][chunk] = result;
    threadSeconds += seconds;
    onChunk();
  });
  // All are waited for before the first failure is passed on, so that no rejection goes unheard.
  const outcomes = await Promise.allSettled(pending);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return { computed: missing.length, threadSeconds: Number(threadSeconds.toFixed(2)), reused, unfit };
}

/**
 * What an experiment says of its cells, once no chunk is missing any more.
 *
 * @throws Error where a figure of it cannot be drawn.
 */
export function reportCells({ request, cells, results }: PreparedCells): ExperimentResult {
  const { protocol, experiment } = request;
  const { name, title, source, summary, version } = experiment;
  const report = within(`the report of ${name}`, () =>
    experiment.report(cells.map((cell, index): CellResult => ({ cell, chunks: results[index] }))),
  );
  const faults = figureFaults(report.figures);
  if (faults.length > 0) throw new Error(`${name}: ${faults.join('; ')}`);
  return { name, protocol, title, source, summary, experimentVersion: version, ...report, cells };
}

function within<Result>(place: string, compute: () => Result): Result {
  try {
    return compute();
  } catch (cause) {
    throw faultIn(place, cause);
  }
}

/** Whatever an experiment refuses is a fault of the experiment, and not of what was asked for. */
function faultIn(place: string, cause: unknown): Error {
  return new Error(`${place}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}
