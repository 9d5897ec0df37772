import { join } from 'node:path';
import { counted, createProgress, jsonText, print, printJson, VIOLATED, writeTogether } from 'ldpkit/node';
import { type FoundValidation, findValidations } from '../engine/experiments.ts';
import { figureFiles } from '../engine/figure.ts';
import { type KeptChunks, keptChunks, NOTHING_KEPT } from '../engine/kept-chunks.ts';
import type { ValidationDocument } from '../validating/document.ts';
import { validationPage } from '../validating/page.ts';
import { runValidations } from '../validating/run.ts';
import { selectValidations } from '../validating/selection.ts';
import { validationLines, validationNames } from '../validating/text.ts';
import { type ComputingOptions, readComputing, refuseOptions } from './computing-options.ts';
import { stoppable } from './stoppable.ts';

/** Where results go unless they go to the standard output as JSON. */
const FOLDER = join('out', 'validate');

/** Options of `npm run validate`, as the command line gives them. */
export interface ValidateOptions extends ComputingOptions {
  readonly only?: readonly string[];
  readonly list?: boolean;
}

/** Options that mean nothing for a list. */
const FOR_COMPUTING = ['out', 'scale', 'threads', 'workers', 'seed'] as const;

/**
 * `npm run validate`: measures theorems against what they claim, all at once, and writes one page and one document. The exit code is
 * 3 when a claim is missed; an open one, which too little was computed to decide, is not.
 *
 * @throws RangeError naming the option.
 */
export async function validate(options: ValidateOptions): Promise<void> {
  const found = selectValidations(await findValidations(), options.only);
  if (options.list === true) {
    refuseOptions(options, FOR_COMPUTING, 'none: --list computes nothing');
    list(found, options.json === true);
    return;
  }
  const { folder, computer, ...origin } = await readComputing(options, FOLDER);
  const keptOf = (name: string): KeptChunks => (folder === undefined ? NOTHING_KEPT : keptChunks(join(folder, name)));
  const document = await stoppable(folder, createProgress(), computer, (opened, progress) =>
    runValidations(found, origin, { computer: opened, keptOf, progress }),
  );
  const json = jsonText(document);
  const written = folder === undefined ? [] : await write(folder, document, json);
  if (options.json === true) printJson(json);
  else print([...validationLines(document), ...written]);
  const { met, open, all } = document.claims;
  if (met + open < all) process.exitCode = VIOLATED;
}

function list(found: readonly FoundValidation[], json: boolean): void {
  const validations = found.map(({ experiment }) => experiment);
  if (!json) {
    print(validationNames(validations));
    return;
  }
  const documents = found.map(({ protocol, experiment: { name, paper, theorems, title } }) => ({
    name,
    paper,
    theorems,
    title,
    protocol,
  }));
  printJson(jsonText(documents));
}

/** Writes the figures of each validation beside its chunks, then the document and the page; says what was written. */
async function write(folder: string, document: ValidationDocument, json: string): Promise<readonly string[]> {
  let figures = 0;
  for (const one of document.validations) {
    figures += (await writeTogether('out', join(folder, one.name), figureFiles(one.figures))).length;
  }
  const files = { 'result.json': json, 'report.html': validationPage(document) };
  const paths = await writeTogether('out', folder, files);
  return ['', ...paths.map((path) => `wrote ${path}`), `wrote ${counted(figures, 'figure')} below ${folder}`];
}
