// The browser of the tests: Debian's Chromium without a screen, with a new and empty profile.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** It asks nobody for anything by itself. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The program, by the name that the distribution gives it. */
function program() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = folders.map((folder) => join(folder, 'chromium')).find((path) => existsSync(path));
  if (found === undefined) throw new Error('chromium is missing: apt-get install chromium');
  return found;
}

/** Opens a browser, gives it to the work, and leaves nothing behind. */
export async function withBrowser(work) {
  const profile = mkdtempSync(join(tmpdir(), 'ldpkit-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: program(),
    headless: true,
    args: QUIET,
    viewport: { width: 1200, height: 900 },
  });
  try {
    return await work(context);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

/** A module of the playground for Node, which finds the entries of the package as any user does. */
export async function moduleOf(name) {
  const folder = join(root, 'out', 'playground');
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, name.replace('.ts', '.mjs'));
  await build({
    entryPoints: [join(root, 'playground', name)],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  });
  return import(outfile);
}
