// What can be seen of the whole house:
//
//   npm run count [-- FOLDER]     how much there is of it, in this checkout or in another one that is built
//   npm run draw                  the drawing of its layers, docs/figures/layers.svg
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const folder = mkdtempSync(join(tmpdir(), 'ldpkit-house-'));
const outfile = join(folder, 'main.mjs');
const typescript = pathToFileURL(createRequire(import.meta.url).resolve('typescript')).href;
try {
  await build({
    entryPoints: [join(root, 'test/house/main.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    plugins: [
      {
        name: 'typescript-as-it-is',
        setup: ({ onResolve }) => onResolve({ filter: /^typescript$/ }, () => ({ path: typescript, external: true })),
      },
    ],
    outfile,
  });
  const { main } = await import(pathToFileURL(outfile).href);
  main(root, process.argv.slice(2));
} finally {
  rmSync(folder, { recursive: true });
}
