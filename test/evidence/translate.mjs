// The evidence is TypeScript that imports the package by its name, as its users do. It is translated, file by file and
// without a check of types (the gate has one), into a folder of out/ that is named after what was translated.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, version } from 'esbuild';

const evidence = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '');
const folder = fileURLToPath(new URL('../../out/evidence', import.meta.url));
/** Nobody reads for a day what was translated from other sources. */
const UNREAD = 86_400_000;

const sources = readdirSync(evidence, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .sort();
const hash = createHash('sha256')
  .update(version)
  .update(readFileSync(fileURLToPath(import.meta.url)));
for (const path of sources) hash.update(path).update(readFileSync(join(evidence, path)));
const target = join(folder, hash.digest('hex').slice(0, 16));

/** The folder that holds the evidence as JavaScript, made where it is not there yet. */
export async function translated() {
  mkdirSync(folder, { recursive: true });
  if (!existsSync(target)) await translate();
  return target;
}

/** Writes a folder beside the target and gives it its name at once: who runs at the same time reads all of it or makes its own. */
async function translate() {
  const made = mkdtempSync(join(folder, 'made-'));
  // By the clock of the file system, which has just made a folder.
  const { mtimeMs: now } = statSync(made);
  for (const name of readdirSync(folder)) {
    const changed = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (now - changed > UNREAD) rmSync(join(folder, name), { recursive: true, force: true });
  }
  await build({
    entryPoints: sources.map((path) => join(evidence, path)),
    outbase: evidence,
    outdir: made,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
    plugins: [{ name: 'file-by-file', setup: ({ onResolve }) => onResolve({ filter: /.*/ }, imported) }],
  });
  try {
    renameSync(made, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
    rmSync(made, { recursive: true });
  }
}

/** Nothing is bundled: another file of the evidence is imported from beside, everything else by its name. */
function imported({ kind, path }) {
  if (kind === 'entry-point') return undefined;
  return { path: path.startsWith('.') ? path.replace(/\.ts$/, '.js') : path, external: true };
}
