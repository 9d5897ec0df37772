import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { ROOT } from './command-line.ts';

/** Who waits for an answer. */
interface Waiting {
  done(answer: unknown): void;
  failed(error: Error): void;
}

/**
 * One process of a script for all requests of the calling file, started by the first. The script answers each message with one, in
 * their order.
 */
export function forkedHost(script: string): (request: object) => Promise<unknown> {
  let host: ChildProcess | undefined;
  const waiting: Waiting[] = [];
  const start = (): ChildProcess => {
    const child = fork(join(ROOT, script), { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
    child.on('message', (answer) => waiting.shift()?.done(answer));
    child.on('close', (status) => {
      for (const { failed } of waiting.splice(0)) failed(new Error(`${script} ended with ${status}: ${said}`));
    });
    return child;
  };
  afterAll(async () => {
    if (host === undefined) return;
    const closed = once(host, 'close');
    host.kill();
    await closed;
  });
  return (request) =>
    new Promise((done, failed) => {
      host ??= start();
      waiting.push({ done, failed });
      host.send(request);
    });
}
