import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Json } from 'ldpkit';
import { Piscina } from 'piscina';

/** One part of an experiment, for one thread to compute. */
export interface PartTask {
  /** The protocol's folder name. */
  readonly protocol: string;
  /** The experiment's name. */
  readonly experiment: string;
  readonly setting: Json;
  readonly part: number;
  readonly seed: string;
}

/** A part that was computed. */
export interface ComputedPart {
  /** The result as canonical JSON. */
  readonly json: string;
  /** How long the thread took. */
  readonly seconds: number;
}

/** Whoever computes parts. */
export interface PartComputer {
  readonly threads: number;
  compute(task: PartTask): Promise<ComputedPart>;
  /** Ends the threads. */
  close(): Promise<void>;
}

/** Worker threads that compute parts, one for each core by default. */
export function createPartThreads(threads: number = availableParallelism()): PartComputer {
  const pool = new Piscina<PartTask, ComputedPart>({
    filename: fileURLToPath(new URL('./part-worker.js', import.meta.url)),
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: 60_000,
  });
  return { threads, compute: (task) => pool.run(task), close: () => pool.destroy() };
}
