import { forkedHost } from '../../node/forked-host.ts';

/** One call of a function of the evidence, by the path of its module from test/evidence/engine: see call.mjs. */
export type Call = readonly [module: string, name: string, ...args: readonly unknown[]];

/** Makes calls in one process for the calling file. They return what JSON carries. */
export function caller(): (...calls: readonly Call[]) => Promise<unknown[]> {
  const answer = forkedHost('test/unit/evidence/engine/call.mjs');
  return async (...calls) =>
    JSON.parse((await answer(calls.map(([module, name, ...args]) => ({ module, name, args })))) as string);
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
