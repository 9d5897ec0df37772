import { type Command, Option } from 'commander';
import { count, flag, option, optionOr, partOf, text, whole } from './options.ts';

/** Adds the commands that collect: `serve`, `fold`, `tickets`, `export`, `tally` and `demo`. */
export function serveCommands(program: Command): void {
  const serve = program
    .command('serve')
    .description('collect reports of plans over HTTP: durable, each player once')
    .argument('<plan...>', 'what ldpkit certify --json printed, one file for each plan')
    .action(async (files, options) => (await import('./serve.ts')).serve(files, options));
  for (const one of SERVE) serve.addOption(one);
  serve.addHelpText('after', SERVE_HELP);
  program
    .command('fold')
    .description('make the tallies of a cluster, and keep them there: a worker of ldpkit serve --cluster')
    .argument('<plan>', 'what ldpkit certify --json printed')
    .addOption(new Option(CLUSTER.flags, CLUSTER.description).makeOptionMandatory())
    .addOption(option('--part <k/n>', 'only the partitions of worker k of n (default: all)', partOf))
    .addOption(PARTITIONS)
    .addOption(REPLICAS)
    .addOption(PROTOCOL)
    .action(async (file, options) => (await import('./fold.ts')).fold(file, options));
  program
    .command('tickets')
    .description('make single-use tickets of a plan, so that one person is one player')
    .argument('<plan>', 'what ldpkit certify --json printed')
    .addOption(optionOr('--count <number>', 'how many tickets', count, '1'))
    .addOption(new Option('--secret <file>', 'file of the secret; made where it is not there').makeOptionMandatory())
    .addOption(PROTOCOL)
    .action(async (file, options) => (await import('./collected.ts')).tickets(file, options));
  program
    .command('export')
    .description('write all accepted reports of a plan into a Parquet file, without players')
    .argument('<plan>', 'what ldpkit certify --json printed')
    .addOption(FOLDER)
    .addOption(CLUSTER)
    .addOption(new Option('--out <file>', 'the file to write').makeOptionMandatory())
    .addOption(PROTOCOL)
    .action(async (file, options) => (await import('./collected.ts')).exportReports(file, options));
  program
    .command('tally')
    .description('tally exported reports, and print the estimate: the same as the collector, to the bit')
    .argument('<plan>', 'what ldpkit certify --json printed')
    .argument('<file>', 'what ldpkit export wrote')
    .addOption(PROTOCOL)
    .addOption(QUERY)
    .action(async (file, data, options) => (await import('./collected.ts')).tally(file, data, options));
  program
    .command('demo')
    .description('a collector, simulated devices that answer over HTTP, and the live page')
    .addOption(optionOr('--devices <number>', 'how many devices', count, '10000'))
    .addOption(flag('--exit', 'end after the estimate; exit code 0 only if all receipts add up'))
    .action(async (options) => (await import('./demo.ts')).demo(options));
}

const PROTOCOL = option('--protocol <file>', 'module file of the protocol, where it is none of this package', text);
const QUERY = option('--query <json>', "what estimates are asked, as JSON (default: the protocol's own)", text);
const FOLDER = optionOr(
  '--folder <folder>',
  'where accepted reports are kept; with --cluster those with a receipt of this collector',
  text,
  'collected',
);
const CLUSTER = option(
  '--cluster <servers>',
  'NATS servers that keep the reports, such as nats://a:4222,nats://b:4222',
  text,
);
const PARTITIONS = option(
  '--partitions <number>',
  'streams of a plan in a cluster, fixed at its first start (default: 4)',
  count,
);
const REPLICAS = option(
  '--replicas <number>',
  'servers that each report is on (default: 3, or 1 on a single server)',
  whole(1, 5),
);

const SERVE: readonly Option[] = [
  FOLDER,
  CLUSTER,
  PARTITIONS,
  REPLICAS,
  optionOr('--host <name>', 'address to listen on', text, '127.0.0.1'),
  optionOr('--port <number>', 'port to listen on; 0 for any', whole(0, 65_535), '8080'),
  option('--ids <file>', 'ids of the players, one a line: others are not admitted', text),
  option('--tickets <file>', 'secret of the tickets: only players with a ticket are admitted', text),
  optionOr('--minimum-players <number>', 'estimates are given from so many reports on', count, '100'),
  option('--maximum-players <number>', 'the largest number of counted reports, in each round', count),
  QUERY,
  option('--coordinator <text>', 'text that closes a round: POST /plans/…/close with "authorization: Bearer …"', text),
  option('--close-every <number>', 'close a round when it has so many reports', count),
  option(
    '--close-after <seconds>',
    'close a round when it has been open for so long, and has the reports it needs',
    count,
  ),
  optionOr('--rate <number>', 'requests of one address a minute; 0 for no limit', whole(0), '6000'),
  option('--key <file>', 'key of the certificate of the server, in PEM: HTTPS', text),
  option('--cert <file>', 'certificate of the server, in PEM', text),
  PROTOCOL,
  flag('--log', 'print a line of JSON for each request, without players'),
];

const SERVE_HELP = `
Make the plan first:   ldpkit certify hinge --variant lifted --epsilon 1 --grade deployment --json > plan.json
Needs the packages fastify, @fastify/swagger, @fastify/rate-limit, lmdb and prom-client (npm install …);
with --cluster also @nats-io/transport-node and @nats-io/jetstream, and ldpkit fold beside it, but for rounds and
streams.
Without --ids and --tickets anybody may answer under any name, and one person may be several players.`;
