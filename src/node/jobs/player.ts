import { parentPort, workerData } from 'node:worker_threads';
import { placeFlights } from '../flights.ts';
import { answering } from '../refused.ts';
import { doHere, type Jobs } from './jobs.ts';
import type { AskedJob, PlayerData } from './remote.ts';
import { playRequest } from './request.ts';

// The thread of a worker that holds one run, read and ready: it plays the run up to its jobs, and then does those that it is
// asked for. A thread of its own, so that the worker can say that it lives while a long job is done.

const port = parentPort!;
const { word, typed, placed, threads } = workerData as PlayerData;
placeFlights(placed);

const jobs = new Promise<Jobs>((ready, failed) => {
  const never = new Promise<undefined>(() => undefined);
  const open = (known: Jobs): Promise<undefined> => {
    ready(known);
    return never;
  };
  playRequest({ word, typed }, { open }, threads).then(() => failed(new Error('a run without jobs')), failed);
});
// Who asks for a job hears of it.
jobs.catch(() => undefined);

const answer = answering(async ({ list, given }: AskedJob) => doHere(await jobs, list, given));
port.on('message', async ({ id, ...job }: AskedJob & { readonly id: number }) => {
  try {
    port.postMessage({ id, answer: await answer(job) });
  } catch (error) {
    port.postMessage({ id, broken: (error as Error).stack ?? String(error) });
  }
});
