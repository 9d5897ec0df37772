// Writes docs/theory.md from the map in test/documentation/theory, the tags `@theorem` of the sources and the validations.
//
//   node docs/theory.mjs
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const root = here('..');
const folder = mkdtempSync(join(tmpdir(), 'theory-'));

/** The exports of a text that is a TypeScript module in the root of the project. */
async function load(contents, name) {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
  });
  return import(pathToFileURL(outfile).href);
}

try {
  const parts = ['page', 'tags', 'validations'].map(
    (name) => `export * from './test/documentation/theory/${name}.ts';`,
  );
  const { collectTags, theoryPage, validationModules } = await load(parts.join('\n'), 'map');
  const validations = [];
  for (const [i, path] of validationModules(root).entries()) {
    const module = await load(`export { validations } from ${JSON.stringify(path)};`, `validations-${i}`);
    validations.push(...module.validations);
  }
  writeFileSync(here('theory.md'), theoryPage(collectTags(root), validations));
} finally {
  rmSync(folder, { recursive: true });
}
