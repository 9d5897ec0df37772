import { type Answered, type Bench, createBench, type Fit, type Plan, type Task, type Truth } from './tasks.ts';

/** What the page sends to a worker: first the plan of a run, then tasks, one at a time. */
export type ToWorker = { readonly plan: Plan } | { readonly work: Task };

/** What a worker sends back. */
export type FromWorker = { readonly result: Answered | Fit | Truth } | { readonly refused: string };

/** The program of a worker. */
export function serve(scope: {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
}): void {
  let bench: Bench | undefined;
  scope.onmessage = ({ data }) => {
    try {
      if ('plan' in data) bench = createBench(data.plan);
      else if (bench !== undefined) scope.postMessage({ result: done(bench, data.work) });
    } catch (error) {
      scope.postMessage({ refused: String(error) });
    }
  };
}

function done(bench: Bench, work: Task): Answered | Fit | Truth {
  return work.task === 'fit' ? bench.fit(work.tally, work.chunks) : bench[work.task](work.chunks);
}
