import { canonicalJson } from 'ldpkit';
import { loadExperiment } from './experiments.ts';
import type { ComputedPart, PartTask } from './part-threads.ts';

/**
 * Computes one part of an experiment in a worker thread. The result is text: what a file keeps of it is what was computed, and
 * numbers that are not finite are refused.
 */
export default async function work({
  protocol,
  experiment: name,
  setting,
  part,
  seed,
}: PartTask): Promise<ComputedPart> {
  const experiment = await loadExperiment(protocol, name);
  const started = performance.now();
  const json = canonicalJson(experiment.part(setting, part, seed));
  return { json, seconds: (performance.now() - started) / 1000 };
}
