import { setTimeout as pause } from 'node:timers/promises';
import { counted, type Progress, tell } from 'ldpkit/node';
import type { ChunkComputer } from '../engine/chunk-threads.ts';

/** Exit code of a program that was interrupted, as shells have it: 128 and the number of the signal. */
const INTERRUPTED = 130;
/** How long a program that was interrupted waits for workers that are told to leave its chunks, in ms. */
const PATIENCE = 2000;

/**
 * Computes chunks that a folder keeps, and ends the computer. Where the program is interrupted meanwhile it says how many are kept,
 * and ends; `compute` is given the computer, and the progress that counts them.
 */
export async function stoppable<Result>(
  folder: string | undefined,
  progress: Progress,
  open: () => Promise<ChunkComputer>,
  compute: (computer: ChunkComputer, counting: Progress) => Promise<Result>,
): Promise<Result> {
  const computer = await open();
  let kept: number | undefined;
  const counting: Progress = {
    ...progress,
    advance(done) {
      kept = done;
      progress.advance(done);
    },
  };
  const stop = (): void => {
    progress.end();
    tell([`ldpkit: ${stoppedText(folder, kept)}`]);
    Promise.race([computer.leave?.().catch(() => undefined), pause(PATIENCE)]).then(() => process.exit(INTERRUPTED));
  };
  process.once('SIGINT', stop);
  try {
    return await compute(computer, counting);
  } finally {
    process.off('SIGINT', stop);
    await computer.close();
  }
}

/** What is left of a computation that was stopped; `kept` is undefined while nobody has counted yet. */
export function stoppedText(folder: string | undefined, kept: number | undefined): string {
  if (folder === undefined) return 'stopped; nothing is kept, for there is no --out';
  const chunks = kept === undefined ? 'finished chunks are' : counted(kept, 'chunk');
  return `stopped; ${chunks} kept in ${folder}, the same command goes on`;
}
