import cliProgress from 'cli-progress';
import { brief } from '../check/refusal.ts';
import { progressStream, wholeNumber } from './print.ts';

/** Shows a person what the program is doing. */
export interface Progress {
  /** A new task begins, and the previous one is done; without a total its length is not known yet. */
  begin(task: string, total?: number): void;
  /** So much of the task is done; the note says more about it. */
  advance(done: number, note?: string): void;
  /** There are no more tasks. */
  end(): void;
}

/** Characters of a bar: together with the name of a task it fits on a line of eighty. */
const BAR = 26;
/** Milliseconds between two lines about one task where there is no terminal. */
const PAUSE = 10_000;

/**
 * Progress on a stream that the result does not use: a bar on a terminal, otherwise a line for each task and one every
 * ten seconds. `now` is a clock in milliseconds.
 */
export function createProgress(
  stream: NodeJS.WriteStream = progressStream(),
  now: () => number = () => performance.now(),
): Progress {
  return stream.isTTY === true ? barOn(stream) : linesOn(stream, now);
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
      const format = `{task} {bar} {percentage} % · {eta_formatted} left{note}`;
      bar = new cliProgress.SingleBar(
        { stream, format, barsize: BAR, clearOnComplete: true },
        cliProgress.Presets.shades_classic,
      );
      bar.start(total, 0, { task: brief(task), note: '' });
    },
    advance: (done, note) => bar?.update(done, note === undefined ? {} : { note: ` · ${brief(note)}` }),
  };
}

function linesOn(stream: NodeJS.WritableStream, now: () => number): Progress {
  let current: string | undefined;
  let expected: number | undefined;
  let last = 0;
  const say = (text: string): void => {
    stream.write(`${text}\n`);
    last = now();
  };
  return {
    begin(task, total) {
      if (task !== current) say(brief(task));
      current = task;
      expected = total;
    },
    advance(done, note) {
      if (current === undefined || now() - last < PAUSE) return;
      const share = expected === undefined ? '' : ` (${Math.floor((100 * done) / expected)} %)`;
      const of = expected === undefined ? '' : ` of ${wholeNumber(expected)}`;
      const more = note === undefined ? '' : `; ${brief(note)}`;
      say(`${brief(current)}: ${wholeNumber(done)}${of}${share}${more}`);
    },
    end() {
      current = undefined;
    },
  };
}
