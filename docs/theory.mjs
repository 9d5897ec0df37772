// Writes docs/theory.md from the map in test/documentation/theory, the tags `@theorem` of the sources and the validations.
//
//   node docs/theory.mjs
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const root = here('..');
const folder = mkdtempSync(join(tmpdir(), 'theory-'));
/** The entries of the package, as its manifest names them, from their sources. */
const { exports: entries } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const protocols = readdirSync(join(root, 'protocols'));
const alias = Object.fromEntries(
  Object.entries(entries)
    .filter(([, entry]) => typeof entry !== 'string')
    .flatMap(([name, entry]) =>
      (name.includes('*') ? protocols : ['']).map((protocol) => [name, entry.default, protocol]),
    )
    .map(([name, path, protocol]) => [
      `ldpkit${name.slice(1).replace('*', protocol)}`,
      join(root, path.replace('./dist/', '').replace('*', protocol).replace(/\.js$/, '.ts')),
    ]),
);

/** The exports of a text that is a TypeScript module in the root of the project. */
async function load(contents, name) {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    alias,
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
