import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RefusedValue } from '../../check/refusal.ts';
import { type CertificateDocument, certify } from '../../core/certify.ts';
import type { PlainRequest, Protocol, PublicParameters } from '../../core/contract.ts';
import { type Grade, GradeError } from '../../core/digest.ts';
import type { RefutedClaim } from '../../simulation/model-study.ts';
import type { AnyRequest } from '../audit-target.ts';
import { checkFolder, writeTogether } from '../files.ts';
import type { Workforce } from '../jobs/jobs.ts';
import type { RunHead } from '../kinds/run.ts';
import { jsonText, print, printJson, tell } from '../print.ts';
import type { RunResult } from '../report/result.ts';
import type { AnyStudy } from '../studies.ts';
import type { OptionSet, Values } from './options.ts';

/** The commands that work on one protocol. */
export type ProtocolCommand = 'run' | 'certify' | 'audit' | 'forecast';

/** What a command shows, both as a document and as lines of a terminal. */
export interface Shown {
  readonly document: object;
  readonly lines: readonly string[];
}

/** What a run shows. */
export interface RunShown {
  readonly document: RunHead;
  /** What came out, for people; it is made only where it is shown. */
  readonly result: () => Promise<RunResult>;
  /** Files that the run wrote itself. */
  readonly written?: readonly string[];
}

/** A claim that does not hold, with its protocol and variant; it replaces a certificate. */
export interface RefutedDocument extends RefutedClaim {
  readonly protocol: string;
  readonly variant: string;
  /** Nothing is certified. */
  readonly holds: false;
}

/** The request of an audit. */
export interface AuditRequest {
  /** What the parameters of the attacked player are made from. */
  readonly request: AnyRequest;
  /** The variant and the grade, for the heading. */
  readonly variant: string;
  readonly grade: Grade;
  /** δ at which bounds on Gaussian claims are also read as an ε. */
  readonly delta: number;
  /** Whether the attack is on what a curator releases, instead of what a player sends. */
  readonly central?: boolean;
}

/** What a kind of protocols returns to each command. `run` returns nothing if it has already printed everything. */
export interface Answers {
  readonly run: RunShown | undefined;
  readonly certify: readonly CertificateDocument[] | { readonly refuted: readonly RefutedDocument[] };
  readonly audit: AuditRequest;
  readonly forecast: Shown;
}

/** One command, as a kind of protocols answers it. */
export interface Answer<Of, Given> {
  /** What it does, in a few words, for the list of protocols. */
  readonly offers: string | ((study: Of) => string);
  /** Whether it exists for this study; by default it exists for all of the kind. */
  has?(study: Of): boolean;
  /** All its options by name, in the order of the help. */
  readonly options: OptionSet;
  /** The options that this study does not have; by default it has all. */
  without?(study: Of): readonly string[];
  /** Notes below the help. */
  readonly notes?: string;
  /** The command itself. `word` is the protocol as typed: a name, or a module file. `workforce` does the jobs of a run. */
  does(study: Of, options: never, word: string, workforce: Workforce): Promise<Given>;
}

/** A kind of protocols for the command line: how each command is answered. A command without an answer is refused. */
export type StudyKind<Of extends AnyStudy> = {
  readonly [name in ProtocolCommand]?: Answer<Of, Answers[name]>;
} & {
  /** Why an option is refused if no other reason is known: the end of `expected none: …`. */
  lacks(protocol: string): string;
};

/** An answer whose command gets the values of its own options. */
export function answer<Of, Options extends OptionSet, Given>(
  given: Omit<Answer<Of, Given>, 'options' | 'does'> & {
    readonly options: Options;
    does(study: Of, options: Values<Options>, word: string, workforce: Workforce): Promise<Given>;
  },
): Answer<Of, Given> {
  return given as unknown as Answer<Of, Given>;
}

type AnyProtocol = Pick<
  Protocol<PublicParameters, never, unknown, unknown, unknown, never>,
  'name' | 'theory' | 'make'
>;

/** The request for each variant, the default variants, and the named variants. */
export interface Asked {
  readonly variants: readonly string[];
  readonly named: readonly string[] | undefined;
  readonly grade: Grade;
  request(variant: string): PlainRequest;
}

/**
 * The certificates of the variants named, or of all that have the requested grade.
 *
 * @throws TypeError or RangeError naming the option.
 */
export function certificatesOf(
  protocol: AnyProtocol,
  { variants, named, grade, request }: Asked,
): readonly CertificateDocument[] {
  const certificates = (named ?? variants).flatMap((variant) => {
    try {
      return [certificateOf(protocol, { ...request(variant), variant, grade })];
    } catch (error) {
      // A variant without this grade, which was not requested by name.
      if (named === undefined && error instanceof GradeError) return [];
      throw error;
    }
  });
  if (certificates.length === 0) throw new RefusedValue('grade', `one that ${protocol.name} has`, grade);
  return certificates;
}

function certificateOf(
  { make, name, ...protocol }: AnyProtocol,
  request: PlainRequest & { readonly variant: string; readonly grade: Grade },
): CertificateDocument {
  if (make === undefined) throw new RefusedValue('protocol', 'one that can be certified', name);
  const parameters = make(request);
  const { variant, grade } = request;
  // A variant without grades must not look like one that has them.
  if ((parameters.grade ?? 'simulation') === grade) return certify({ name, make, ...protocol }, parameters, request);
  throw new GradeError('grade', `simulation for variant ${variant} of ${name}`, grade);
}

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
 *
 * @throws TypeError or RangeError naming the option, the file, the column or the row.
 */
export async function showRun(play: () => Promise<RunShown | undefined>, options: ResultOptions): Promise<void> {
  const folder = folderOf(options);
  if (folder !== undefined) await checkFolder('out', folder);
  else if (options.open === true) throw new RefusedValue(NO_PAGE);
  const shown = await play();
  if (shown === undefined) return;
  const { document, result, written = [] } = shown;
  const json = jsonText(document);
  if (folder !== undefined) {
    const { resultLines, resultPage } = await import('../report/result.ts');
    const found = await result();
    const files = await writeTogether('out', folder, {
      'result.json': json,
      'report.html': resultPage(document, found),
    });
    if (options.open === true) await openLast(files);
    const paths = [...written, ...files].map((file) => `wrote ${file}`);
    if (options.ndjson !== true && options.json !== true) print([...resultLines(document, found), '', ...paths]);
  }
  if (options.ndjson !== true && options.json === true) printJson(json);
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
