import { fileURLToPath } from 'node:url';
import { RefusedKind, RefusedValue } from '../check/refusal.ts';
import { ATTACK, CERTIFICATE, JSON_DOCUMENT, nameOf, RESULT, readTyped, SHARED } from './commands/options.ts';
import { isObject, readJsonDocument } from './files.ts';
import type { Workforce } from './jobs/jobs.ts';
import { models } from './kinds/models.ts';
import { plain, surveys } from './kinds/plain.ts';
import { points, records } from './kinds/records.ts';
import { streams } from './kinds/streams.ts';
import { users } from './kinds/users.ts';
import { jsonText, print, printJson } from './print.ts';
import { checkShape, refusing } from './refused.ts';
import {
  allNames,
  COMMANDS,
  type CommandStudy,
  findData,
  loadData,
  type OptionSet,
  type ProtocolCommand,
  type StudyCommand,
  type StudyCommands,
  type StudyData,
  type StudyKind,
} from './study.ts';

/** The kinds of studies that this package knows, by the word in their data. */
export const KINDS: Readonly<Record<string, StudyKind<never>>> = {
  records,
  points,
  users,
  stream: streams,
  model: models,
  survey: surveys,
  plain,
};

/** Options that the commands themselves read; they come after those of the study. */
const OWN: { readonly [name in ProtocolCommand]: OptionSet } = {
  run: RESULT,
  certify: CERTIFICATE,
  audit: ATTACK,
  forecast: { json: JSON_DOCUMENT },
};

/** The study of any protocol, by the protocol's name or the path of a module file, as an object with its commands. */
export async function openStudy(word: string): Promise<CommandStudy> {
  return commandsOf(await loadData(word), word);
}

/** The commands of a study: those of its own, and those of its kind. A kind that is not known is refused. */
export function commandsOf(data: StudyData, word: string): CommandStudy {
  const { kind, protocol, commands } = data;
  if (kind !== undefined && !Object.hasOwn(KINDS, kind))
    throw new RefusedValue('study', `one of the kinds ${Object.keys(KINDS).join(', ')}`, kind);
  const known = kind === undefined ? { protocol } : { kind, ...needful(data, KINDS[kind], word) };
  return completed(commands === undefined ? known : { ...known, ...checkedCommands(commands) });
}

/** What is made of each command that there is, by its name. */
function ofEach(
  commands: StudyCommands,
  make: (name: ProtocolCommand, command: StudyCommand<unknown>) => unknown,
): { readonly [name: string]: never } {
  return Object.fromEntries(
    COMMANDS.flatMap((name) => (commands[name] === undefined ? [] : [[name, make(name, commands[name])]])),
  ) as never;
}

/** The study of a kind, whose commands refuse one that lacks what they need; a command of its own may need nothing of it. */
function needful(data: StudyData, { needs, open }: StudyKind<never>, word: string): CommandStudy {
  const { uncertainty, ...study } = open(data as never, word);
  const commands = ofEach(study, (name, command) => {
    const needed = Object.entries(needs).filter(([, [, ...by]]) => by.includes(name));
    const shape = Object.fromEntries(needed.map(([field, [of]]) => [field, of]));
    const does = (given: never, workforce: Workforce) => {
      checkShape('study', data, shape);
      return command.does(given, workforce);
    };
    return { ...command, does };
  });
  // A collector gives estimates without it where the study tells none.
  const own = 'uncertainty' in data && uncertainty !== undefined ? { uncertainty } : {};
  return { ...study, ...own, ...commands };
}

/** The study with the options that the commands themselves read; those of the study take their place. */
function completed(study: CommandStudy): CommandStudy {
  const commands = ofEach(study, (name, command) => {
    const shared = name === 'run' && command.shared === true ? SHARED : {};
    return { ...command, options: { ...command.options, ...shared, ...OWN[name], ...command.options } };
  });
  return { ...study, ...commands };
}

/** Every option that any kind of study has for a command, by its name. */
export function knownOptions(name: ProtocolCommand): OptionSet {
  const all = Object.values(KINDS).map(({ options }) => options[name]);
  return Object.assign({}, ...(name === 'run' ? [SHARED] : []), OWN[name], ...all);
}

/** Why an option that a study does not have is refused: the end of `expected none: …`. */
export function reasonFor({ protocol: { name }, lacks }: CommandStudy, option: string): string {
  const elsewhere = Object.values(KINDS).flatMap(({ elsewhere = {} }) =>
    Object.hasOwn(elsewhere, option) ? [elsewhere[option](name)] : [],
  );
  return lacks?.(option, elsewhere[0]) ?? elsewhere[0] ?? `${name} has no such option`;
}

/** An option's flags: a name, and what stands for its value where it has one. */
const FLAGS = /^--[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?: <[^<>\n]{1,40}>)?$/;

/** Refuses what does not meet what is expected of a field. */
const expecting =
  (root: string) =>
  (met: boolean, field: string, expected: string, got: unknown): void => {
    if (!met) throw new RefusedKind(`${root}${field}`, expected, got);
  };

/** What a command of a module file has beside its options, and one that attacks. */
const COMMAND = { offers: 'a text', does: 'a function', 'notes?': 'a text' } as const;
const ATTACKING = { ...COMMAND, target: 'a function', 'parts?': 'a function' } as const;

/** The commands of a module file, whose functions refuse as those of a protocol do; refused with the field of another shape. */
function checkedCommands(given: unknown): StudyCommands {
  const expect = expecting('study.commands');
  const maybe = (field: string, found: unknown, is: (value: unknown) => boolean, expected: string): void =>
    expect(found === undefined || is(found), field, expected, found);
  expect(isObject(given), '', `an object with some of ${COMMANDS.join(', ')}`, given);
  return ofEach(given as StudyCommands, (name, command) => {
    expect(isObject(command), `.${name}`, 'a command: offers, options and does', command);
    checkShape(`study.commands.${name}`, command, name === 'audit' ? ATTACKING : COMMAND);
    expect(isObject(command.options), `.${name}.options`, 'an object of options', command.options);
    const own = Object.entries<object>(command.options).map(([key, option]) => {
      const field = `.${name}.options.${key}`;
      const { flags, help, read, otherwise } = (option ?? {}) as Fields;
      expect(isText(flags) && FLAGS.test(flags), `${field}.flags`, '--name, or --name <value>', flags);
      expect(key === nameOf(flags as string) && key !== 'help', field, 'the name that its flags make', flags);
      expect(!Object.hasOwn(OWN[name], key), field, 'a name that the command itself does not use', key);
      expect(isText(help), `${field}.help`, 'a text', help);
      const valued = (flags as string).includes('<');
      maybe(`${field}.read`, read, (found) => valued && typeof found === 'function', 'a function, for a value');
      maybe(`${field}.otherwise`, otherwise, (found) => valued && isText(found), 'a text, for a value');
      return [key, refusing(option)];
    });
    const refused = refusing(command);
    const checked = async (given: never, workforce: Workforce) =>
      checkedOutcome(name, await refused.does(given, workforce));
    return { ...refused, options: Object.fromEntries(own), does: checked };
  });
}

/** What a command of a module file came to, with a check of its shape; the result of a run is checked where it is shown. */
async function checkedOutcome(name: ProtocolCommand, outcome: unknown): Promise<unknown> {
  const { document, result, lines, request, variant, grade, delta } = (outcome ?? {}) as Fields;
  const expect = expecting(`${name}.`);
  if (name === 'certify') {
    const { checkCertificateHead, checkCertificateShape } = await import('./commands/verify.ts');
    expect(Array.isArray(outcome) && outcome.length > 0, 'does', 'a list of certificates', outcome);
    for (const certificate of outcome as readonly unknown[]) {
      checkCertificateHead(certificate);
      checkCertificateShape(certificate);
    }
  } else if (name === 'audit') {
    expect(isObject(request), 'request', 'an object', request);
    expect(isText(variant), 'variant', 'a text', variant);
    expect(grade === 'simulation' || grade === 'deployment', 'grade', 'simulation or deployment', grade);
    expect(typeof delta === 'number' && delta > 0 && delta < 1, 'delta', 'a number in (0, 1)', delta);
  } else if (name === 'forecast') {
    checkShape(name, { document, lines }, { document: 'an object', lines: 'a list of texts' });
  } else if (outcome !== undefined) {
    const head = { protocol: 'a text', title: 'a text', seed: 'a text' } as const;
    checkShape(name, { document, result }, { document: head, result: 'a function' });
  }
  return outcome;
}

type Fields = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === 'string';

/** Options as typed, by their names: a text, or true for a flag. */
export interface Typed {
  readonly [name: string]: string | true;
}

/** A command about one protocol, as typed: the word is its name or its module file. */
export interface Asked {
  readonly word: string;
  readonly study: CommandStudy;
  readonly typed: Typed;
}

/** What an error says was expected, if a protocol does not answer a command. */
const MISSING: { readonly [name in ProtocolCommand]: string } = {
  run: 'one that can be played: a study of records, or with a trial that makes up players',
  certify: 'one that tells how to certify it',
  audit: 'one that tells how to audit it',
  forecast: 'one that tells how to forecast it',
};

/** A command of a study; refused where it has no such command. */
export function commandOf<Name extends ProtocolCommand>(name: Name, study: CommandStudy): Required<CommandStudy>[Name] {
  const found = study[name] as Required<CommandStudy>[Name] | undefined;
  if (found === undefined) throw new RefusedValue('protocol', MISSING[name], study.protocol.name);
  return found;
}

/** The typed values, read by the options of a command, with their defaults. One that it does not have is refused. */
export function readOptions(study: CommandStudy, options: OptionSet, given: Typed): never {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(options, name)) throw new RefusedValue(name, `none: ${reasonFor(study, name)}`, value);
  }
  const read = Object.entries(options).map(([name, option]) => [name, readTyped(option, given[name])]);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as never;
}

/** `ldpkit list`: the protocols of this package, with their variants and what each command offers for them. */
export async function list(options: { readonly json?: boolean }): Promise<void> {
  // What the build found out about the protocols: see `listing`.
  const file = fileURLToPath(new URL('./studies.json', import.meta.url));
  const listed = (await readJsonDocument('listing', file)) as readonly Listed[];
  if (options.json === true) printJson(jsonText(listed));
  else print(listed.flatMap(linesOf));
}

function linesOf({ protocol, summary, variants, commands }: Listed): readonly string[] {
  // Everything that is certified can be verified.
  const words = { certify: 'certify, verify' } as { readonly [name: string]: string };
  const offers = Object.entries(commands).map(([name, offered]) => `  ${words[name] ?? name}: ${offered}`);
  if (offers.length === 0) return [`${protocol}: in the library only (ldpkit/protocols/${protocol})`];
  return [
    `${protocol}${summary === undefined ? '' : `: ${summary}`}`,
    ...(variants === undefined ? [] : [`  variants: ${variants.join(', ')}`]),
    ...offers,
  ];
}

/** What is known about a protocol before one tries it. */
export interface Listed {
  readonly protocol: string;
  /** What kind of study it has; absent if the protocol is in the library only. */
  readonly kind?: string;
  readonly summary?: string;
  readonly variants?: readonly string[];
  readonly commands: { readonly [command in ProtocolCommand]?: string };
}

/** All protocols of this package. It loads all studies; the build calls it once, and keeps it for `ldpkit list`. */
export function listing(): Promise<readonly Listed[]> {
  return Promise.all(
    allNames().map(async (protocol) => {
      const data = await findData(protocol);
      if (data === undefined) return { protocol, commands: {} };
      const study = commandsOf(data, protocol);
      const { kind = '', summary, variants } = study;
      const about = { ...(summary === undefined ? {} : { summary }), ...(variants === undefined ? {} : { variants }) };
      return { protocol, kind, ...about, commands: ofEach(study, (_, { offers }) => offers) };
    }),
  );
}
