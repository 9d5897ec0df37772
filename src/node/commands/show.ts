import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RefusedValue } from '../../check/refusal.ts';
import { checkFolder, writeTogether } from '../files.ts';
import { jsonText, print, printJson, tell } from '../print.ts';
import { origin } from '../run-program.ts';
import type { RunShown, Shown } from '../study.ts';

/** What is said where there is nothing to open. */
const NO_PAGE = '"open" expected a folder for the page (--out) where results go to the standard output, got none';

/** Where results are written, unless they go to the standard output. */
const FOLDER = 'out';

/** The folder of `--out`, or the default folder if nothing else is printed. */
export interface ResultOptions {
  readonly out?: string | undefined;
  readonly json?: true | undefined;
  /** Whether the page is shown at once. */
  readonly open?: true | undefined;
  /** Streams only: one line of JSON for every moment. */
  readonly ndjson?: true | undefined;
}

/** Where the results of a run are written; undefined if they go to the standard output only. */
export function folderOf({ out, json, ndjson }: ResultOptions): string | undefined {
  return out ?? (json === true || ndjson === true ? undefined : FOLDER);
}

/**
 * Plays a run, prints its result, and writes it as a document and as a page. A folder that cannot be
 * written to is refused before the run starts.
 * @throws TypeError or RangeError naming the option, the file, the column or the row.
 */
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
    const files = await writeTogether('out', folder, {
      'result.json': json,
      'report.html': resultPage(document, found),
    });
    const page = files[files.length - 1];
    if (options.open === true && !(await openPage(page))) {
      tell([`no program here opens a page: open ${page} in a browser`]);
    }
    const paths = [...written, ...files].map((file) => `wrote ${file}`);
    if (options.ndjson !== true && options.json !== true) print([...resultLines(document, found), '', ...paths]);
  }
  if (options.ndjson !== true && options.json === true) printJson(json);
}

/** Prints what a command shows. */
export function show({ document, lines }: Shown, { json }: Pick<ResultOptions, 'json'>): void {
  if (json === true) printJson(jsonText(document));
  else print(lines);
}

/** The program that opens a file for a person, on each system; the path is one argument, and no shell reads it. */
const OPENERS: { readonly [platform: string]: readonly [program: string, ...words: string[]] } = {
  darwin: ['open'],
  win32: ['rundll32.exe', 'url.dll,FileProtocolHandler'],
};

/** How a page is opened on a system: the program and its arguments. */
export function openerOf(path: string, platform: string): readonly [program: string, ...words: string[]] {
  const [program, ...words] = OPENERS[platform] ?? ['xdg-open'];
  return [program, ...words, pathToFileURL(resolve(path)).href];
}

/**
 * Shows a page in the browser of the person at the screen, and does not wait for it. Whether there was such a program;
 * where there is none, as on a server, nothing happens.
 */
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
