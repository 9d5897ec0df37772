#!/usr/bin/env node
import { CommanderError } from 'commander';
import { ReportError } from '../check/report-error.ts';
import { createProgram } from './commands/program.ts';

/** What was asked for is refused, and the message says why. */
const REFUSED = 2;

/** Something is wrong with this program. */
const BROKEN = 1;

// Whoever reads the output may stop reading: `ldpkit list | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : REFUSED;
  if (isRefusal(error)) {
    process.stderr.write(`ldpkit: ${error.message}\n`);
    return REFUSED;
  }
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  return BROKEN;
}

/** All refusals name what they refuse, in quotes; a TypeError of the language itself does not. */
function isRefusal(error: unknown): error is Error {
  if (error instanceof ReportError) return true;
  return (error instanceof TypeError || error instanceof RangeError) && error.message.startsWith('"');
}
