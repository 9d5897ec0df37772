import { Command } from 'commander';
import { PROGRAM_OUTPUT } from '../run-program.ts';
import { audit } from './audit.ts';
import { certify } from './certify.ts';
import { forecast } from './forecast.ts';
import { list } from './list.ts';
import { namingOptions } from './option-words.ts';
import { packageVersion } from './origin.ts';
import { run } from './run.ts';
import { verify } from './verify.ts';

/** The command line, ready to parse. It throws what is wrong instead of ending the process. */
export function createProgram(): Command {
  const program = new Command('ldpkit')
    .description('Local differential privacy protocols: try them on records, and see what they guarantee.')
    .version(packageVersion())
    .exitOverride()
    .configureOutput(PROGRAM_OUTPUT);

  program
    .command('run')
    .description('play a protocol on labelled records and compare it with what is possible without privacy')
    .argument('<protocol>', 'see ldpkit list')
    .option('--data <file>', 'records: .csv, .json, .jsonl, .ndjson or .parquet; default: three million flights')
    .option('--schema <file>', 'JSON file that says what the columns of --data mean')
    .option('--epsilon <list>', 'privacy of each player, one number or several with commas (default: 1)')
    .option('--mu <number>', 'for streams: μ of each player, for makers of Gaussian privacy (default: 1)')
    .option('--maker <list>', 'makers of parameters, one or several with commas (default: the best)')
    .option('--delta <number>', 'δ, for makers whose guarantee is (ε, δ) (default: 1e-6)')
    .option('--degree <number>', 'degree collected for and used (default: collect for 1, let the protocol choose)')
    .option(
      '--grade <word>',
      'deployment: exact integer noise, as on a device; simulation: floats (default: simulation)',
    )
    .option('--radius <number>', 'the model satisfies ‖w‖ ≤ radius; auto: the server picks it (default: 1)')
    .option('--loss <name>', 'loss of the margin, where the protocol knows several (default: its first)')
    .option(
      '--server <word>',
      'for noisy copies: sigm or average, a step a report, or newton, all reports at once (default: newton)',
    )
    .option(
      '--decoder <word>',
      'for noisy copies: product, averaged or signs, averaged with labels −1 and 1 (default: signs, for printed product)',
    )
    .option(
      '--players <number>',
      'how many players take part, chosen by the seed; of a stream the first (default: all)',
    )
    .option('--moved <list>', 'for points: shares of the players moved to the far corner (default: 0,0.2)')
    .option('--profile <word>', 'for players with several samples: hours, the hours of departures (default: delays)')
    .option('--train <number>', 'records that play, a number or a fraction; models are measured on the others')
    .option(
      '--method <word>',
      'for streams: random-scaling, batch-means, disjoint-batch-means, plug-in or none (default: random-scaling)',
    )
    .option('--level <number>', 'for streams: probability that an interval holds its value (default: 0.95)')
    .option(
      '--hessian-floor <number>',
      'for streams: eigenvalues of the Hessian below it are raised to it, in plug-in intervals',
    )
    .option('--gamma <number>', 'for streams: γ of the step size γ·i^−α (default: 0.5, for the flights 0.1)')
    .option('--alpha <number>', 'for streams: α in (0, 1] (default: 0.51)')
    .option('--burn-in <number>', 'for streams: first steps that averages leave out (default: 0)')
    .option('--hessian-mu <number>', 'for streams: also release Hessians at this μ, for plug-in intervals')
    .option('--save <file>', 'for streams: where the state of the server goes')
    .option('--resume <file>', 'for streams: a saved state to go on from, with the players that follow')
    .option('--ndjson', 'for streams: print one JSON line at every checkpoint as it comes')
    .option('--repetitions <number>', 'runs with different coins (default: 1)')
    .option('--seed <text>', 'seed of all choices and coins (default: ldpkit)')
    .option('--threads <number>', 'worker threads; the result does not depend on it (default: one a core)')
    .option('--out <folder>', 'where result.json and report.html go (default: out, or nowhere with --json)')
    .option('--json', 'print one JSON document instead of a table')
    .addHelpText('after', RUN_HELP)
    .action(namingOptions(run));

  program
    .command('list')
    .description('list the protocols and their makers of parameters')
    .option('--json', 'print one JSON document')
    .action(list);

  withRequest(
    program
      .command('certify')
      .description("certify what one player's whole transcript guarantees, under every accounting that applies")
      .argument('<protocol>', 'see ldpkit list')
      .option('--maker <list>', 'makers of parameters, one or several with commas (default: all)'),
  )
    .option('--html <file>', 'also write a page for people to read and print')
    .option('--json', 'print one JSON document: a certificate, or a list of them for several makers')
    .action(certify);

  program
    .command('verify')
    .description('compute a certificate again, and compare it field by field with what a file says')
    .argument('<file>', 'what ldpkit certify --json printed: a certificate, or a list of them')
    .option('--json', 'print one JSON document')
    .addHelpText('after', VERIFY_HELP)
    .action(verify);

  withRequest(
    program
      .command('audit')
      .description("attack a player's report: a lower bound on its privacy loss; exit code 3 when it refutes the claim")
      .argument('<protocol>', 'see ldpkit list')
      .option('--maker <name>', 'maker of parameters (default: the best)'),
  )
    .option('--round <list>', 'rounds to attack, from 0, and transcript: all rounds jointly (default: all of it)')
    .option('--trials <number>', 'reports to draw in all', '1e6')
    .option('--confidence <number>', 'probability with which all bounds hold', '0.99')
    .option('--seed <text>', 'seed of all coins', 'ldpkit')
    .option('--threads <number>', 'worker threads; the result does not depend on it (default: one a core)')
    .option('--last-bits', 'attack the last bits of numbers in a simulation too; in a deployment it is always done')
    .option('--json', 'print one JSON document')
    .action(audit);

  program
    .command('forecast')
    .description(
      'what to expect of each maker before collecting: bias, noise, excess risk, players needed; needs no data',
    )
    .argument('<protocol>', 'see ldpkit list')
    .option('--players <number>', 'how many players there will be', '1e6')
    .option('--epsilon <number>', 'ε of one player', '1')
    .option('--mu <number>', 'for streams and curators: μ of one player or record (default: 1)')
    .option('--delta <number>', 'δ of one player, for makers that use it', '1e-6')
    .option('--dimension <number>', 'features of a record (default: 10, or 1 for players with several samples)')
    .option('--degree <number>', 'degree collected for (default: the best of 0, 1 and 2)')
    .option('--radius <number>', 'the model satisfies ‖w‖ ≤ radius (default: 1)')
    .option('--loss <name>', 'loss of the margin (default: the first the protocol knows)')
    .option('--signal <number>', 'P(right label) − P(wrong label) in the population assumed (default: 0.5)')
    .option('--samples <number>', 'samples of each player, where players have several (default: 100)')
    .option('--spread <number>', 'standard deviation of such a sample in [−1, 1] (default: 0.5)')
    .option('--target <number>', 'also: players needed for this excess risk')
    .option('--maker <list>', 'makers of parameters, one or several with commas (default: all)')
    .option('--json', 'print one JSON document')
    .action(forecast);

  return program;
}

/** What parameters are made from, where a command makes those of one player. */
function withRequest(command: Command): Command {
  return command
    .option('--epsilon <number>', 'ε of one player', '1')
    .option('--mu <number>', 'for streams and curators: μ of one player or record (default: 1)')
    .option('--delta <number>', 'δ of one player, for makers that use it', '1e-6')
    .option('--degree <number>', 'degree collected for', '1')
    .option('--dimension <number>', 'features of a record (default: 10, or 1 for players with several samples)')
    .option('--players <number>', 'players to expect, where plans depend on it (default: 40000)')
    .option('--samples <number>', 'samples of each player, where players have several (default: 14)')
    .option('--grade <word>', 'deployment: exact integer noise; simulation: floats (default: simulation)');
}

const RUN_HELP = `
Without --data, --epsilon and --maker it compares the two best makers at ε = 0.5, 1, 2, 4 and 8, three times each.
The flights are the npm package vega-datasets; all their records play, and models are measured on the same records.
A file (--data) is split at random: 5/6 of its records play, models are measured on the rest.
In a stream (online-sgd) players come in the order of time, and --schema has a number as its label.
Exit code 2: an option, a file or a record was refused, and nothing was written; but where intervals are refused after
the last player of a stream its state (--save) is.`;

const VERIFY_HELP = `
Exit code 0: every certificate is verified; 3: a field is not what it has to be; 2: the file is no certificate.
Texts agree exactly, numbers to 1e-9; an ε or δ below the one computed again is never accepted.`;
