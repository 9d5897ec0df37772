import { lstat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { refusal } from '../../check/number.ts';
import { RefusedValue } from '../../check/refusal.ts';
import { fileRefusal, writeTogether } from '../files.ts';
import { newProtocol } from '../new-protocol.ts';
import { print } from '../print.ts';

/** What a definition takes for a name; it is also the name of a folder. */
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/**
 * `ldpkit new`: writes a folder with a protocol that works, its broken twin, its tests and its README.
 *
 * @throws RangeError for a name that no protocol can have, and for a folder that is there.
 */
export async function startProtocol(name: string): Promise<void> {
  if (!NAME.test(name) || name.length > 40) {
    throw new RefusedValue(refusal('name', 'at most 40 lower-case letters and digits, words joined by hyphens', name));
  }
  if (await lstat(resolve(name)).catch(() => undefined)) {
    throw fileRefusal('name', 'a folder that is not there yet', name);
  }
  const files = await writeTogether('name', name, newProtocol(name));
  print([
    ...files.map((file) => `wrote ${file}`),
    '',
    `Next: cd ${name}`,
    `  npx ldpkit audit ./${name}.mjs      an attack that finds nothing`,
    '  npx ldpkit audit ./broken.mjs      one that finds the mistake: exit code 3',
    `  npx ldpkit run ./${name}.mjs        made-up players, and a page`,
    '  node --test                        its tests',
  ]);
}
