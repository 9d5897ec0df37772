// The fuzzers are TypeScript like the tests: what a script runs is bundled first, beside the modules it needs.
import { rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/**
 * Bundles a file of this folder and loads it. The bundle is this process's own, and goes with it.
 *
 * @param {string} name
 * @returns {Promise<{ readonly url: string, readonly module: any }>}
 */
export async function load(name) {
  const entry = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const outfile = fileURLToPath(new URL(`../../out/fuzz/${name}-${process.pid}.mjs`, import.meta.url));
  process.on('exit', () => rmSync(outfile, { force: true }));
  await build({ entryPoints: [entry], outfile, bundle: true, packages: 'external', platform: 'node', format: 'esm' });
  const url = pathToFileURL(outfile).href;
  return { url, module: await import(url) };
}
