import { digestOf, type Json } from 'ldpkit';
import type { CellResult, ExperimentCell, ExperimentReport, Scale } from '../experiment/experiment.ts';
import type { FoundExperiment } from './experiments.ts';
import { figureFaults } from './figure-faults.ts';
import type { KeptParts, PartIdentity } from './kept-parts.ts';
import type { PartComputer } from './part-threads.ts';

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
  /** Parts computed now, and how long threads took for them, all together. */
  readonly computed: number;
  readonly threadSeconds: number;
  /** Parts taken from the folder. */
  readonly reused: number;
  /** Parts in the folder that were damaged, or of another seed or version, and were computed again. */
  readonly unfit: number;
}

/** The cells of an experiment with the parts that are kept already; the others are missing. */
export interface PreparedCells {
  readonly request: CellsRequest;
  readonly kept: KeptParts;
  readonly cells: readonly ExperimentCell[];
  readonly missing: readonly PartIdentity[];
  readonly reused: number;
  readonly unfit: number;
  /** By cell and part. */
  readonly results: Json[][];
}

/** Looks for the parts of an experiment that are kept. */
export async function prepareCells(request: CellsRequest, kept: KeptParts): Promise<PreparedCells> {
  const { experiment, scale, seed, version } = request;
  const cells = experiment.cells(scale);
  const results: Json[][] = cells.map(({ parts }) => new Array<Json>(parts));
  const missing: PartIdentity[] = [];
  let reused = 0;
  let unfit = 0;
  const base = { experiment: experiment.name, version: experiment.version, package: version, seed };
  for (const [cell, { key, setting, parts }] of cells.entries()) {
    const mark = within(`the probe of ${key} of ${experiment.name}`, () =>
      digestOf(experiment.part(experiment.probe(setting), 0, 'probe')),
    );
    for (let part = 0; part < parts; part++) {
      const identity = { ...base, key, setting, mark, part };
      const found = await kept.read(identity);
      if (typeof found === 'object') {
        results[cell][part] = found.result;
        reused++;
      } else {
        if (found === 'unfit') unfit++;
        missing.push(identity);
      }
    }
  }
  return { request, kept, cells, missing, reused, unfit, results };
}

/** Computes the parts that are missing, and keeps them. `onPart` is called after each. */
export async function computeCells(
  { request, kept, cells, missing, reused, unfit, results }: PreparedCells,
  computer: PartComputer,
  onPart: () => void,
): Promise<CellsEffort> {
  const { protocol, experiment, seed } = request;
  const cellOf = new Map(cells.map(({ key }, index) => [key, index]));
  let threadSeconds = 0;
  const pending = missing.map(async (identity) => {
    const { key, setting, part } = identity;
    const task = { protocol, experiment: experiment.name, setting, part, seed };
    const place = `part ${part} of ${key} of ${experiment.name}`;
    const { json, seconds } = await computer.compute(task).catch((cause: unknown) => {
      throw faultIn(place, cause);
    });
    const result = JSON.parse(json) as Json;
    await kept.write(identity, result);
    results[cellOf.get(key) as number][part] = result;
    threadSeconds += seconds;
    onPart();
  });
  // All are waited for before the first failure is passed on, so that no rejection goes unheard.
  const outcomes = await Promise.allSettled(pending);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return { computed: missing.length, threadSeconds: Number(threadSeconds.toFixed(2)), reused, unfit };
}

/**
 * What an experiment says of its cells, once no part is missing any more.
 *
 * @throws Error where a figure of it cannot be drawn.
 */
export function reportCells({ request, cells, results }: PreparedCells): ExperimentResult {
  const { protocol, experiment } = request;
  const { name, title, source, summary, version } = experiment;
  const report = within(`the report of ${name}`, () =>
    experiment.report(cells.map((cell, index): CellResult => ({ cell, parts: results[index] }))),
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
