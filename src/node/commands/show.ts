import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RefusedValue } from '../../check/refusal.ts';
import { checkFolder, writeTogether } from '../files.ts';
import { jsonText, print, printJson, tell } from '../print.ts';
import { origin } from '../run-program.ts';
import type { RunShown, Shown } from '../study.ts';

const NO_PAGE = '"open" expected a folder for the page (--out) where results go to the standard output, got none';

/** Where results are written, unless they go to the standard output. */
const FOLDER = 'out';

/** Where a result goes; `ndjson` is one line of JSON for every moment of a stream. */
export interface ResultOptions {
  readonly out?: string | undefined;
  readonly json?: true | undefined;
  readonly open?: true | undefined;
  readonly ndjson?: true | undefined;
}

/** Where the results of a run are written; undefined if they go to the standard output only. */
export function folderOf({ out, json, ndjson }: ResultOptions): string | undefined {
  return out ?? (json === true || ndjson === true ? undefined : FOLDER);
}

/** Plays a run, prints its result, and writes it as a document and as a page into a folder, which is checked before the run starts. */
export async function showRun(play: () => Promise<RunShown | undefined>, options: ResultOptions): Promise<void> {
  const folder = folderOf(options);
  if (folder !== undefined) await checkFolder('out', folder);
  else if (options.open === true) throw new RefusedValue(NO_PAGE);
  const shown = await play();
  if (shown === undefined) return;
  const { written = [] } = shown;
  const document = { ...shown.document, ...origin() };
  const json = jsonText(document);
  if (folder !== undefined) {
    const { checkedResult, resultLines, resultPage } = await import('../report/result.ts');
    const found = checkedResult(await shown.result());
    const page = resultPage(document, found);
    const files = await writeTogether('out', folder, { 'result.json': json, 'report.html': page });
    const path = files[files.length - 1];
    if (options.open === true && !(await openPage(path))) {
      tell([`no program here opens a page: open ${path} in a browser`]);
    }
    const paths = [...written, ...files].map((file) => `wrote ${file}`);
    if (options.ndjson !== true && options.json !== true) print([...resultLines(document, found), '', ...paths]);
  }
  if (options.ndjson !== true && options.json === true) printJson(json);
}

export function show({ document, lines }: Shown, { json }: Pick<ResultOptions, 'json'>): void {
  if (json === true) printJson(jsonText(document));
  else print(lines);
}

/** How a page is opened on a system: the program and its arguments. The path is one of them, and no shell reads it. */
export function openerOf(path: string, platform: string): readonly [program: string, ...words: string[]] {
  const url = pathToFileURL(resolve(path)).href;
  if (platform === 'darwin') return ['open', url];
  return platform === 'win32' ? ['rundll32.exe', 'url.dll,FileProtocolHandler', url] : ['xdg-open', url];
}

/** Shows a page in the browser of the person at the screen, and does not wait for it; false where there is no program for it. */
export function openPage(
  path: string,
  { platform, env }: Pick<NodeJS.Process, 'platform' | 'env'> = process,
): Promise<boolean> {
  const [program, ...words] = openerOf(path, platform);
  return new Promise((done) => {
    const child = spawn(program, words, { env, stdio: 'ignore', detached: true });
    child.on('error', () => done(false));
    child.on('spawn', () => {
      child.unref();
      done(true);
    });
  });
}
