// Writes docs/theory.md from the map in test/documentation/theory.
//
//   node docs/theory.mjs
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { outputFiles } = await build({
  entryPoints: [here('../test/documentation/theory/page.ts')],
  bundle: true,
  format: 'esm',
  platform: 'node',
  write: false,
});
const { theoryPage } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
);
writeFileSync(here('theory.md'), theoryPage());
