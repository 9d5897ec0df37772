import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileRefusal } from './file-refusal.ts';

/**
 * Refuses a path at which no folder can be, before any work is done for it. Nothing is made.
 *
 * @throws RangeError naming the option.
 */
export async function checkFolder(name: string, path: string): Promise<void> {
  if (path === '' || (await isFolder(path)) === false) throw fileRefusal(name, 'a folder', path);
}

/** Undefined where there is nothing. */
function isFolder(path: string): Promise<boolean | undefined> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => undefined,
  );
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
    await mkdir(folder, { recursive: true });
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
