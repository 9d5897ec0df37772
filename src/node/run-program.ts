import { readFileSync } from 'node:fs';
import { type Command, CommanderError, type OutputConfiguration } from 'commander';
import { endWhenUnread, print, tell } from './print.ts';
import { partsOf, refusedBy } from './refused.ts';

/** The exit code if a claim does not hold. */
export const VIOLATED = 3;
/** The request is refused, and the message says why. */
const REFUSED = 2;
/** With this code Node ends where a promise that the main module awaits is never settled. */
const NEVER_SETTLED = 13;
/** Something is wrong with this program. */
const BROKEN = 1;

/** Help is this program's own text; an error about the words of a command quotes these words. */
export const PROGRAM_OUTPUT: OutputConfiguration = {
  writeOut: (text) => print(text.replace(/\n$/, '').split('\n')),
  writeErr: (text) => tell(text.replace(/\n$/, '').split('\n')),
  outputError(text) {
    // The only text on a line of its own is the name that the user may have meant.
    const [error, meant] = text.trimEnd().split(/\n(?=\(Did you mean [\w\s,-]+\?\)$)/);
    tell(meant === undefined ? [error] : [error, meant]);
  },
};

/**
 * Runs a program on the words of the command line, to its end. The exit code is 2 if a word, an option or a file is
 * refused, and 1 if there is an error in the program itself.
 */
export async function runProgram(program: Command): Promise<void> {
  // A module file may end the process, or wait for what never comes: Node then ends without a word.
  const unfinished = (code: number): void => {
    if (code !== 0 && code !== NEVER_SETTLED) return;
    tell(['ldpkit: ended before the command was done: a module waits for what never comes, or ended the process']);
    process.exitCode = REFUSED;
  };
  process.once('exit', unfinished);
  endWhenUnread(unfinished);
  try {
    await program.parseAsync();
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
  process.off('exit', unfinished);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : REFUSED;
  if (refusedBy(error) !== undefined) {
    tell(partsOf(error as Error).map((part) => `ldpkit: ${part}`));
    return REFUSED;
  }
  tell(whereFrom(error));
  return BROKEN;
}

/** What happened and where: the message on one line, whatever it contains, and below it the calls that led there. */
function whereFrom(error: unknown): readonly string[] {
  const calls = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^ +at /.test(line)) : [];
  return [String(error), ...calls];
}

/** It aborts at the first signal that tells this process to end. */
export function untilEnded(): AbortController {
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  return ending;
}

/** The version of this package. */
export function packageVersion(): string {
  // The built package: this file is dist/src/node/run-program.js.
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

/** What produced a document. */
export interface Origin {
  readonly version: string;
  readonly command: string;
}

export function origin(): Origin {
  return { version: packageVersion(), command: commandText(commandWords ?? process.argv.slice(2)) };
}
