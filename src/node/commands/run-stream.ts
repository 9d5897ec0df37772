import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { checkMethod } from '../../../protocols/online-sgd/estimate.ts';
import type { StreamStudy } from '../../../protocols/online-sgd/stream-study.ts';
import { checkInteger } from '../../check/number.ts';
import { readBytes } from '../document-file.ts';
import { fileRefusal } from '../file-refusal.ts';
import { jsonText, print, printJson, tell } from '../print.ts';
import { createProgress, type Progress } from '../progress.ts';
import type { StreamCheckpoint } from '../stream/document.ts';
import { checkLength, measureRun, playRun } from '../stream/experiment.ts';
import { streamPage } from '../stream/page.ts';
import { firstPlayers, loadStream, type StreamRecords, type StreamSource } from '../stream/records.ts';
import { formatStreamRun } from '../stream/text.ts';
import { checkFolder, writeTogether } from '../write-files.ts';
import { readNumber } from './number-option.ts';
import { commandText, packageVersion } from './origin.ts';
import type { RunOptions } from './run-options.ts';
import { streamRunPlan } from './stream-plan.ts';

/** Where results go unless they go to the standard output. */
const FOLDER = 'out';

/** Bytes of a saved state: that of ten thousand coordinates with all their products has half as many. */
const LARGEST_STATE = 2 ** 30;

/**
 * `ldpkit run` of a sequential protocol: one player after the other, with intervals along the stream; on the flights in the order
 * of their departure, or on the records of a file.
 *
 * @throws TypeError or RangeError naming the option, the file, the column or the row; ReportError for a state of another plan.
 */
export async function runStream(study: StreamStudy, options: RunOptions): Promise<void> {
  const protocol = study.protocol.name;
  if (options.json === true && options.ndjson === true) {
    throw new RangeError('"ndjson" expected not to be given with --json: both print to the standard output');
  }
  const { plan, source } = await streamRunPlan(protocol, study, options);
  const folder = options.out ?? (options.json === true || options.ndjson === true ? undefined : FOLDER);
  if (folder !== undefined) await checkFolder('out', folder);
  if (options.save !== undefined) await checkSave(options.save);
  // What is refused is refused before millions of records have been read.
  const made = study.plan(plan.request);
  const asked = options.players === undefined ? undefined : whole('players', options.players);
  checkMethod(made, plan.method);
  if (asked !== undefined) checkLength(made, plan.method, asked);
  const resume = options.resume === undefined ? undefined : await readBytes('resume', options.resume, LARGEST_STATE);
  if (resume !== undefined) study.protocol.server.restore(made, resume);
  const progress = createProgress();
  const records = await readRecords(source, asked, progress);
  checkLength(made, plan.method, records.players);
  progress.begin(`playing ${protocol}`);
  const onCheckpoint = (one: StreamCheckpoint): void => {
    if (options.ndjson === true) printJson(jsonText(one, 0));
  };
  const played = playRun(study, plan, records, { resume, onCheckpoint });
  if (options.save !== undefined) {
    await writeState(options.save, study.protocol.server.save(played.plan, played.state));
  }
  if (played.refused !== undefined) {
    progress.end();
    if (options.save !== undefined) tell([`wrote ${options.save}`]);
    throw new RangeError(played.refused);
  }
  const origin = { version: packageVersion(), command: commandText(process.argv.slice(2)) };
  let json = '';
  const written: string[] = [];
  let lines: readonly string[] = [];
  if (folder !== undefined || options.ndjson !== true) {
    const document = measureRun(study, plan, records, played, progress, origin);
    json = jsonText(document);
    lines = formatStreamRun(document);
    const files = { 'result.json': json, 'report.html': streamPage(document) };
    if (folder !== undefined) written.push(...(await writeTogether('out', folder, files)));
  }
  progress.end();
  if (options.save !== undefined) written.push(options.save);
  if (options.ndjson === true) return;
  if (options.json === true) printJson(json);
  else print([...lines, '', ...written.map((file) => `wrote ${file}`)]);
}

async function readRecords(
  source: StreamSource,
  players: number | undefined,
  progress: Progress,
): Promise<StreamRecords> {
  const task = 'reading the records';
  let begun = false;
  progress.begin(task);
  const records = await loadStream(source, (done, expected) => {
    if (!begun) progress.begin(task, expected);
    begun = true;
    progress.advance(done);
  });
  progress.end();
  if (players === undefined) return records;
  return firstPlayers(records, checkInteger('players', players, 1, records.players));
}

function whole(name: string, text: string): number {
  return checkInteger(name, readNumber(name, text), 1);
}

async function checkSave(path: string): Promise<void> {
  const folder = await stat(dirname(path)).catch(() => undefined);
  const there = await stat(path).catch(() => undefined);
  if (path === '' || folder?.isDirectory() !== true || there?.isDirectory() === true) {
    throw fileRefusal('save', 'a file in a folder that is there', path);
  }
}

// Under another name first: a state that was there before is replaced whole or not at all.
async function writeState(path: string, bytes: Uint8Array): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.draft`);
  try {
    await writeFile(draft, bytes);
    await rename(draft, path);
  } catch {
    await rm(draft, { force: true }).catch(() => undefined);
    throw fileRefusal('save', 'a file that can be written', path);
  }
}
