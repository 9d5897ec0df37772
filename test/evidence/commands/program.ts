import { Command } from 'commander';
import { PROGRAM_OUTPUT } from 'ldpkit/node';
import { reproduce } from './reproduce.ts';
import { validate } from './validate.ts';
import { work } from './work.ts';

/** The commands of a checkout, ready to parse. They throw what is wrong instead of ending the process. */
export function createEvidenceProgram(): Command {
  const program = new Command('npm run')
    .description('What the papers claim, measured: commands of a checkout.')
    .exitOverride()
    .configureOutput(PROGRAM_OUTPUT);

  withComputing(
    program
      .command('reproduce')
      .description('compute a table or figure of a paper again: printed at once, or simulated and written to a folder')
      .argument('<name>', 'for example table-1 or coverage-table; another word prints all names')
      .option('--data <file>', 'for insurance: your own copy of the public table (CSV); computed at once, and printed'),
    'out/<name>',
  )
    .addHelpText('after', REPRODUCE_HELP)
    .action(reproduce);

  withComputing(
    program
      .command('validate')
      .description('measure the theorems of the papers against what they claim; exit code 3 when a claim is not met')
      .option(
        '--only <name...>',
        'papers, protocols, validations, or items such as "Theorem 11" or "online-rates Theorem 4"',
      )
      .option('--list', 'print what there is, and compute nothing'),
    'out/validate',
  )
    .addHelpText('after', VALIDATE_HELP)
    .action(validate);

  program
    .command('work')
    .description(
      'compute chunks for reproduce --workers and validate --workers on other machines, until it is told to end',
    )
    .argument('<servers>', 'NATS servers with JetStream: nats://host:4222; several with commas')
    .option('--threads <number>', 'worker threads (default: one a core)')
    .option('--name <text>', 'what it is called (default: the machine and the process)')
    .action(work);

  return program;
}

/** How experiments are computed, where a command does. */
function withComputing(command: Command, folder: string): Command {
  return command
    .option('--scale <word>', 'quick: a look; full: as many replications as the paper or more (default: quick)')
    .option(
      '--out <folder>',
      `where results, figures and finished chunks go (default: ${folder}, or nowhere with --json)`,
    )
    .option('--seed <text>', 'seed of all data and coins (default: ldpkit)')
    .option('--threads <number>', 'worker threads; the result does not depend on it (default: one a core)')
    .option('--workers <url>', 'let the workers of a NATS server compute; the result does not depend on it')
    .option('--json', 'print one JSON document');
}

const REPRODUCE_HELP = `
A simulation that was stopped goes on with the chunks that its folder holds, once seed, versions and digests agree.`;

const VALIDATE_HELP = `
It writes one result.json and one report.html with a figure for every theorem: what is measured, and what is claimed.
What was stopped goes on with the chunks that its folder holds, once seed, versions and digests agree.
Exit code 0: all claims are met; 3: one is not.`;
