// Builds dist/ in the way in which whoever reads it meanwhile (a run, a test, another build) always finds every file:
//
//   npm run build
//
// The compiler writes into a new folder below out/, where the list of protocols is made too; a build that fails ends there,
// and dist/ stays as it was. Then file after file of dist/ is replaced by a rename, but only where it differs, and what no
// source makes any more goes last. A folder cannot take the place of another in one step everywhere, a file can; and to build
// the same sources again touches nothing. (Who imports in the moment in which *other* sources are swapped in may get modules
// of both.)
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'dist');
const COMMAND = join('src', 'node', 'main.js');
/** What `ldpkit list` prints: made once here, since it takes all protocols to make it. */
const LISTING = join('src', 'node', 'studies');
const PREFIX = 'build-';
/** No build takes an hour: a folder so old was left by one that was interrupted. */
const LEFT_BEHIND = 3_600_000;
/** Two builds of the same sources agree at once; of different ones one wins after a few passes. */
const MOST_PASSES = 30;
/** What a pass may meet when another build removes a folder, or where a file that is read cannot be replaced. */
const PASSING = ['ENOENT', 'EACCES', 'EBUSY', 'EPERM'];

// "npx ldpkit" in a checkout makes npm prepare the checkout as if it were to be installed. The command that is there
// is the one that is asked for.
const { npm_command, npm_lifecycle_event } = process.env;
const asked = npm_command === 'exec' && npm_lifecycle_event === 'prepare';
if (!asked || !existsSync(join(target, COMMAND))) process.exitCode = await build();

/** The status of the compiler. Where it is 0, dist/ holds what it wrote and nothing else. */
async function build() {
  mkdirSync(join(root, 'out'), { recursive: true });
  const folder = mkdtempSync(join(root, 'out', PREFIX));
  try {
    removeLeftBehind(folder);
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const words = [compiler, '-p', join(root, 'tsconfig.json'), '--outDir', folder];
    const { status, error } = spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' });
    if (error !== undefined) throw error;
    if (status !== 0) return status ?? 1;
    chmodSync(join(folder, COMMAND), 0o755);
    const { listing } = await import(pathToFileURL(join(folder, `${LISTING}.js`)).href);
    writeFileSync(join(folder, `${LISTING}.json`), JSON.stringify(await listing()));
    // Pauses that grow and are drawn: else two builds of different sources could undo each other's passes for ever.
    for (let passes = 1; !settled(folder, passes); passes++) await setTimeout(randomInt(20 * 2 ** Math.min(passes, 8)));
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether a pass found nothing to change; the last one says what is in its way. */
function settled(folder, passes) {
  try {
    if (!swap(folder)) return true;
  } catch (error) {
    if (passes === MOST_PASSES || !PASSING.includes(error.code)) throw error;
  }
  if (passes === MOST_PASSES) throw new Error('dist/ is changed by something else all the time');
  return false;
}

/**
 * One pass: makes dist/ what the folder is, and says whether anything had to be changed. A pass without a change saw the
 * files of one build alone, so that of two builds at a time one wins with all its files.
 */
function swap(folder) {
  const files = filesOf(folder);
  const changed = files.filter((file) => !same(join(folder, file), join(target, file)));
  // New files first: others may import them. The command last: where it is, all that it imports was there before.
  const turn = (file) => (file === COMMAND ? 2 : Number(existsSync(join(target, file))));
  for (const file of changed.sort((a, b) => turn(a) - turn(b))) {
    // The folder keeps its own: there may be a next pass.
    const next = join(folder, '.next');
    copyFileSync(join(folder, file), next);
    mkdirSync(dirname(join(target, file)), { recursive: true });
    renameSync(next, join(target, file));
  }
  const stale = filesOf(target).filter((file) => !files.includes(file));
  for (const file of stale) rmSync(join(target, file), { force: true });
  removeEmptyFolders(target);
  return changed.length + stale.length > 0;
}

/** The files below a folder, as paths from it. What vanishes meanwhile is none. */
function filesOf(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => statSync(join(folder, path), { throwIfNoEntry: false })?.isFile() === true,
  );
}

function same(file, other) {
  const [one, two] = [file, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  if (one === undefined || two === undefined || one.size !== two.size || one.mode !== two.mode) return false;
  return readFileSync(file).equals(readFileSync(other));
}

/** Of the folders below the given one, those without a file. */
function removeEmptyFolders(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    removeEmptyFolders(join(folder, entry.name));
    try {
      rmdirSync(join(folder, entry.name));
    } catch {
      // It is not empty.
    }
  }
}

/** Removes what interrupted builds left in out/, by the clock of the file system. */
function removeLeftBehind(folder) {
  const { mtimeMs: now } = statSync(folder);
  for (const name of readdirSync(join(root, 'out'))) {
    const path = join(root, 'out', name);
    const left = name.startsWith(PREFIX) ? statSync(path, { throwIfNoEntry: false }) : undefined;
    if (left !== undefined && now - left.mtimeMs > LEFT_BEHIND) rmSync(path, { recursive: true, force: true });
  }
}
