import { canonicalJson } from '../../protocol/digest.ts';
import { loadExperiments } from './experiments.ts';
import type { PartTask } from './part-threads.ts';

/**
 * Computes one part of an experiment in a worker thread. The result is text: what a file keeps of it is what was computed, and
 * numbers that are not finite are refused.
 */
export default async function work({ protocol, experiment: name, setting, part, seed }: PartTask): Promise<string> {
  const experiments = await loadExperiments(protocol);
  const experiment = experiments.find((one) => one.name === name);
  if (experiment === undefined) throw new Error(`${protocol} has no experiment ${name}`);
  return canonicalJson(experiment.part(setting, part, seed));
}
