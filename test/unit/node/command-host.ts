import { type Ending, ofCheckout, withoutProgress } from './command-line.ts';
import { forkedHost } from './forked-host.ts';

/** Runs a command of the built package, or of the checkout, in a folder, to its end. */
type Host = (folder: string, words: readonly string[]) => Promise<Ending>;

/**
 * One process for all commands of the calling file, which it runs in the order of the calls: see command-host.mjs. That a process
 * of its own ends the same way is tried in exit-codes.test.ts and by the long tests of the command line.
 */
export function commandHost(): Host {
  const answer = forkedHost('test/unit/node/command-host.mjs');
  return async (folder, words) => {
    const ending = (await answer({ folder, words, checkout: ofCheckout(words) })) as Ending;
    return { ...ending, stderr: withoutProgress(ending.stderr) };
  };
}
