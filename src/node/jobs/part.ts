import { createHash } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { RefusedValue } from '../../check/refusal.ts';
import type { PartOf } from '../commands/options.ts';
import { checkFolder, fileRefusal, makeFolder, parseJson } from '../files.ts';
import { type Done, doHere, doList, type JobList, type Workforce, workHere } from './jobs.ts';
import { differenceOf, type RunRequest } from './request.ts';

// A part of a run as a file: a line that says what it is, a line of JSON that says of what, the results of its jobs as a
// structured clone, and at the end the SHA-256 of all of that. Jobs are counted through the whole run; part k of n has every n-th.

const FIRST_LINE = Buffer.from('ldpkit part, form 1\n');
const DIGEST_BYTES = 32;

/** What a part says of itself. */
interface PartHead extends PartOf {
  readonly request: RunRequest;
}

/** A part that was read. */
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
  await checkFolder('out', dirname(path));
  const { part, parts } = head;
  const jobs = new Map<number, Done>();
  let counted = 0;
  const all = async <Given extends object, Result>(list: JobList<Given, Result>): Promise<number> => {
    if (list.late) return 0;
    const first = counted;
    counted += list.given.length;
    const own = list.given.map((given, place) => ({ given, number: first + place }));
    const { size = () => 1 } = list;
    return doList(
      {
        ...list,
        given: own.filter(({ number }) => number % parts === part - 1),
        size: ({ given }) => size(given),
        merge: () => undefined,
      },
      // One for each thread, so that the seconds of a job are its own.
      threads,
      async ({ given, number }) => {
        const done = await doHere<Result>(here, list, given);
        jobs.set(number, done);
        return done;
      },
    );
  };
  let here = {};
  await play({
    async open(known) {
      here = known;
      return { whole: false, all };
    },
  });
  const body = Buffer.concat([FIRST_LINE, Buffer.from(`${JSON.stringify(head)}\n`), serialize(jobs)]);
  const draft = `${path}.${process.pid}.draft`;
  try {
    await makeFolder(dirname(path));
    await writeFile(draft, Buffer.concat([body, createHash('sha256').update(body).digest()]));
    await rename(draft, path);
  } catch {
    await rm(draft, { force: true }).catch(() => undefined);
    throw fileRefusal('out', 'a file that can be written', path);
  }
  return jobs.size;
}

/**
 * A part as it was written.
 *
 * @throws RangeError for a file that is damaged, cut off, or no part at all.
 */
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

/**
 * All parts of one run.
 *
 * @throws RangeError where a part is missing, is there twice, or is of another version, request or data set than the first.
 */
export async function readParts(paths: readonly string[]): Promise<readonly Part[]> {
  const found = new Map<number, Part>();
  for (const path of paths) {
    const part = await readPart(path);
    const [first = part] = found.values();
    const difference =
      differenceOf(first.request, part.request) ??
      (part.parts === first.parts ? undefined : `another number of parts (${first.parts} and ${part.parts})`);
    if (difference !== undefined) {
      throw new RefusedValue(
        `"part" expected parts of one run, got ${difference} in ${shown(first)} and ${shown(part)}`,
      );
    }
    const twice = found.get(part.part);
    if (twice !== undefined) {
      throw new RefusedValue(
        `"part" expected each part once, got part ${part.part} twice, in ${shown(twice)} and ${shown(part)}`,
      );
    }
    found.set(part.part, part);
  }
  const [{ parts }] = found.values();
  const missing = Array.from({ length: parts }, (_, i) => i + 1).filter((number) => !found.has(number));
  if (missing.length > 0) {
    const few = missing.slice(0, 20).join(', ');
    throw new RefusedValue(
      `"part" expected all ${parts} parts, got none of number ${few}${missing.length > 20 ? ', …' : ''}`,
    );
  }
  return [...found.values()];
}

const shown = ({ path }: Part): string => JSON.stringify(path);

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
