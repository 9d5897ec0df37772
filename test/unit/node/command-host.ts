import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { type Ending, ofCheckout, ROOT, withoutProgress } from './command-line.ts';

/** Runs a command of the built package, or of the checkout, in a folder, to its end. */
export type Host = (folder: string, words: readonly string[]) => Promise<Ending>;

/** Who waits for the end of a command. */
interface Waiting {
  done(ending: Ending): void;
  failed(error: Error): void;
}

/**
 * One process for all commands of the calling file, which it runs in the order of the calls: see command-host.mjs. That a process
 * of its own ends the same way is tried in exit-codes.test.ts and by the long tests of the command line.
 */
export function commandHost(): Host {
  let host: ChildProcess | undefined;
  const waiting: Waiting[] = [];
  const start = (): ChildProcess => {
    const stdio = ['ignore', 'ignore', 'pipe', 'ipc'] as const;
    const child = fork(join(ROOT, 'test/unit/node/command-host.mjs'), { stdio: [...stdio] });
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
    child.on('message', (ending: Ending) => {
      waiting.shift()?.done({ ...ending, stderr: withoutProgress(ending.stderr) });
    });
    child.on('close', (status) => {
      for (const { failed } of waiting.splice(0))
        failed(new Error(`the host of commands ended with ${status}: ${said}`));
    });
    return child;
  };
  afterAll(async () => {
    if (host === undefined) return;
    const closed = once(host, 'close');
    host.kill();
    await closed;
  });
  return (folder, words) =>
    new Promise((done, failed) => {
      host ??= start();
      waiting.push({ done, failed });
      host.send({ folder, words, checkout: ofCheckout(words) });
    });
}
