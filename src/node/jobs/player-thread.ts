import { Worker } from 'node:worker_threads';
import type { Typed } from '../commands/kinds.ts';
import type { Answer } from '../refused.ts';
import type { Done } from './jobs.ts';

/** What the thread of a run is made with. */
export interface PlayerData {
  /** The protocol. */
  readonly word: string;
  /** The options, whose files are those of this machine. */
  readonly typed: Typed;
  /** Where the flights are, if the run is about them. */
  readonly flights: string | undefined;
  readonly threads: number;
}

/** One job of a run. */
export interface AskedJob {
  readonly list: { readonly name: string; readonly common?: object };
  readonly given: object;
}

/** What became of a job: its result, a refusal, or the calls that led to an error of the program. */
export type JobAnswer = Answer<Done> | { readonly broken: string };

/** A thread that holds one run. */
export interface PlayerThread {
  does(job: AskedJob): Promise<JobAnswer>;
  /** Jobs that are not done yet. */
  readonly busy: number;
  end(): Promise<unknown>;
}

/** Starts a thread that reads the data of a run and then does its jobs. */
export function startPlayer(data: PlayerData): PlayerThread {
  const thread = new Worker(new URL('./player.js', import.meta.url), { workerData: data });
  const waiting = new Map<number, (answer: JobAnswer) => void>();
  let asked = 0;
  const give = (id: number, answer: JobAnswer): void => {
    waiting.get(id)?.(answer);
    waiting.delete(id);
  };
  thread.on('message', ({ id, answer, broken }: { id: number; answer?: Answer<Done>; broken: string }) =>
    give(id, answer ?? { broken }),
  );
  thread.on('error', (error) => {
    for (const id of waiting.keys()) give(id, { broken: error.stack ?? String(error) });
  });
  return {
    does: (job) =>
      new Promise((resolve) => {
        waiting.set(asked, resolve);
        thread.postMessage({ id: asked++, ...job });
      }),
    get busy() {
      return waiting.size;
    },
    end: () => thread.terminate(),
  };
}
