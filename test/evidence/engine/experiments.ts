import { existsSync, readdirSync } from 'node:fs';
import type { PaperExperiment, TheoremValidation } from '../experiment/experiment.ts';

/** An experiment, and the protocol it comes with. */
export interface FoundExperiment {
  readonly protocol: string;
  readonly experiment: PaperExperiment;
}

/** A validation of theorems, and the protocol it comes with. */
export interface FoundValidation extends FoundExperiment {
  readonly experiment: TheoremValidation;
}

/** What the folders of a protocol's experiments are called, and what their modules export. */
interface Rooms {
  readonly reproductions: { readonly experiments: readonly PaperExperiment[] };
  readonly validations: { readonly validations: readonly TheoremValidation[] };
}

/** The folder of the evidence, as this file lies in it. */
function folder(): URL {
  return new URL('../', import.meta.url);
}

/** The experiments of all protocols; a new one is found by its protocol's folder `reproductions` alone. */
export async function findExperiments(): Promise<readonly FoundExperiment[]> {
  return await eachProtocol(async (protocol) => (await load(protocol, 'reproductions'))?.experiments);
}

/**
 * The validations of all protocols; a new one is found by its protocol's folder `validations` alone.
 *
 * @throws Error where two experiments or validations have one name.
 */
export async function findValidations(): Promise<readonly FoundValidation[]> {
  const found = await eachProtocol(async (protocol) => (await load(protocol, 'validations'))?.validations);
  checkNames([...(await findExperiments()), ...found]);
  return found;
}

/**
 * Refuses two experiments or validations of one name: their files would lie in one folder.
 *
 * @throws Error with the name and both protocols.
 */
export function checkNames(found: readonly FoundExperiment[]): void {
  const owners = new Map<string, string>();
  for (const { protocol, experiment } of found) {
    const owner = owners.get(experiment.name);
    if (owner !== undefined) throw new Error(`${owner} and ${protocol} both have an experiment ${experiment.name}`);
    owners.set(experiment.name, protocol);
  }
}

/**
 * One experiment or validation of a protocol of this package.
 *
 * @throws Error where the protocol has none of this name.
 */
export async function loadExperiment(protocol: string, name: string): Promise<PaperExperiment> {
  const experiments = (await load(protocol, 'reproductions'))?.experiments ?? [];
  const validations = (await load(protocol, 'validations'))?.validations ?? [];
  const found = [...experiments, ...validations].find((one) => one.name === name);
  if (found === undefined) throw new Error(`${protocol} has no experiment ${name}`);
  return found;
}

async function eachProtocol<Experiment extends PaperExperiment>(
  experimentsOf: (protocol: string) => Promise<readonly Experiment[] | undefined>,
): Promise<readonly { readonly protocol: string; readonly experiment: Experiment }[]> {
  const protocols = readdirSync(folder(), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  const found: { readonly protocol: string; readonly experiment: Experiment }[] = [];
  for (const protocol of protocols) {
    for (const experiment of (await experimentsOf(protocol)) ?? []) found.push({ protocol, experiment });
  }
  return found;
}

/** The module of a protocol's folder, where it has one. */
async function load<Room extends keyof Rooms>(protocol: string, room: Room): Promise<Rooms[Room] | undefined> {
  const module = new URL(`${protocol}/${room}/index.js`, folder());
  return existsSync(module) ? ((await import(module.href)) as Rooms[Room]) : undefined;
}
