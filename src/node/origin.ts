import { readFileSync } from 'node:fs';

/** The version of this package. */
export function packageVersion(): string {
  // The built package: this file is dist/src/node/origin.js.
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  return (manifest as { readonly version: string }).version;
}

/** The command with these arguments, as one types it into a shell. */
export function commandText(words: readonly string[], program: string = 'ldpkit'): string {
  return [program, ...words.map(quoted)].join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The words of the command, where they are others than those that were typed. */
let commandWords: readonly string[] | undefined;

/** Lets documents name another command than the one that was typed: the one that makes the same document on one machine. */
export function nameCommand(words: readonly string[]): void {
  commandWords = words;
}

/** What produced a document: the version of ldpkit, and the command line. */
export function origin(): { readonly version: string; readonly command: string } {
  return { version: packageVersion(), command: commandText(commandWords ?? process.argv.slice(2)) };
}
