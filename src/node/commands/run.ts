import { refusal } from '../../check/number.ts';
import { RefusedValue } from '../../check/refusal.ts';
import { counted } from '../figures.ts';
import { checkFolder, writeTogether } from '../files.ts';
import { playHere, type Workforce } from '../jobs/jobs.ts';
import { openPage } from '../open.ts';
import { nameCommand } from '../origin.ts';
import { jsonText, print, printJson, tell } from '../print.ts';
import { verdictLines } from '../report/verdict.ts';
import type { RunShown, Shown } from './answer.ts';
import type { Asked, Typed } from './asked.ts';
import type { PartOf } from './options.ts';

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

/** The options that say who does the work of a run. */
interface WorkOptions extends ResultOptions {
  readonly part?: PartOf;
  readonly workers?: string;
  readonly threads?: number;
}

/**
 * `ldpkit run`: runs a protocol here, by workers elsewhere, or a part of it.
 *
 * @throws TypeError or RangeError naming the option, the file, the column or the row.
 */
export async function run(
  ask: (workforce?: Workforce) => Promise<RunShown | undefined>,
  options: WorkOptions,
  asked: Asked,
): Promise<void> {
  const { part, workers, threads, ...result } = options;
  if (part !== undefined) return playPart(ask, part, options, asked);
  if (workers === undefined) return showRun(() => ask(playHere(threads)), result);
  const [{ commandOf, requestOf }, { playRemotely }] = await Promise.all([
    import('../jobs/request.ts'),
    import('../jobs/remote.ts'),
  ]);
  const request = await requestOf(asked);
  // The address may hold a password, and the same document is made without it.
  const { out, json, open } = asked.typed;
  nameCommand(
    commandOf(request, Object.fromEntries(Object.entries({ out, json, open }).filter(([, value]) => value)) as Typed),
  );
  return showRun(() => playRemotely(workers, request, ask), result);
}

/** Plays a part of a run into a file. */
async function playPart(
  ask: (workforce?: Workforce) => Promise<RunShown | undefined>,
  { part, parts }: PartOf,
  { out = `part-${part}`, json, open, workers, threads }: WorkOptions,
  asked: Asked,
): Promise<void> {
  for (const [name, value] of Object.entries({ json, open, workers })) {
    if (value !== undefined) throw new RefusedValue(refusal(name, 'none beside --part, which writes one file', value));
  }
  const [{ requestOf }, { writePart }] = await Promise.all([import('../jobs/request.ts'), import('../jobs/part.ts')]);
  const jobs = await writePart({ request: await requestOf(asked), part, parts }, out, threads, ask);
  print([`wrote ${out}: part ${part} of ${parts}, ${counted(jobs, 'job')}`]);
}

/**
 * Plays a run, prints its result, and writes it as a document and as a page. A folder that cannot be
 * written to is refused before the run starts.
 *
 * @throws TypeError or RangeError naming the option, the file, the column or the row.
 */
export async function showRun(play: () => Promise<RunShown | undefined>, options: ResultOptions): Promise<void> {
  const folder = folderOf(options);
  if (folder !== undefined) await checkFolder('out', folder);
  else if (options.open === true) throw new RefusedValue(NO_PAGE);
  const shown = await play();
  if (shown === undefined) return;
  const { document, verdict, lines, page, written = [] } = shown;
  const json = jsonText(document);
  const files =
    folder === undefined
      ? []
      : await writeTogether('out', folder, { 'result.json': json, 'report.html': await page() });
  if (options.open === true) await openLast(files);
  if (options.ndjson === true) return;
  if (options.json === true) printJson(json);
  else {
    const paths = [...written, ...files].map((file) => `wrote ${file}`);
    print([...verdictLines(verdict), '', ...lines, '', ...paths]);
  }
}

/** Opens the page, which is the last of the files. */
async function openLast(files: readonly string[]): Promise<void> {
  const page = files[files.length - 1];
  if (!(await openPage(page))) tell([`no program here opens a page: open ${page} in a browser`]);
}

/** Prints what a command shows. */
export function show({ document, lines }: Shown, { json }: Pick<ResultOptions, 'json'>): void {
  if (json === true) printJson(jsonText(document));
  else print(lines);
}
