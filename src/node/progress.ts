import cliProgress from 'cli-progress';
import { brief } from '../check/printable.ts';
import { progressStream } from './print.ts';

/** Shows a person what the program is doing. */
export interface Progress {
  /** A new task begins, and the previous one is done; without a total its length is not known yet. */
  begin(task: string, total?: number): void;
  /** So much of the task is done. */
  advance(done: number): void;
  /** There are no more tasks. */
  end(): void;
}

/** Characters of a bar: together with the name of a task it fits on a line of eighty. */
const BAR = 26;

/**
 * Progress on a stream that the result does not use: a bar on a terminal, otherwise one line for each task.
 */
export function createProgress(stream: NodeJS.WriteStream = progressStream()): Progress {
  return stream.isTTY === true ? barOn(stream) : linesOn(stream);
}

/** Reads records, and reports their number as soon as the file states it. */
export async function reading<Records>(
  { begin, advance, end }: Progress,
  read: (onProgress: (records: number, expected: number) => void) => Promise<Records>,
): Promise<Records> {
  const task = 'reading the records';
  let begun = false;
  begin(task);
  try {
    return await read((records, expected) => {
      if (!begun) begin(task, expected);
      begun = true;
      advance(records);
    });
  } finally {
    end();
  }
}

function barOn(stream: NodeJS.WriteStream): Progress {
  let bar: cliProgress.SingleBar | undefined;
  const end = (): void => {
    bar?.stop();
    bar = undefined;
  };
  return {
    end,
    begin(task, total) {
      end();
      if (total === undefined) return;
      const format = `{task} {bar} {percentage} % · {eta_formatted} left`;
      bar = new cliProgress.SingleBar(
        { stream, format, barsize: BAR, clearOnComplete: true },
        cliProgress.Presets.shades_classic,
      );
      bar.start(total, 0, { task: brief(task) });
    },
    advance: (done) => bar?.update(done),
  };
}

function linesOn(stream: NodeJS.WritableStream): Progress {
  let current: string | undefined;
  return {
    begin(task) {
      if (task !== current) stream.write(`${brief(task)}\n`);
      current = task;
    },
    advance() {},
    end() {
      current = undefined;
    },
  };
}
