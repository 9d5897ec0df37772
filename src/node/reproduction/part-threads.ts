import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { Json } from '../../protocol/digest.ts';

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

/** Whoever computes parts. */
export interface PartComputer {
  readonly threads: number;
  /** The result of a part as canonical JSON. */
  compute(task: PartTask): Promise<string>;
  /** Ends the threads. */
  close(): Promise<void>;
}

/** Worker threads that compute parts, one for each core by default. */
export function createPartThreads(threads: number = availableParallelism()): PartComputer {
  const pool = new Piscina<PartTask, string>({
    filename: fileURLToPath(new URL('./part-worker.js', import.meta.url)),
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: 60_000,
  });
  return { threads, compute: (task) => pool.run(task), close: () => pool.destroy() };
}
