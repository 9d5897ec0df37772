import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Runs `main(root, words)` of a TypeScript file, a path from the root, on the words of the command line. */
export async function runMain(file) {
  const folder = mkdtempSync(join(tmpdir(), 'ldpkit-main-'));
  const outfile = join(folder, 'main.mjs');
  const typescript = pathToFileURL(createRequire(import.meta.url).resolve('typescript')).href;
  try {
    await build({
      entryPoints: [join(root, file)],
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
    await main(root, process.argv.slice(2));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
