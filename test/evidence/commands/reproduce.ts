import { join } from 'node:path';
import { RefusedValue } from 'ldpkit';
import { createProgress, jsonText, print, printJson, VIOLATED, writeTogether } from 'ldpkit/node';
import { type ExperimentDocument, runExperimentCells } from '../engine/experiment-run.ts';
import { type FoundExperiment, findExperiments } from '../engine/experiments.ts';
import { figureFiles } from '../engine/figure.ts';
import { keptChunks, NOTHING_KEPT } from '../engine/kept-chunks.ts';
import { experimentPage } from '../engine/page.ts';
import { experimentLines, tableLines } from '../engine/text.ts';
import type { Reproduction } from '../experiment/experiment.ts';
import { readOwnRecords } from '../experiment/own-records.ts';
import { measureScale } from '../scale/measure.ts';
import { TABLES } from '../tables.ts';
import { isMissed } from '../validating/document.ts';
import { type ComputingOptions, readComputing, readSeed, refuseOptions } from './computing-options.ts';
import { stoppable } from './stoppable.ts';

/** Options of a simulation that mean nothing for a file, which is computed at once. */
const FOR_SIMULATIONS = ['out', 'scale', 'threads', 'workers'] as const;

/**
 * `npm run reproduce -- --data`: an experiment on the user's own copy of a public table, printed.
 *
 * @throws RangeError naming the option, or what is wrong with the file.
 */
async function reproduceOwn({ experiment }: FoundExperiment, path: string, options: ComputingOptions): Promise<void> {
  const { name, ownData } = experiment;
  if (ownData === undefined) throw new RefusedValue('data', `none: ${name} takes no file`, path);
  refuseOptions(options, FOR_SIMULATIONS, 'none: a file is computed at once, and printed');
  const seed = readSeed(options);
  const records = await readOwnRecords(path, ownData);
  const tables = ownData.compute(records, seed);
  if (options.json === true) {
    printJson(jsonText({ name, seed, table: records.table, rows: records.rows, tables }));
    return;
  }
  print(tables.flatMap((one, i) => [...(i === 0 ? [] : ['']), ...tableLines(one)]));
}

/** Where results go, in a folder named after the experiment, unless they go to the standard output as JSON. */
const FOLDER = 'out';

/**
 * `npm run reproduce` of an experiment: computes what the folder does not hold already, and writes numbers, figures and a page. The
 * exit code is 3 when a claim is missed; one that so few replications do not decide is open, and is not missed.
 *
 * @throws RangeError naming the option.
 */
async function reproduceExperiment(found: FoundExperiment, options: ComputingOptions): Promise<void> {
  const { folder, computer, ...origin } = await readComputing(options, join(FOLDER, found.experiment.name));
  const kept = folder === undefined ? NOTHING_KEPT : keptChunks(folder);
  const document = await stoppable(folder, createProgress(), computer, (opened, progress) =>
    runExperimentCells({ ...found, ...origin }, { computer: opened, kept, progress }),
  );
  const json = jsonText(document);
  const files = folder === undefined ? [] : await writeTogether('out', folder, filesOf(document, json));
  if (options.json === true) printJson(json);
  else print([...experimentLines(document), '', ...files.map((file) => `wrote ${file}`)]);
  if (document.claims.some(isMissed)) process.exitCode = VIOLATED;
}

function filesOf(document: ExperimentDocument, json: string): Readonly<Record<string, string>> {
  return { 'result.json': json, ...figureFiles(document.figures), 'report.html': experimentPage(document) };
}

/** The name of what is measured by the clock, and of no paper. */
const SCALE = 'scale';

/** Options that mean nothing for it: its threads are what is measured, and its coins change no time. */
const FOR_COINS = ['threads', 'workers', 'seed'] as const;

/**
 * `npm run reproduce -- scale`: time and memory by the number of players, as a table, figures and numbers.
 *
 * @throws RangeError naming the option.
 */
async function reproduceScale(options: ComputingOptions): Promise<void> {
  refuseOptions(options, FOR_COINS, 'none: times and memory are measured');
  const { folder, scale, version, command } = await readComputing(options, join(FOLDER, SCALE));
  const progress = createProgress();
  progress.begin('measuring');
  const { figures, ...measured } = measureScale(scale, progress.advance);
  progress.end();
  const json = jsonText({ name: SCALE, scale, version, command, ...measured });
  const files =
    folder === undefined ? [] : await writeTogether('out', folder, { 'result.json': json, ...figureFiles(figures) });
  if (options.json === true) printJson(json);
  else print([...tableLines(measured.table), '', ...files.map((file) => `wrote ${file}`)]);
}

/** Options that mean nothing for a table that is computed at once, without coins. */
const FOR_EXPERIMENTS = ['out', 'scale', 'threads', 'workers', 'seed'] as const;

/**
 * `npm run reproduce`: a table or figure of a paper computed again; a table with the parts of all protocols that contribute to
 * it, or an experiment of one protocol, on made data or on a file.
 *
 * @throws RangeError for a name that no protocol contributes to, or options that mean nothing for it.
 */
export async function reproduce(name: string, options: ComputingOptions & { readonly data?: string }): Promise<void> {
  const experiments = await findExperiments();
  const found = experiments.find(({ experiment }) => experiment.name === name);
  if (found !== undefined) {
    if (options.data === undefined) await reproduceExperiment(found, options);
    else await reproduceOwn(found, options.data, options);
    return;
  }
  if (name === SCALE && options.data === undefined) {
    await reproduceScale(options);
    return;
  }
  const contributions = Object.hasOwn(TABLES, name) ? TABLES[name] : [];
  const known = new Set([SCALE, ...Object.keys(TABLES), ...experiments.map(({ experiment }) => experiment.name)]);
  if (contributions.length === 0) throw new RefusedValue('name', `one of ${[...known].sort().join(', ')}`, name);
  if (options.data !== undefined) throw new RefusedValue('data', `none: ${name} takes no file`, options.data);
  refuseOptions(options, FOR_EXPERIMENTS, `none: ${name} is computed at once, and printed`);
  const parts = contributions.map(({ protocol, compute }) => ({ protocol, part: compute() }));
  if (options.json === true) {
    printJson(jsonText({ name, parts: parts.map(({ protocol, part }) => ({ protocol, ...part })) }));
  } else {
    print(parts.flatMap(({ protocol, part }, index) => [...(index > 0 ? ['', ''] : []), ...linesOf(protocol, part)]));
  }
}

function linesOf(protocol: string, part: Reproduction): readonly string[] {
  return tableLines({ ...part, title: `${protocol}: ${part.title}` });
}
