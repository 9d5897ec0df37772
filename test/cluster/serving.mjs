// What scripts share: a collector of one plan in a process of its own, and checks.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { certify } from 'ldpkit';

/** The built command line. */
export const MAIN = fileURLToPath(new URL('../../dist/src/node/main.js', import.meta.url));

/** A folder of its own with the plan of these parameters; `remove` takes it away. */
export function planFolder(protocol, parameters) {
  const folder = mkdtempSync(join(tmpdir(), 'ldpkit-serving-'));
  const plan = join(folder, 'plan.json');
  writeFileSync(plan, JSON.stringify(certify(protocol, parameters)));
  return { folder, plan, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts `ldpkit serve` with these words: its address, its process number, and its end. */
export async function serving(plan, words) {
  const child = spawn(process.execPath, [MAIN, 'serve', plan, '--port', '0', '--rate', '0', ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise((resolve, fail) => {
    child.once('exit', (status) => fail(new Error(`the collector ended with ${status}`)));
    child.stdout.setEncoding('utf8').on('data', (text) => {
      const found = /listening on (\S+)/.exec(text);
      if (found !== null) resolve(found[1]);
    });
  });
  const end = async () => {
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
  };
  return { url, pid: child.pid, end };
}

let passed = 0;
let failed = 0;

/** What a script checks, one line each; the last line counts them. */
export function check(what, holds) {
  if (holds) passed++;
  else failed++;
  process.stdout.write(`${holds ? 'ok  ' : 'FAIL'} ${what}\n`);
}

/** Prints how many checks passed, and ends the script with 0 only if all did. */
export function finish() {
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exit(failed === 0 ? 0 : 1);
}
