import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../../node/command-line.ts';

/** One call of a function of the evidence, by the path of its module from test/evidence/engine: see call.mjs. */
export type Call = readonly [module: string, name: string, ...args: readonly unknown[]];

/** What the calls return, as JSON carries it. */
export function call(...calls: readonly Call[]): unknown[] {
  const input = JSON.stringify(calls.map(([module, name, ...args]) => ({ module, name, args })));
  const script = join(ROOT, 'test/unit/evidence/engine/call.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Names of tags that are open at the end, or closed without having been opened. */
export function unbalanced(markup: string): string[] {
  const open: string[] = [];
  for (const [, close, name] of markup.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
    if (['meta', 'br'].includes(name)) continue;
    if (close === '') open.push(name);
    else if (open.pop() !== name) return [`/${name}`];
  }
  return open;
}
