import { availableParallelism } from 'node:os';
import { Command, Option } from 'commander';
import { checkWord, RefusedValue } from '../../check/refusal.ts';
import { playHere, type Workforce } from '../jobs/jobs.ts';
import { PROGRAM_OUTPUT, packageVersion } from '../run-program.ts';
import { type Asked, commandOf, knownOptions, openStudy, readOptions, type Typed } from '../studies.ts';
import type { Answers, OptionSet, ProtocolCommand, StudyOption } from '../study.ts';
import {
  ATTACK,
  AUDITED,
  CERTIFICATE,
  CERTIFY,
  count,
  FORECAST,
  flag,
  JSON_DOCUMENT,
  option,
  optionOr,
  parsed,
  partOf,
  RECORD_FILE,
  RESULT,
  RUN,
  SHARED,
  shown,
  THREADS,
  text,
  whole,
} from './options.ts';

/** The command line, ready to parse. On an error it throws instead of ending the process. */
export function createProgram(): Command {
  const program = new Command('ldpkit')
    .description('Local differential privacy protocols: try them on records, and see what they guarantee.')
    .version(packageVersion())
    .exitOverride()
    .configureOutput(PROGRAM_OUTPUT);
  // Commands are loaded on demand: loading charts and readers of files takes longer than making a certificate.
  protocolCommand(program, {
    name: 'run',
    description: 'play a protocol on records and compare it with what is possible without privacy',
    common: { ...RUN, ...SHARED, ...RESULT },
    notes: '\nExit code 2: an option, a file or a record was refused, and nothing was written.',
    act: async (ask, options, asked) => (await import('./play.ts')).run(ask, options, asked),
  });
  program
    .command('list')
    .description('list the protocols, their variants of parameters, and what each command offers for them')
    .option('--json', 'print one JSON document')
    .action(async (options) => (await import('../studies.ts')).list(options));
  protocolCommand(program, {
    name: 'certify',
    description:
      "certify what one player's whole transcript guarantees, under every accounting that applies; exit code 3 where a claim is not certified",
    common: { ...CERTIFY, ...CERTIFICATE },
    act: async (ask, options) => (await import('./certify.ts')).certify(await ask(), options),
  });
  program
    .command('verify')
    .description('compute a certificate again, and compare it field by field with what a file says')
    .argument('<file>', 'what ldpkit certify --json printed: a certificate, or a list of them')
    .option('--protocol <file>', 'module file of the protocol, where it is none of this package')
    .option('--json', 'print one JSON document')
    .addHelpText('after', VERIFY_HELP)
    .action(async (file, options) => (await import('./verify.ts')).verify(file, options));
  const merge = program
    .command('merge')
    .description('put the parts of a run together: what ldpkit run prints on one machine, to the bit')
    .argument('<part...>', 'what ldpkit run --part wrote, all parts in any order')
    .action(async (parts, options) => (await import('./play.ts')).merge(parts, options));
  for (const one of Object.values({ ...RECORD_FILE, threads: THREADS, ...RESULT })) merge.addOption(parsed(one));
  program
    .command('work')
    .description('do the work of runs on other machines (ldpkit run --workers), until the process is told to end')
    .argument('<url>', 'NATS server with JetStream, such as nats://host:4222; several with commas')
    .addOption(
      parsed(optionOr('--folder <folder>', 'where files of runs are kept, by their content', text, 'worker-files')),
    )
    .addOption(parsed(optionOr('--threads <number>', 'jobs at once', whole(1, 256), String(availableParallelism()))))
    .addOption(parsed(option('--name <text>', 'name of this worker (default: host and process)', text)))
    .action(async (url, options) => (await import('../jobs/remote.ts')).work(url, options));
  protocolCommand(program, {
    name: 'audit',
    description: "attack a player's report: a lower bound on its privacy loss; exit code 3 when it refutes the claim",
    common: { ...AUDITED, ...ATTACK },
    async act(ask, options, { word, study }) {
      const of = { word, protocol: study.protocol.name, of: commandOf('audit', study) };
      await (await import('./audit.ts')).audit(of, await ask(), options);
    },
  });
  protocolCommand(program, {
    name: 'forecast',
    description: 'what to expect of each variant before collecting: errors, players needed; needs no data',
    common: { ...FORECAST, json: JSON_DOCUMENT },
    act: async (ask, options) => (await import('./show.ts')).show(await ask(), options),
  });
  program
    .command('new')
    .description('start a protocol of your own: a folder with a protocol, its broken twin, tests and README')
    .argument('<name>', 'lower-case words joined by hyphens')
    .option(
      '--kind <word>',
      'one-shot, rounds or stream: how often a player is asked, and about what (default: one-shot)',
    )
    .action(async (name, { kind = 'one-shot' }) => {
      const { NEW_KINDS, startProtocol } = await import('./new.ts');
      await startProtocol(name, checkWord('kind', kind, NEW_KINDS));
    });
  program
    .command('schema')
    .description('start the schema of a file of your own')
    .command('init')
    .description('write a schema for a CSV file, with questions in the place of what only a person may decide')
    .argument('<file>', 'records as CSV, with a header row')
    .option('--for <protocol>', 'protocol that the records are for', 'hinge')
    .option('--label <column>', 'column that is predicted')
    .option('--player <column>', 'column that says whose a row is')
    .option('--propose', 'propose bounds, rounded from the file; a bound taken over tells something of the records')
    .option('--out <file>', 'where the schema goes (default: beside the file, as NAME.schema.json)')
    .action(async (file, options) => (await import('./schema.ts')).initSchema(file, options));
  serveCommands(program);
  for (const command of allBelow(program)) refuseMistyped(command);
  return program;
}

function allBelow({ commands }: Command): readonly Command[] {
  return commands.flatMap((command) => [command, ...allBelow(command)]);
}

/** Refuses an option that is typed twice, of which one would count, and a value like an option: `--out --json` would make this folder. */
function refuseMistyped(command: Command): void {
  for (const one of command.options.filter(({ required }) => required)) {
    let typed = false;
    command.on(`option:${one.name()}`, (value: string) => {
      if (typed) throw new RefusedValue(one.name(), 'to be typed once', value);
      if (value.startsWith('--')) throw new RefusedValue(one.name(), 'a value, and no other option', value);
      typed = true;
    });
  }
}

const VERIFY_HELP = `
Exit code 0: every certificate is verified; 3: a field is not what it has to be, or no total implies the claim;
2: the file is no certificate.
Texts agree exactly, numbers to 1e-9; an ε or δ below the one computed again is never accepted.`;

const HELP = new Option('-h, --help', 'display help for command');

/** A command about one protocol: its words, the options of every kind of protocols, and how it uses the answer. */
interface ProtocolCommandWords<Name extends ProtocolCommand> {
  readonly name: Name;
  readonly description: string;
  readonly common: OptionSet;
  /** Notes below the help, for any protocol. */
  readonly notes?: string;
  // A study reads its own options; code for all studies knows only the options that the command has itself.
  act(ask: (workforce?: Workforce) => Promise<Answers[Name]>, options: never, asked: Asked): Promise<void>;
}

/** Adds a command with the options of a protocol: its words are read twice, first for the protocol, then by the options of its study. */
function protocolCommand<Name extends ProtocolCommand>(
  program: Command,
  { name, description, common, notes = '', act }: ProtocolCommandWords<Name>,
): void {
  const made = (): Command =>
    new Command(name)
      .description(description)
      .argument('[protocol]', 'a name of ldpkit list, or a module file')
      .usage('[options] <protocol>')
      .copyInheritedSettings(program)
      .helpOption(false);
  const command = made().allowUnknownOption().allowExcessArguments();
  const more = `\nThese are the options of all protocols; ldpkit ${name} hinge --help shows those of hinge, and so for every protocol.`;
  command.configureHelp({ visibleOptions: () => [...Object.values(common).map(shown), HELP] });
  command.addHelpText('after', more + notes);
  program.addCommand(command);
  command.action(async () => {
    const words = command.args;
    const known = knownOptions(name);
    const word = protocolIn(words, known);
    if (word === undefined) {
      if (!words.includes('--help') && !words.includes('-h'))
        command.error("error: missing required argument 'protocol'");
      command.outputHelp();
      return;
    }
    const study = await openStudy(word);
    const found = commandOf(name, study);
    const own = made().addOption(HELP).addHelpText('after', notes);
    own.parent = program;
    for (const one of Object.values({ ...known, ...found.options })) own.addOption(new Option(one.flags).hideHelp());
    own.usage(`[options] ${word}`).configureHelp({
      visibleOptions: () => [...Object.values(found.options).map(shown), HELP],
      visibleArguments: () => [],
    });
    if (found.notes !== undefined) own.addHelpText('after', found.notes);
    refuseMistyped(own);
    own.parse([...words], { from: 'user' });
    const { help, ...typed } = own.opts<Typed>();
    if (help !== undefined) {
      own.outputHelp();
      return;
    }
    const options = readOptions(study, found.options, typed);
    const ask = async (workforce = playHere()) => (await found.does(options, workforce)) as Answers[Name];
    await act(ask, options, { word, study, typed });
  });
}

/** The first word that is neither an option nor the value of a known one. */
function protocolIn(words: readonly string[], known: OptionSet): string | undefined {
  const valued = new Set(
    Object.values(known).flatMap(({ flags }) => (flags.includes('<') ? [flags.split(' ')[0]] : [])),
  );
  return words.find((word, i) => !word.startsWith('-') && !valued.has(words[i - 1]));
}

/** Adds the commands that collect: `serve`, `fold`, `tickets`, `export`, `tally` and `demo`. */
function serveCommands(program: Command): void {
  const serve = program
    .command('serve')
    .description('collect reports of plans over HTTP: durable, each player once')
    .argument('<plan...>', 'what ldpkit certify --json printed, one file for each plan')
    .action(async (files, options) => (await import('./serve.ts')).serve(files, options));
  for (const one of SERVE) serve.addOption(parsed(one));
  serve.addHelpText('after', SERVE_HELP);
  const ofPlan = (name: string, description: string): Command =>
    program.command(name).description(description).argument('<plan>', 'what ldpkit certify --json printed');
  ofPlan('fold', 'make the tallies of a cluster, and keep them there: a worker of ldpkit serve --cluster')
    .addOption(parsed(CLUSTER).makeOptionMandatory())
    .addOption(parsed(option('--part <k/n>', 'only the partitions of worker k of n (default: all)', partOf)))
    .addOption(parsed(PARTITIONS))
    .addOption(parsed(REPLICAS))
    .addOption(parsed(PROTOCOL))
    .action(async (file, options) => (await import('./serve.ts')).fold(file, options));
  ofPlan('tickets', 'make single-use tickets of a plan, so that one person is one player')
    .addOption(parsed(optionOr('--count <number>', 'how many tickets', count, '1')))
    .addOption(new Option('--secret <file>', 'file of the secret; made where it is not there').makeOptionMandatory())
    .addOption(parsed(PROTOCOL))
    .action(async (file, options) => (await import('./serve.ts')).tickets(file, options));
  ofPlan('export', 'write all accepted reports of a plan into a Parquet file, without players')
    .addOption(parsed(folderFor('not read')))
    .addOption(parsed(CLUSTER))
    .addOption(new Option('--out <file>', 'the file to write').makeOptionMandatory())
    .addOption(parsed(PROTOCOL))
    .action(async (file, options) => (await import('./serve.ts')).exportReports(file, options));
  ofPlan('tally', 'tally exported reports, and print the estimate: the same as the collector, to the bit')
    .argument('<file>', 'what ldpkit export wrote')
    .addOption(parsed(PROTOCOL))
    .addOption(parsed(QUERY))
    .action(async (file, data, options) => (await import('./serve.ts')).tally(file, data, options));
  program
    .command('demo')
    .description('a collector, simulated devices that answer over HTTP, and the live page')
    .addOption(parsed(optionOr('--devices <number>', 'how many devices', count, '10000')))
    .addOption(parsed(flag('--exit', 'end after the estimate; exit code 0 only if all receipts add up')))
    .action(async (options) => (await import('./demo.ts')).demo(options));
}

const PROTOCOL = option('--protocol <file>', 'module file of the protocol, where it is none of this package', text);
const QUERY = option('--query <json>', "what estimates are asked, as JSON (default: the protocol's own)", text);
const folderFor = (withCluster: string) =>
  optionOr('--folder <folder>', `where accepted reports are kept; with --cluster ${withCluster}`, text, 'collected');
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

const SERVE: readonly StudyOption[] = [
  folderFor('those with a receipt of this collector'),
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
