import { availableParallelism } from 'node:os';
import type { PublicParameters, Server } from '../../core/contract.ts';
import type { Progress } from '../progress.ts';

// A run is a list of jobs and what is made of their results. Jobs can be done anywhere, since each is a function of the request of
// the run and of what it is given; results are used in the order of the list, so that sums of floating point are the same bits
// wherever the jobs were done. Who does them: this process (below), parts of a batch (request.ts), or workers (remote.ts).

/** The jobs of a run by name. What they are given, and their results, are plain data: a copy of them is as good. */
export interface Jobs {
  readonly [name: string]: (given: never) => unknown;
}

/** Jobs of one name. */
export interface JobList<Given extends object, Result> {
  readonly name: string;
  /** What all of them are given: it is sent once. */
  readonly common?: object;
  /** What each of them is given beside it. */
  readonly given: readonly Given[];
  /** Receives the results, in the order of the list, and how many seconds each job took. */
  readonly merge: (result: Result, place: number, seconds: number) => void;
  /** How large a job is, as in `onProgress`: its players; 1 by default. */
  readonly size?: (given: Given) => number;
  /** Receives the sizes of the jobs that are done together, and a note for the person who waits. */
  readonly onProgress?: (done: number, note?: string) => void;
  /** True where the jobs are given what others resulted in: no part has them, and they are done where parts are merged. */
  readonly late?: true;
}

/** The work of one run. */
export interface Work {
  /** False where only some of the jobs are done, and nothing is merged: then the run ends after its lists. */
  readonly whole: boolean;
  /**
   * Does the jobs of a list, and returns how many seconds it took: by the clock, or, where parts are merged, those of all jobs.
   * @throws what a job refuses.
   */
  all<Given extends object, Result>(list: JobList<Given, Result>): Promise<number>;
}

/** Who does the jobs of a run. */
export interface Workforce {
  /** The work of a run with these jobs; undefined where others ask for its jobs, and the run ends. */
  open(jobs: Jobs): Promise<Work | undefined>;
}

/** The result of a job. */
export interface Done<Result = unknown> {
  readonly result: Result;
  /** How many seconds it took where it was done. */
  readonly seconds: number;
}

/** Does one job here. */
export async function doHere<Result>(
  jobs: Jobs,
  { name, common }: Pick<JobList<object, unknown>, 'name' | 'common'>,
  given: object,
): Promise<Done<Result>> {
  const begun = performance.now();
  const result = (await jobs[name]({ ...common, ...given } as never)) as Result;
  return { result, seconds: (performance.now() - begun) / 1000 };
}

/** Does the jobs of a list, `width` of them at once, and merges in its order; a first failure waits for all begun. */
export async function doList<Given extends object, Result>(
  { given, merge, size = () => 1, onProgress }: JobList<Given, Result>,
  width: number,
  doOne: (given: Given, place: number) => Promise<Done<Result>>,
  note?: () => string,
): Promise<number> {
  const begun = performance.now();
  // Results that were ready before an earlier one.
  const early = new Map<number, Done<Result>>();
  const failures: unknown[] = [];
  let [begunJobs, merged, done] = [0, 0, 0];
  const work = async (): Promise<void> => {
    while (begunJobs < given.length && failures.length === 0) {
      const place = begunJobs++;
      try {
        early.set(place, await doOne(given[place], place));
        for (let next = early.get(merged); next !== undefined; next = early.get(++merged)) {
          early.delete(merged);
          merge(next.result, merged, next.seconds);
        }
      } catch (error) {
        failures.push(error);
        return;
      }
      done += size(given[place]);
      onProgress?.(done, note?.());
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, given.length) }, work));
  if (failures.length > 0) throw failures[0];
  return (performance.now() - begun) / 1000;
}

/** The work of a run of which this process does all jobs: two for each thread, so that none waits for the next. */
export function workHere(jobs: Jobs, threads: number = availableParallelism()): Work {
  return {
    whole: true,
    all: (list) => doList(list, 2 * threads, (given) => doHere(jobs, list, given)),
  };
}

/** All jobs are done by this process. */
export function playHere(threads?: number): Workforce {
  return { open: async (jobs) => workHere(jobs, threads) };
}

/** Jobs that are alike: one for each case and repetition. */
interface Cases {
  readonly cases: number;
  readonly repetitions: number;
  /** What a person sees of it. */
  readonly task: string;
  readonly progress: Progress;
}

/** The results of every case, in the order of its repetitions; undefined where others do jobs, and the run ends. */
export async function playCases<Result>(
  workforce: Workforce,
  { cases, repetitions, task, progress }: Cases,
  play: (index: number, repetition: number) => Result,
): Promise<readonly (readonly Done<Result>[])[] | undefined> {
  const found = Array.from({ length: cases }, (): Done<Result>[] => []);
  const given = Array.from({ length: cases * repetitions }, (_, job) => ({
    index: Math.floor(job / repetitions),
    repetition: job % repetitions,
  }));
  const work = await workforce.open({
    play: ({ index, repetition }: (typeof given)[number]) => play(index, repetition),
  });
  if (work === undefined) return undefined;
  progress.begin(task, given.length);
  await work.all({
    name: 'play',
    given,
    merge: (result: Result, place, seconds) => found[given[place].index].push({ result, seconds }),
    onProgress: progress.advance,
  });
  progress.end();
  return work.whole ? found : undefined;
}

/** The tally of all players by the jobs `reports` of a run, one for each block, and how many seconds they took. */
export async function tallyReports<Parameters extends PublicParameters, Tally>(
  work: Work,
  server: Pick<Server<Parameters, never, Tally, never, unknown>, 'empty' | 'merge'>,
  parameters: Parameters,
  { players, ...list }: { readonly players: number } & Pick<JobList<object, Tally>, 'common' | 'onProgress'>,
): Promise<{ readonly tally: Tally; readonly seconds: number }> {
  // Loaded where a run has it anyway: every command loads this file.
  const { blocksOf } = await import('../../simulation/sum-law.ts');
  const tally = server.empty(parameters);
  const seconds = await work.all({
    name: 'reports',
    given: blocksOf(players, 1).map(({ from, to }) => ({ from, to })),
    merge: (part: Tally) => server.merge(parameters, tally, part),
    size: ({ from, to }) => to - from,
    ...list,
  });
  return { tally, seconds };
}
