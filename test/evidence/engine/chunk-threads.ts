import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Json } from 'ldpkit';
import { Piscina } from 'piscina';

/** One chunk of an experiment, for one thread to compute. */
export interface ChunkTask {
  /** The protocol's folder name. */
  readonly protocol: string;
  /** The experiment's name. */
  readonly experiment: string;
  readonly setting: Json;
  readonly chunk: number;
  readonly seed: string;
}

/** A chunk that was computed. */
export interface ComputedChunk {
  /** The result as canonical JSON. */
  readonly json: string;
  /** How long the thread took. */
  readonly seconds: number;
}

/** Whoever computes chunks. */
export interface ChunkComputer {
  /** How many threads compute; of workers those that have answered. */
  readonly threads: number;
  compute(task: ChunkTask): Promise<ComputedChunk>;
  /** Ends the threads, or takes leave of the workers. */
  close(): Promise<void>;
  /** Takes back what others have not computed yet, where the program is interrupted. */
  leave?(): Promise<void>;
}

/** Worker threads that compute chunks, one for each core by default. */
export function createChunkThreads(threads: number = availableParallelism()): ChunkComputer {
  const pool = new Piscina<ChunkTask, ComputedChunk>({
    filename: fileURLToPath(new URL('./chunk-worker.js', import.meta.url)),
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: 60_000,
  });
  return { threads, compute: (task) => pool.run(task), close: () => pool.destroy() };
}
