// Mutation run: which constants and signs of the rows of docs/theory.md a test of their row notices.
//
//   npm run mutate -- [PART OF "paper item" …] [--every | --most 6] [--seed WORD] [--list] [--output FILE.json]
//     [--again FILE.json] [--tests PART,PART]
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const folder = mkdtempSync(join(tmpdir(), 'ldpkit-mutate-'));
const outfile = join(folder, 'main.mjs');
const typescript = pathToFileURL(createRequire(import.meta.url).resolve('typescript')).href;
try {
  await build({
    entryPoints: [join(root, 'test/mutation/main.ts')],
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
