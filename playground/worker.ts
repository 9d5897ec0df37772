import { type Answered, type Bench, createBench, type Fit, type Plan, type Task, type Truth } from './tasks.ts';

/** What the page sends to a worker: first the plan of a run, then tasks, one at a time. */
export type ToWorker = { readonly plan: Plan } | { readonly work: Task };

/** What a worker sends back. */
export type FromWorker =
  | { readonly done: 'answer'; readonly result: Answered }
  | { readonly done: 'fit'; readonly result: Fit }
  | { readonly done: 'truth'; readonly result: Truth }
  | { readonly done: 'refused'; readonly why: string };

/** The program of a worker. */
export function serve(scope: {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
}): void {
  let bench: Bench | undefined;
  scope.onmessage = ({ data }) => {
    try {
      if ('plan' in data) bench = createBench(data.plan);
      else if (bench !== undefined) scope.postMessage(done(bench, data.work));
    } catch (error) {
      scope.postMessage({ done: 'refused', why: String(error) });
    }
  };
}

function done(bench: Bench, work: Task): FromWorker {
  if (work.task === 'answer') return { done: 'answer', result: bench.answer(work.chunks) };
  if (work.task === 'fit') return { done: 'fit', result: bench.fit(work.tally, work.chunks) };
  return { done: 'truth', result: bench.truth(work.chunks) };
}
