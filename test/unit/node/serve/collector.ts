import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from '@jest/globals';
import { certify } from '../../../../src/core/certify.ts';
import { MAIN } from '../command-line.ts';

/** A collector of the built package, in a process of its own. */
export interface Running {
  readonly address: string;
  /** Ends it as a person would, after all that it took is on the disk. */
  stop(): Promise<number | null>;
  /** Ends it at once: SIGKILL. */
  kill(): Promise<void>;
}

const running = new Set<ChildProcess>();
const folders = new Set<string>();

afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders.clear();
});

/** A folder of this test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ldpkit-collect-'));
  folders.add(folder);
  return folder;
}

/** Writes the plan of parameters into a folder; its path. */
export function writePlan(
  folder: string,
  protocol: Parameters<typeof certify>[0],
  parameters: Parameters<typeof certify>[1],
): string {
  const path = join(folder, `${parameters.digest}.json`);
  writeFileSync(path, JSON.stringify(certify(protocol, parameters)));
  return path;
}

/** Starts `ldpkit serve` on a free port, and waits until it listens. */
export async function startCollector(words: readonly string[]): Promise<Running> {
  const child = spawn(process.execPath, [MAIN, 'serve', ...words, '--port', '0', '--rate', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const ended = new Promise<number | null>((resolve) => {
    child.on('exit', (status) => {
      running.delete(child);
      resolve(status);
    });
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  const address = await new Promise<string>((resolve, failed) => {
    let printed = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const found = /^listening on (\S+)$/m.exec(printed);
      if (found !== null) resolve(found[1]);
    });
    void ended.then((status) => failed(new Error(`the collector ended with ${status}: ${said}`)));
  });
  return {
    address,
    async stop() {
      child.kill('SIGTERM');
      return ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
