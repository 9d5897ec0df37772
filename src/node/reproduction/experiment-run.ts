import { digestOf, type Json } from '../../protocol/digest.ts';
import type {
  CellResult,
  ExperimentCell,
  ExperimentClaim,
  ExperimentReport,
  Scale,
} from '../../simulation/paper-experiment.ts';
import type { Progress } from '../progress.ts';
import type { FoundExperiment } from './experiments.ts';
import type { KeptParts, PartIdentity } from './kept-parts.ts';
import type { PartComputer } from './part-threads.ts';

/** What is computed. */
export interface ExperimentRequest extends FoundExperiment {
  readonly scale: Scale;
  readonly seed: string;
  /** Version of this package. */
  readonly version: string;
  /** The command that computes it. */
  readonly command: string;
}

/** With what. */
export interface ExperimentMeans {
  readonly computer: PartComputer;
  readonly kept: KeptParts;
  readonly progress: Progress;
}

/** How the computation went. Two of one experiment and seed differ here, and in the command, alone. */
export interface ExperimentEffort {
  readonly threads: number;
  /** Parts computed now, and how long that took. */
  readonly computed: number;
  readonly seconds: number;
  /** Parts taken from the folder. */
  readonly reused: number;
  /** Parts in the folder that were damaged, or of another seed or version, and were computed again. */
  readonly unfit: number;
}

/** An experiment and what came of it, as plain data. */
export interface ExperimentDocument extends ExperimentReport {
  readonly name: string;
  readonly protocol: string;
  readonly title: string;
  readonly source: string;
  readonly summary: string;
  readonly scale: Scale;
  readonly seed: string;
  readonly version: string;
  readonly experimentVersion: number;
  readonly command: string;
  readonly claims: readonly ExperimentClaim[];
  readonly cells: readonly ExperimentCell[];
  readonly effort: ExperimentEffort;
}

interface Job {
  readonly identity: PartIdentity;
  readonly cell: number;
}

/**
 * Computes the cells of an experiment, those parts that are not kept already, and reports. All but `effort` is the same for
 * every number of threads, stopped and gone on with or not.
 */
export async function runExperimentCells(
  request: ExperimentRequest,
  { computer, kept, progress }: ExperimentMeans,
): Promise<ExperimentDocument> {
  const { protocol, experiment, scale, seed, version, command } = request;
  const { name, title, source, summary } = experiment;
  const cells = experiment.cells(scale);
  const results: Json[][] = cells.map(({ parts }) => new Array<Json>(parts));
  const started = performance.now();
  const missing: Job[] = [];
  let reused = 0;
  let unfit = 0;
  const base = { experiment: name, version: experiment.version, package: version, seed };
  for (const [cell, { key, setting, parts }] of cells.entries()) {
    const mark = digestOf(experiment.part(experiment.probe(setting), 0, 'probe'));
    for (let part = 0; part < parts; part++) {
      const identity = { ...base, key, setting, mark, part };
      const found = await kept.read(identity);
      if (typeof found === 'object') {
        results[cell][part] = found.result;
        reused++;
      } else {
        if (found === 'unfit') unfit++;
        missing.push({ identity, cell });
      }
    }
  }
  const total = reused + missing.length;
  let done = reused;
  progress.begin(`computing ${name}`, total);
  progress.advance(done);
  const pending = missing.map(async ({ identity, cell }) => {
    const { setting, part } = identity;
    const result = JSON.parse(await computer.compute({ protocol, experiment: name, setting, part, seed })) as Json;
    await kept.write(identity, result);
    results[cell][part] = result;
    progress.advance(++done);
  });
  // All are waited for before the first failure is passed on, so that no rejection goes unheard.
  const outcomes = await Promise.allSettled(pending);
  progress.end();
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  const report = experiment.report(cells.map((cell, index): CellResult => ({ cell, parts: results[index] })));
  const seconds = Number(((performance.now() - started) / 1000).toFixed(2));
  return {
    name,
    protocol,
    title,
    source,
    summary,
    scale,
    seed,
    version,
    experimentVersion: experiment.version,
    command,
    ...report,
    cells,
    effort: { threads: computer.threads, computed: missing.length, seconds, reused, unfit },
  };
}
