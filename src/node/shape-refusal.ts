import type { BaseIssue } from 'valibot';
import { refusal } from '../check/number.ts';

/**
 * What is wrong with the shape of a JSON document, by the first issue of valibot; its message is the middle of ours: what was
 * expected. `root` is the name of the whole document; `path` leads to the part that was checked.
 */
export function shapeRefusal(root: string, issue: BaseIssue<unknown>, path: string = ''): TypeError | RangeError {
  const name = (issue.path ?? []).reduce(pathName, path) || root;
  if (issue.type !== 'strict_object' && issue.type !== 'loose_object') {
    const wrongKind = issue.kind === 'schema' && issue.type !== 'picklist' && issue.type !== 'literal';
    return new (wrongKind ? TypeError : RangeError)(refusal(name, issue.message, issue.input));
  }
  if (issue.expected === 'never') {
    const value = issue.path?.at(-1)?.value;
    return new RangeError(refusal(name, 'to be absent (there is no such key)', value));
  }
  const expected = issue.expected === 'Object' ? 'an object' : 'to be given';
  return new TypeError(refusal(name, expected, issue.input));
}

/** Adds one step to a path: `features`, then `features[3]`, then `features[3].minimum`. */
function pathName(path: string, { key }: { readonly key?: unknown }): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? String(key) : `${path}.${String(key)}`;
}
