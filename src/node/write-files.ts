import { lstat, mkdir, mkdtemp, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileRefusal } from './file-refusal.ts';

/**
 * Refuses a path at which no folder can be, or can be made, before any work is done for it. Nothing stays of it.
 *
 * @throws RangeError naming the option.
 */
export async function checkFolder(name: string, path: string): Promise<void> {
  const nearest = await nearestThere(path);
  if (path === '' || !(await isFolder(nearest))) throw fileRefusal(name, 'a folder', path);
  try {
    // Only trying tells: rights are not all that a folder has to have.
    await rmdir(await mkdtemp(join(nearest, '.ldpkit-')));
  } catch {
    throw fileRefusal(name, 'a folder that can be written to', path);
  }
}

/** The path, or of what it lies in the nearest that is there. */
async function nearestThere(path: string): Promise<string> {
  let place = resolve(path);
  // A link to nothing is there: no folder can be made in its place.
  while (dirname(place) !== place && !(await lstat(place).catch(() => undefined))) place = dirname(place);
  return place;
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/**
 * Makes a folder, and those that it lies in. The recursive way of Node does not come back where folders can never be made, as
 * below /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  const place = resolve(path);
  if (dirname(place) !== place) await makeFolder(dirname(place));
  await mkdir(place).catch(async (error: unknown) => {
    // Another part of this program may have been faster.
    if (!(await isFolder(place))) throw error;
  });
}

/**
 * Writes files into a folder, all of them or, but for a crash between two renamings, none: each is written under another
 * name first. Returns their paths.
 *
 * @throws RangeError naming the option when the folder cannot be written to.
 */
export async function writeTogether(
  name: string,
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const drafts = Object.keys(files).map((file) => ({
    draft: join(folder, `.${file}.${process.pid}.draft`),
    path: join(folder, file),
    text: files[file],
  }));
  try {
    await makeFolder(folder);
    for (const { path } of drafts) if (await isFolder(path)) throw fileRefusal(name, 'no folder of this name', path);
    for (const { draft, text } of drafts) await writeFile(draft, text);
    for (const { draft, path } of drafts) await rename(draft, path);
  } catch (error) {
    for (const { draft } of drafts) await rm(draft, { force: true }).catch(() => undefined);
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw fileRefusal(name, 'a folder that can be written to', folder);
  }
  return drafts.map(({ path }) => path);
}
