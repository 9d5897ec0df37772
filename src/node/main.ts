#!/usr/bin/env node
import { CommanderError } from 'commander';
import { ReportError } from '../check/report-error.ts';
import { createProgram } from './commands/program.ts';
import { endWhenUnread, tell } from './print.ts';

/** What was asked for is refused, and the message says why. */
const REFUSED = 2;

/** Something is wrong with this program. */
const BROKEN = 1;

endWhenUnread();

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : REFUSED;
  if (isRefusal(error)) {
    tell([`ldpkit: ${error.message}`]);
    return REFUSED;
  }
  tell(whereFrom(error));
  return BROKEN;
}

/** What happened and where: the message on one line, whatever is in it, and below it the calls that led there. */
function whereFrom(error: unknown): readonly string[] {
  const calls = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^ +at /.test(line)) : [];
  return [String(error), ...calls];
}

/** All refusals name what they refuse, in quotes; a TypeError of the language itself does not. */
function isRefusal(error: unknown): error is Error {
  if (error instanceof ReportError) return true;
  return (error instanceof TypeError || error instanceof RangeError) && error.message.startsWith('"');
}
