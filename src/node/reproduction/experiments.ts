import { existsSync, readdirSync } from 'node:fs';
import type { PaperExperiment } from '../../simulation/paper-experiment.ts';

/** An experiment, and the protocol it comes with. */
export interface FoundExperiment {
  readonly protocol: string;
  readonly experiment: PaperExperiment;
}

// The built package: this file is dist/src/node/reproduction/experiments.js, a protocol is dist/protocols/<name>/index.js.
function folder(): URL {
  return new URL('../../../protocols/', import.meta.url);
}

/** The experiments of all protocols; a new one is found by its protocol's folder `reproductions` alone. */
export async function findExperiments(): Promise<readonly FoundExperiment[]> {
  const protocols = readdirSync(folder(), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(moduleOf(entry.name)))
    .map((entry) => entry.name)
    .sort();
  const found: FoundExperiment[] = [];
  for (const protocol of protocols) {
    for (const experiment of await loadExperiments(protocol)) found.push({ protocol, experiment });
  }
  return found;
}

/** The experiments of one protocol of this package. */
export async function loadExperiments(protocol: string): Promise<readonly PaperExperiment[]> {
  const module = (await import(moduleOf(protocol).href)) as { readonly experiments: readonly PaperExperiment[] };
  return module.experiments;
}

function moduleOf(protocol: string): URL {
  return new URL(`${protocol}/reproductions/index.js`, folder());
}
