import { existsSync, readdirSync } from 'node:fs';
import { refusal } from '../check/number.ts';
import type { Study } from '../simulation/study.ts';

// The built package: this file is dist/src/node/studies.js, a protocol is dist/protocols/<name>/index.js.
function folder(): URL {
  return new URL('../../protocols/', import.meta.url);
}

/** Names of the protocols in this package, in alphabetical order. */
export function protocolNames(): readonly string[] {
  return readdirSync(folder(), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(new URL(`${entry.name}/index.js`, folder())))
    .map((entry) => entry.name)
    .sort();
}

/**
 * The study of a protocol, by the protocol's name. A new protocol is found by its folder alone.
 *
 * @throws RangeError for a name that is not a protocol of this package.
 */
export async function loadStudy(name: string): Promise<Study> {
  const names = protocolNames();
  if (!names.includes(name)) throw new RangeError(refusal('protocol', `one of ${names.join(', ')}`, name));
  const module = (await import(new URL(`${name}/index.js`, folder()).href)) as { readonly study: Study };
  return module.study;
}
