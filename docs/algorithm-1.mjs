// Writes the figures of docs/algorithm-1.md to docs/figures, or to another folder.
//
//   node docs/algorithm-1.mjs [FOLDER]
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const target = process.argv[2] ?? here('figures');
const folder = mkdtempSync(join(tmpdir(), 'algorithm-1-'));
try {
  const outfile = join(folder, 'figures.mjs');
  const source = here('../test/documentation/algorithm-1.ts');
  await build({ entryPoints: [source], bundle: true, format: 'esm', platform: 'node', outfile });
  const { algorithmFigures } = await import(pathToFileURL(outfile).href);
  mkdirSync(target, { recursive: true });
  for (const [name, svg] of Object.entries(algorithmFigures())) writeFileSync(join(target, name), svg);
} finally {
  rmSync(folder, { recursive: true });
}
