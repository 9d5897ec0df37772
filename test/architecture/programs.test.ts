import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = join(__dirname, '../..');
const IMPORT = /import \{([^}]+)\} from '(ldpkit[^']*)'/g;

/** Names that a program imports from an entry of the package, which are not there. */
async function missing(source: string): Promise<readonly string[]> {
  const found = await Promise.all(
    [...source.matchAll(IMPORT)].map(async ([, names, entry]) => {
      const exported: object = await import(entry);
      const asked = names.split(',').map((name) => name.trim().split(' as ')[0]);
      return asked.filter((name) => name !== '' && !(name in exported)).map((name) => `${entry}: ${name}`);
    }),
  );
  return found.flat();
}

const programs = ['test/validation', 'test/bench'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.mjs'))
    .map((file) => `${folder}/${file}`),
);

describe('programs that no test starts find what they import', () => {
  test.each(programs)('%s', async (file) => {
    expect(await missing(readFileSync(join(root, file), 'utf8'))).toEqual([]);
  });

  test('a name that no entry has is found', async () => {
    expect(await missing("import { hinge, hinged } from 'ldpkit/protocols/hinge';")).toEqual([
      'ldpkit/protocols/hinge: hinged',
    ]);
  });
});
