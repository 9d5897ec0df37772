import { Command } from 'commander';
import { PROGRAM_OUTPUT } from '../run-program.ts';
import { audit } from './audit.ts';
import { certify } from './certify.ts';
import { list } from './list.ts';
import { AUDIT_OPTIONS, CERTIFY_OPTIONS, FORECAST_OPTIONS, RUN_OPTIONS } from './options.ts';
import { packageVersion } from './origin.ts';
import { protocolCommand } from './protocol-command.ts';
import { verify } from './verify.ts';

/** The command line, ready to parse. It throws what is wrong instead of ending the process. */
export function createProgram(): Command {
  const program = new Command('ldpkit')
    .description('Local differential privacy protocols: try them on records, and see what they guarantee.')
    .version(packageVersion())
    .exitOverride()
    .configureOutput(PROGRAM_OUTPUT);

  protocolCommand(
    program,
    {
      name: 'run',
      description: 'play a protocol on records and compare it with what is possible without privacy',
      common: RUN_OPTIONS,
      notes: RUN_NOTES,
    },
    (word, study, does, options) => does(word, study, options),
  );

  program
    .command('list')
    .description('list the protocols, their variants of parameters, and what each command offers for them')
    .option('--json', 'print one JSON document')
    .action(list);

  protocolCommand(
    program,
    {
      name: 'certify',
      description: "certify what one player's whole transcript guarantees, under every accounting that applies",
      common: CERTIFY_OPTIONS,
    },
    (_, study, does, options) => certify(() => does(study, options), options),
  );

  program
    .command('verify')
    .description('compute a certificate again, and compare it field by field with what a file says')
    .argument('<file>', 'what ldpkit certify --json printed: a certificate, or a list of them')
    .option('--protocol <file>', 'module file of the protocol, where it is none of this package')
    .option('--json', 'print one JSON document')
    .addHelpText('after', VERIFY_HELP)
    .action(verify);

  protocolCommand(
    program,
    {
      name: 'audit',
      description: "attack a player's report: a lower bound on its privacy loss; exit code 3 when it refutes the claim",
      common: AUDIT_OPTIONS,
    },
    async (word, study, does, options) => audit(word, study, await does(study, options), options),
  );

  protocolCommand(
    program,
    {
      name: 'forecast',
      description: 'what to expect of each variant before collecting: errors, players needed; needs no data',
      common: FORECAST_OPTIONS,
    },
    (_, study, does, options) => does(study, options),
  );

  return program;
}

const RUN_NOTES = `
Exit code 2: an option, a file or a record was refused, and nothing was written.`;

const VERIFY_HELP = `
Exit code 0: every certificate is verified; 3: a field is not what it has to be; 2: the file is no certificate.
Texts agree exactly, numbers to 1e-9; an ε or δ below the one computed again is never accepted.`;
