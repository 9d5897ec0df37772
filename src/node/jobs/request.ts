import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { RunShown } from '../commands/answer.ts';
import { type Asked, loadAnswer, optionsOf, type Typed } from '../commands/asked.ts';
import { fileRefusal } from '../files.ts';
import { locateFlights } from '../flights.ts';
import { isPath } from '../module-file.ts';
import { packageVersion } from '../origin.ts';
import type { Workforce } from './jobs.ts';

/** A file that a run reads. */
export interface ReadFile {
  readonly path: string;
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly digest: string;
}

/** What decides the results of a run, to the last bit. Plain data. */
export interface RunRequest {
  /** What computes it: see {@link engine}. */
  readonly version: string;
  /** The protocol: a name, or a module file. */
  readonly word: string;
  /** The options, but for those that say who does the work and where results go. */
  readonly typed: Typed;
  /** The files, by the option that names them, `protocol` for the module file, or `flights`. */
  readonly files: { readonly [name: string]: ReadFile };
}

/** Options that say who does the work, and where results go. */
const OUTSIDE: readonly string[] = ['part', 'workers', 'threads', 'out', 'json', 'open'];
/** Options that name files to read; a request may also be written out. */
const FILES: readonly string[] = ['data', 'schema', 'request'];

/** What computes: results are the same bits only by the same code, and the same mathematical functions of the engine. */
export function engine(): string {
  return `ldpkit ${packageVersion()}, V8 ${process.versions.v8}, ${process.arch}`;
}

/** The request of a run that was typed, with the digests of the files as they are now. */
export async function requestOf({ word, study, typed }: Asked): Promise<RunRequest> {
  const kept = Object.fromEntries(Object.entries(typed).filter(([name]) => !OUTSIDE.includes(name)));
  const named = FILES.flatMap((name) => {
    const path = kept[name];
    return typeof path !== 'string' || path.trimStart().startsWith('{') ? [] : [[name, path] as const];
  });
  if (isPath(word)) named.push(['protocol', word]);
  if (study.kind !== 'plain' && kept.data === undefined) named.push(['flights', locateFlights()]);
  const files = await Promise.all(
    named.map(async ([name, path]) => [name, { path, digest: await fileDigest(name, path) }]),
  );
  return { version: engine(), word, typed: kept, files: Object.fromEntries(files) };
}

/** The same request with files at other places, by their names. */
export function withFiles(request: RunRequest, paths: { readonly [name: string]: string | undefined }): RunRequest {
  const moved = Object.entries(paths).flatMap(([name, path]) => (path === undefined ? [] : [[name, path]]));
  return { ...request, typed: { ...request.typed, ...Object.fromEntries(moved) } };
}

/** What the results of two requests may differ by, as a plain text; undefined where it is nothing. */
export function differenceOf(one: RunRequest, other: RunRequest): string | undefined {
  if (one.version !== other.version) return `another version (${one.version} and ${other.version})`;
  const names = [...new Set([...Object.keys(one.typed), ...Object.keys(other.typed)])];
  const options = names.filter((name) => !(name in one.files && name in other.files));
  const differing = options.filter((name) => one.typed[name] !== other.typed[name]);
  // A module file may have another place; its content counts.
  if (!('protocol' in one.files && 'protocol' in other.files) && one.word !== other.word) differing.push('protocol');
  if (differing.length > 0) return `another request (${differing.join(', ')})`;
  const files = [...new Set([...Object.keys(one.files), ...Object.keys(other.files)])];
  const others = files.filter((name) => one.files[name]?.digest !== other.files[name]?.digest);
  return others.length > 0 ? `other content of ${others.join(' and ')}` : undefined;
}

/** Plays a request, as `ldpkit run` would do; a kind that knows threads gets so many. */
export async function playRequest(
  { word, typed }: Pick<RunRequest, 'word' | 'typed'>,
  workforce: Workforce,
  threads?: number,
): Promise<RunShown | undefined> {
  const { study, answer } = await loadAnswer('run', word);
  const known = threads !== undefined && 'threads' in answer.options ? { threads: String(threads) } : {};
  return answer.does(study, optionsOf(study, answer.options, { ...typed, ...known }) as never, word, workforce);
}

/** The words of the command that plays a request on one machine, with the options of its output. */
export function commandOf({ word, typed }: Pick<RunRequest, 'word' | 'typed'>, output: Typed): readonly string[] {
  const options = Object.entries({ ...typed, ...output }).filter(([name]) => name in output || !OUTSIDE.includes(name));
  const dashed = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return [
    'run',
    word,
    ...options.flatMap(([name, value]) => (value === true ? [dashed(name)] : [dashed(name), value])),
  ];
}

/**
 * SHA-256 of a file.
 *
 * @throws RangeError naming the option where it cannot be read.
 */
export async function fileDigest(option: string, path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch {
    throw fileRefusal(option, 'a file that can be read', path);
  }
  return hash.digest('hex');
}
