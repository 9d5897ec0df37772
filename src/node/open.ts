import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The program that opens a file for a person, on each system; the path is one argument, and no shell reads it. */
const OPENERS: { readonly [platform: string]: readonly [program: string, ...words: string[]] } = {
  darwin: ['open'],
  win32: ['rundll32.exe', 'url.dll,FileProtocolHandler'],
};

/** How a page is opened on a system: the program and its arguments. */
export function openerOf(path: string, platform: string): readonly [program: string, ...words: string[]] {
  const [program, ...words] = OPENERS[platform] ?? ['xdg-open'];
  return [program, ...words, pathToFileURL(resolve(path)).href];
}

/**
 * Shows a page in the browser of the person at the screen, and does not wait for it. Whether there was such a program;
 * where there is none, as on a server, nothing happens.
 */
export function openPage(
  path: string,
  { platform, env }: Pick<NodeJS.Process, 'platform' | 'env'> = process,
): Promise<boolean> {
  const [program, ...words] = openerOf(path, platform);
  return new Promise((done) => {
    const child = spawn(program, words, { env, stdio: 'ignore', detached: true });
    child.on('error', () => done(false));
    child.on('spawn', () => {
      child.unref();
      done(true);
    });
  });
}
