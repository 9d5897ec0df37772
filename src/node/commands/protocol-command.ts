import { type Command, Option } from 'commander';
import { refusal } from '../../check/number.ts';
import { type AnyStudy, loadAnyStudy } from '../studies.ts';
import type { Answer, CommandOptions, ProtocolCommand, StudyKind } from './kind.ts';
import { ALL_KINDS, answerFor } from './kinds.ts';
import { namingOptions } from './option-words.ts';

/** What a command does once protocol and options are known. */
type Act<Name extends ProtocolCommand> = (
  word: string,
  study: AnyStudy,
  does: NonNullable<StudyKind<AnyStudy>[Name]>['does'],
  options: CommandOptions[Name],
) => Promise<void>;

/** A command about one protocol: its name, its help, and the options that every kind of protocol has. */
export interface ProtocolCommandWords<Name extends ProtocolCommand> {
  readonly name: Name;
  readonly description: string;
  readonly common: readonly Option[];
  /** What is said below the help, of whatever protocol. */
  readonly notes?: string;
}

const HELP = new Option('-h, --help', 'display help for command');

/**
 * Adds a command whose options are those of the protocol that is named, or of the one that a module file exports. All options of all kinds
 * are understood, so that one that the protocol does not have is refused with a reason; the help shows its own.
 */
export function protocolCommand<Name extends ProtocolCommand>(
  program: Command,
  { name, description, common, notes = '' }: ProtocolCommandWords<Name>,
  act: Act<Name>,
): void {
  const command = program
    .command(name)
    .description(description)
    .argument('[protocol]', 'a name of ldpkit list, or a module file')
    .usage('[options] <protocol>')
    .helpOption(false)
    .addOption(HELP);
  const answers = ALL_KINDS.flatMap((kind) => kind[name] ?? []);
  for (const one of optionsAsTyped(answers.flatMap(({ options }) => options))) command.addOption(one);
  command.configureHelp({ visibleOptions: () => [...common, HELP] });
  const more = `\nThese are the options of all protocols; ldpkit ${name} hinge --help shows those of hinge, and so for every protocol.`;
  command.addHelpText('after', ({ command: shown }) => (shown.args.length === 0 ? more + notes : notes));
  command.action(
    namingOptions(async (word: string | undefined, typed: { readonly [name: string]: string | true }) => {
      const { help, ...given } = typed;
      if (word === undefined) {
        if (help === undefined) command.error("error: missing required argument 'protocol'");
        command.outputHelp();
        return;
      }
      const study = await loadAnyStudy(word);
      const answer = answerOf(name, study);
      if (help !== undefined) showHelp(command, word, answer);
      else await act(word, study, answer.does, optionsOf(answer, study.protocol.name, given) as CommandOptions[Name]);
    }),
  );
}

function answerOf<Name extends ProtocolCommand>(name: Name, study: AnyStudy): NonNullable<StudyKind<AnyStudy>[Name]> {
  const answer = answerFor(name, study);
  if (answer !== undefined) return answer;
  throw new RangeError(
    refusal(
      'protocol',
      name === 'run' ? 'one that can be played on records' : `one that tells how to ${name} it`,
      study.protocol.name,
    ),
  );
}

/** The help of a command for one protocol. */
function showHelp(command: Command, word: string, { options, notes }: Answer<never, unknown>): void {
  command.usage(`[options] ${word}`);
  command.configureHelp({ visibleOptions: () => [...options, HELP], visibleArguments: () => [] });
  if (notes !== undefined) command.addHelpText('after', notes);
  command.outputHelp();
}

/**
 * What was typed, with the defaults of the kind.
 *
 * @throws RangeError naming an option that the kind does not have.
 */
function optionsOf(
  { options, lacks }: Answer<never, unknown>,
  protocol: string,
  given: { readonly [name: string]: string | true },
): object {
  const own = new Map(options.map((one) => [one.attributeName(), one]));
  for (const [name, value] of Object.entries(given)) {
    if (!own.has(name)) throw new RangeError(refusal(name, `none: ${lacks(protocol, name)}`, value));
  }
  const defaults = options.filter(({ defaultValue }) => defaultValue !== undefined);
  return { ...Object.fromEntries(defaults.map((one) => [one.attributeName(), one.defaultValue])), ...given };
}

/**
 * Options as they are read, before it is known which protocol they are for: each name once, without a default, which may be another
 * one for every kind of protocols.
 */
function optionsAsTyped(options: readonly Option[]): readonly Option[] {
  const read = new Map<string, Option>();
  for (const one of options) {
    if (!read.has(one.attributeName())) read.set(one.attributeName(), new Option(one.flags).hideHelp());
  }
  return [...read.values()];
}
