import { canonicalJson } from 'ldpkit';
import type { ChunkTask, ComputedChunk } from './chunk-threads.ts';
import { loadExperiment } from './experiments.ts';

/**
 * Computes one chunk of an experiment in a worker thread. The result is text: what a file keeps of it is what was computed, and
 * numbers that are not finite are refused.
 */
export default async function work({
  protocol,
  experiment: name,
  setting,
  chunk,
  seed,
}: ChunkTask): Promise<ComputedChunk> {
  const experiment = await loadExperiment(protocol, name);
  const started = performance.now();
  const json = canonicalJson(experiment.chunk(setting, chunk, seed));
  return { json, seconds: (performance.now() - started) / 1000 };
}
