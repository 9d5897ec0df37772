import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { deserialize, serialize } from 'node:v8';
import { RefusedValue } from '../../check/refusal.ts';
import type { PartOf } from '../commands/options.ts';
import { checkFile, fileRefusal, parseJson, writeWhole } from '../files.ts';
import { locateAirports, locateFlights } from '../flights.ts';
import { packageVersion } from '../run-program.ts';
import { type Asked, commandOf as commandIn, openStudy, readOptions, type Typed } from '../studies.ts';
import { isPath, type RunShown } from '../study.ts';
import { type Done, doHere, doList, type JobList, type Workforce, workHere } from './jobs.ts';

export interface ReadFile {
  readonly path: string;
  readonly digest: string;
}

/** What decides the results of a run, to the last bit. Plain data: the protocol, and the options but for {@link OUTSIDE}. */
export interface RunRequest extends Pick<Asked, 'word' | 'typed'> {
  /** What computes it: see {@link engine}. */
  readonly version: string;
  /** The files, by the option that names them, `protocol` for the module file, or `flights`, with the `airports` of their points. */
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
  if (study.run?.flights === true && kept.data === undefined) {
    named.push(['flights', locateFlights()]);
    if (study.form === 'points') named.push(['airports', locateAirports()]);
  }
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
  // A file may have another place; its content counts.
  const areFiles = (name: string): boolean => name in one.files && name in other.files;
  const differing = Object.keys({ ...one.typed, ...other.typed }).filter(
    (name) => !areFiles(name) && one.typed[name] !== other.typed[name],
  );
  if (!areFiles('protocol') && one.word !== other.word) differing.push('protocol');
  if (differing.length > 0) return `another request (${differing.join(', ')})`;
  const files = Object.keys({ ...one.files, ...other.files });
  const others = files.filter((name) => one.files[name]?.digest !== other.files[name]?.digest);
  return others.length > 0 ? `other content of ${others.join(' and ')}` : undefined;
}

/** Plays a request, as `ldpkit run` would do; a kind that knows threads gets so many. */
export async function playRequest(
  { word, typed }: Pick<RunRequest, 'word' | 'typed'>,
  workforce: Workforce,
  threads?: number,
): Promise<RunShown | undefined> {
  const study = await openStudy(word);
  const { options, does } = commandIn('run', study);
  const known = threads !== undefined && 'threads' in options ? { threads: String(threads) } : {};
  return does(readOptions(study, options, { ...typed, ...known }), workforce);
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

/** SHA-256 of a file; refused where it cannot be read. */
export async function fileDigest(option: string, path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch {
    throw fileRefusal(option, 'a file that can be read', path);
  }
  return hash.digest('hex');
}

// A part of a run as a file: a line that says what it is, a line of JSON that says of what, the results of its jobs as a
// structured clone, and at the end the SHA-256 of all of that. Jobs are counted through the whole run; part k of n has every n-th.

const FIRST_LINE = Buffer.from('ldpkit part, form 1\n');
const DIGEST_BYTES = 32;

interface PartHead extends PartOf {
  readonly request: RunRequest;
}

interface Part extends PartHead {
  readonly path: string;
  /** The results of its jobs, by their number in the run. */
  readonly jobs: ReadonlyMap<number, Done>;
}

/** Plays a part of a request and writes it into a file; `play` plays the request by whoever does the jobs. */
export async function writePart(
  head: PartHead,
  path: string,
  threads: number,
  play: (workforce: Workforce) => Promise<unknown>,
): Promise<number> {
  await checkFile('out', path);
  const { part, parts } = head;
  const jobs = new Map<number, Done>();
  let counted = 0;
  const all = async <Given extends object, Result>(list: JobList<Given, Result>): Promise<number> => {
    if (list.late) return 0;
    const first = counted;
    counted += list.given.length;
    const own = list.given
      .map((given, place) => ({ given, number: first + place }))
      .filter(({ number }) => number % parts === part - 1);
    const given = own.map((one) => one.given);
    // One for each thread, so that the seconds of a job are its own.
    return doList({ ...list, given, merge: () => undefined }, threads, async (given, place) => {
      const done = await doHere<Result>(here, list, given);
      jobs.set(own[place].number, done);
      return done;
    });
  };
  let here = {};
  await play({
    async open(known) {
      here = known;
      return { whole: false, all };
    },
  });
  const body = Buffer.concat([FIRST_LINE, Buffer.from(`${JSON.stringify(head)}\n`), serialize(jobs)]);
  await writeWhole('out', path, Buffer.concat([body, createHash('sha256').update(body).digest()]));
  return jobs.size;
}

/** A part as it was written; refused where it is damaged, cut off, or no part at all. */
async function readPart(path: string): Promise<Part> {
  const bytes = await readFile(path).catch(() => {
    throw fileRefusal('part', 'a file that can be read', path);
  });
  if (!bytes.subarray(0, FIRST_LINE.length).equals(FIRST_LINE)) {
    throw fileRefusal('part', 'what ldpkit run --part wrote', path);
  }
  const body = bytes.subarray(0, -DIGEST_BYTES);
  if (!createHash('sha256').update(body).digest().equals(bytes.subarray(-DIGEST_BYTES))) {
    throw fileRefusal('part', 'a part that is neither damaged nor cut off: play it again', path);
  }
  const end = body.indexOf(10, FIRST_LINE.length);
  const head = parseJson(body.toString('utf8', FIRST_LINE.length, end));
  if ('fault' in head) throw fileRefusal('part', `a part with a line of ${head.fault}`, path);
  return { ...(head.value as PartHead), path, jobs: deserialize(body.subarray(end + 1)) as ReadonlyMap<number, Done> };
}

/** All parts of one run; refused where one is missing, there twice, or of another run than the first. */
export async function readParts(paths: readonly string[]): Promise<readonly Part[]> {
  const found = new Map<number, Part>();
  for (const path of paths) {
    const part = await readPart(path);
    const [first = part] = found.values();
    const difference =
      differenceOf(first.request, part.request) ??
      (part.parts === first.parts ? undefined : `another number of parts (${first.parts} and ${part.parts})`);
    if (difference !== undefined) refuse('parts of one run', `${difference} in ${both(first, part)}`);
    const twice = found.get(part.part);
    if (twice !== undefined) refuse('each part once', `part ${part.part} twice, in ${both(twice, part)}`);
    found.set(part.part, part);
  }
  const [{ parts }] = found.values();
  const missing = Array.from({ length: parts }, (_, i) => i + 1).filter((number) => !found.has(number));
  if (missing.length > 0) {
    const few = missing.slice(0, 20).join(', ');
    refuse(`all ${parts} parts`, `none of number ${few}${missing.length > 20 ? ', …' : ''}`);
  }
  return [...found.values()];
}

function refuse(expected: string, got: string): never {
  throw new RefusedValue(`"part" expected ${expected}, got ${got}`);
}

const both = (one: Part, other: Part): string => `${JSON.stringify(one.path)} and ${JSON.stringify(other.path)}`;

/** The jobs of parts, merged in the order of the run; jobs that no part has are done here. */
export function mergeParts(parts: readonly Part[], threads?: number): Workforce {
  return {
    async open(jobs) {
      const here = workHere(jobs, threads);
      let counted = 0;
      const all = async <Given extends object, Result>(list: JobList<Given, Result>): Promise<number> => {
        if (list.late) return here.all(list);
        const first = counted;
        counted += list.given.length;
        let seconds = 0;
        await doList(list, 1, async (_, place) => {
          const number = first + place;
          const done = parts.map((part) => part.jobs.get(number)).find((one) => one !== undefined);
          if (done === undefined) throw new Error(`no part has job ${number} of this run`);
          seconds += done.seconds;
          return done as Done<Result>;
        });
        return seconds;
      };
      return { whole: true, all };
    },
  };
}
