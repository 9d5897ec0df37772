// Runs commands of the built package and of the checkout one after the other, each with a folder, words, output and exit code of its own, in
// one process: most of the time of a short command goes into starting Node and loading modules. A module file of a test is loaded once, so
// it must not change.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createProgram } from '../../../dist/src/node/commands/program.js';
import { nameCommand, runProgram } from '../../../dist/src/node/run-program.js';
import { translated } from '../../evidence/translate.mjs';

const printed = { stdout: '', stderr: '' };
for (const name of ['stdout', 'stderr']) {
  process[name].write = (text, ...rest) => {
    printed[name] += typeof text === 'string' ? text : Buffer.from(text).toString();
    rest.findLast((one) => typeof one === 'function')?.();
    return true;
  };
}

async function programOf(checkout) {
  if (!checkout) return createProgram();
  const { createEvidenceProgram } = await import(pathToFileURL(join(await translated(), 'commands/program.js')).href);
  return createEvidenceProgram();
}

/** One command to its end. */
async function run({ folder, words, checkout }) {
  Object.assign(printed, { stdout: '', stderr: '' });
  process.chdir(folder);
  process.argv.splice(2, Infinity, ...words);
  process.exitCode = undefined;
  nameCommand(undefined);
  await runProgram(await programOf(checkout));
  process.stdout.removeAllListeners('error');
  process.stderr.removeAllListeners('error');
  process.send({ status: process.exitCode ?? 0, ...printed });
}

let last = Promise.resolve();
process.on('message', (command) => {
  last = last.then(() => run(command));
});
