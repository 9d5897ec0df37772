import type { Plan, Task } from './tasks.ts';
import type { FromWorker, ToWorker } from './worker.ts';

/** Some workers of one run. Each does one task at a time. */
interface Crew {
  /** Gives the next task to a worker as soon as one is free; urgent tasks come before all others. */
  give(task: Task, urgent: boolean, done: (result: never) => void): void;
  /** Ends all workers. */
  dismiss(): void;
}

interface Order {
  readonly task: Task;
  readonly done: (result: never) => void;
}

/**
 * Workers that run the given program, one for each processor but not more than eight. The program is started from a Blob,
 * so that a page that was opened from a folder has workers too.
 */
export function hire(program: string, plan: Plan, refused: (why: string) => void): Crew {
  const size = Math.max(2, Math.min(8, navigator.hardwareConcurrency));
  const address = URL.createObjectURL(new Blob([program], { type: 'text/javascript' }));
  const urgent: Order[] = [];
  const usual: Order[] = [];
  const idle: Worker[] = [];
  const busy = new Map<Worker, Order>();

  const send = (worker: Worker, message: ToWorker) => worker.postMessage(message);
  const turn = () => {
    while (idle.length > 0) {
      const order = urgent.shift() ?? usual.shift();
      if (order === undefined) return;
      const worker = idle.shift()!;
      busy.set(worker, order);
      send(worker, { work: order.task });
    }
  };
  const workers = Array.from({ length: size }, () => {
    const worker = new Worker(address);
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if ('refused' in data) return refused(data.refused);
      const order = busy.get(worker)!;
      busy.delete(worker);
      idle.push(worker);
      order.done(data.result as never);
      turn();
    };
    worker.onerror = (event) => refused(event.message);
    send(worker, { plan });
    return worker;
  });
  idle.push(...workers);

  return {
    give(task, first, done) {
      (first ? urgent : usual).push({ task, done });
      turn();
    },
    dismiss() {
      urgent.length = usual.length = 0;
      for (const worker of workers) worker.terminate();
      URL.revokeObjectURL(address);
    },
  };
}
