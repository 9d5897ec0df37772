import { existsSync, readdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AuditedPart, AuditTarget } from '../audit/target.ts';
import { checkWord, RefusedKind, RefusedValue } from '../check/refusal.ts';
import type { Certifiable, CertificateDocument } from '../core/certify.ts';
import type { PlainRequest, PublicParameters } from '../core/contract.ts';
import type { AnyOneShot } from '../core/open.ts';
import type { Grade } from '../core/request.ts';
import type { Uncertainty } from '../inference/model-interval.ts';
import type { RefutedClaim } from '../simulation/model-study.ts';
import type { Study, StudyForecaster, Tried } from '../simulation/study.ts';
import { fileRefusal, isObject } from './files.ts';
import type { Workforce } from './jobs/jobs.ts';
import { refusedBy, refusing, type Shape, type ShapedField, type ShapedFields, type ShapeOf } from './refused.ts';
import type { RunResult } from './report/result.ts';
import type { SchemaForm } from './schema-shape.ts';

/** Reads the text of an option; `name` is the name that an error message shows. */
export type Read<Value> = (name: string, typed: string) => Value;

/** An option of a command as data; a text that `read` refuses is refused with its message. */
export interface StudyOption<Value = unknown> {
  /** As help shows it: `--name <value>`, or `--name` for a flag, whose value is true. */
  readonly flags: string;
  readonly help: string;
  /** By default the text as it is. */
  readonly read?: Read<Value>;
  /** The text that is read where none is typed; without it the value is then undefined. */
  readonly otherwise?: string;
}

/** Options of a command in the order of its help, by the names of their values: `burnIn` for `--burn-in`. */
export type OptionSet = Readonly<Record<string, StudyOption>>;

/** The values of a set of options. */
export type Values<Options> = {
  readonly [name in keyof Options]: Options[name] extends StudyOption<infer Value> ? Value : never;
};

/** The options that have these values. */
export type OptionsOf<Given> = { readonly [name in keyof Given]: StudyOption<Given[name]> };

/** One command of a study. */
export interface StudyCommand<Given> {
  /** What it does, in a few words, for the list of protocols. */
  readonly offers: string;
  readonly options: OptionSet;
  /** Notes below the help. */
  readonly notes?: string;
  /** True where it reads the flights if no `--data` is typed. */
  readonly flights?: true;
  /** True of a run whose jobs may be done elsewhere: `--part` and `--workers`. */
  readonly shared?: true;
  /** The command itself, given the values of its options. `workforce` does the jobs of a run. */
  does(options: never, workforce: Workforce): Given | Promise<Given>;
}

/** A command whose values have the types that its options read. */
export function command<Options extends OptionSet, Given, More extends object = object>(
  given: Omit<StudyCommand<Given>, 'options' | 'does'> &
    More & {
      readonly options: Options;
      does(options: Values<Options>, workforce: Workforce): Given | Promise<Given>;
    },
): StudyCommand<Given> & More {
  return given as unknown as StudyCommand<Given> & More;
}

/** What a run shows. The version and the command line are added to its document, whose title is what the records are called. */
export interface RunShown {
  readonly document: { readonly protocol: string; readonly title: string; readonly seed: string };
  /** What came out, for people: terminal and page show the same of it. It is made only where it is shown. */
  result(): RunResult | Promise<RunResult>;
  /** Files that the run wrote itself. */
  readonly written?: readonly string[];
}

/** A claim that does not hold, with its protocol and variant; it replaces a certificate. */
export interface RefutedDocument extends RefutedClaim {
  readonly protocol: string;
  readonly variant: string;
  readonly holds: false;
}

/** The certificates of all variants that were asked for, or why there is none. */
export type Certified = readonly CertificateDocument[] | { readonly refuted: readonly RefutedDocument[] };

/** What an audit attacks. */
export interface AuditRequest {
  /** What the parameters of the attacked player are made from, as plain data. */
  readonly request: object;
  /** The variant and the grade, for the heading. */
  readonly variant: string;
  readonly grade: Grade;
  /** δ at which bounds on Gaussian claims are also read as an ε. */
  readonly delta: number;
  /** Whether the attack is on what a curator releases, instead of what a player sends. */
  readonly central?: boolean;
  /** Trials where none are typed: a million by default. */
  readonly trials?: number;
}

/** What a forecast shows, both as a document and as lines of a terminal. */
export interface Shown {
  readonly document: object;
  readonly lines: readonly string[];
}

/** The target of an audit, whatever the types of its protocol. */
export type AnyTarget = AuditTarget<unknown, unknown, unknown>;

/** The audit of a study. Worker threads load the study too, and ask it for the target of the same request. */
export interface StudyAudit {
  /** The player under attack; of a protocol in rounds that of one round, or by default the transcript. */
  target(request: never, part?: AuditedPart): AnyTarget | Promise<AnyTarget>;
  /** What can be attacked, where there is more than one report. */
  parts?(request: never): readonly AuditedPart[] | undefined | Promise<readonly AuditedPart[] | undefined>;
}

/** A protocol of which the command line knows only that it keeps the contract; its types do not matter here. */
export type AnyProtocol = Pick<AnyOneShot, 'name' | 'theory' | 'player' | 'server' | 'auditing'> & {
  make(request: PlainRequest): PublicParameters;
};

/**
 * The commands of a study: for each the options with their parsers, and what is done. A run ends in a document and in a
 * {@link RunResult}, of which terminal, JSON and page are made. A command that is absent is refused. The study of a module
 * file may have `commands` of its own, which take the place of those of its kind.
 */
export interface StudyCommands {
  readonly run?: StudyCommand<RunShown | undefined>;
  readonly certify?: StudyCommand<Certified>;
  readonly audit?: StudyCommand<AuditRequest> & StudyAudit;
  readonly forecast?: StudyCommand<Shown> & {
    /** What worker threads forecast an excess risk with; they load the study too. */
    forecaster?(setting: never): StudyForecaster;
  };
}

/** A protocol as the command line knows it, and nothing else of it. */
export interface CommandStudy extends StudyCommands {
  readonly protocol: Pick<AnyProtocol, 'name'>;
  /** What kind of study it is, for the list of protocols; absent for one that has its own commands only. */
  readonly kind?: string;
  /** What it does, in one line. */
  readonly summary?: string;
  /** Its variants, in the order of tables. */
  readonly variants?: readonly string[];
  /** Why an option is refused that other protocols have: the end of `expected none: …`. `elsewhere` is what those say of it. */
  lacks?(option: string, elsewhere: string | undefined): string;
  /** The form of the schemas of its records; absent where it reads no file. */
  readonly form?: SchemaForm;
  /** What the noise leaves open about what was estimated from a tally, where that can be told from the two. */
  uncertainty?(parameters: PublicParameters, query: unknown): (tally: unknown, found: never) => Uncertainty;
}

/** The commands that work on one protocol. */
export type ProtocolCommand = 'run' | 'certify' | 'audit' | 'forecast';

/** Their names, in the order of the list. */
export const COMMANDS: readonly ProtocolCommand[] = ['run', 'certify', 'audit', 'forecast'];

/** What each of them gets from a study. */
export interface Answers {
  readonly run: RunShown | undefined;
  readonly certify: Certified;
  readonly audit: AuditRequest;
  readonly forecast: Shown;
}

/** The shape of a field, and the commands of the kind that need it. */
export type Need<Of = Shape> = readonly [shape: Of, ...needed: ProtocolCommand[]];

/** What a study has to have: every field of its type, but for the protocol, of which what a command needs may be said. */
export type Needs<Of> = [Of] extends [never]
  ? Readonly<Record<string, Need>>
  : { readonly [name in ShapedFields<Omit<Of, 'kind' | 'protocol'>>]: Need<ShapeOf<ShapedField<Of, name>>> } & {
      readonly protocol?: Need;
    };

/** What the commands of a kind need of what studies of every kind say. */
export const TRIED: Needs<Tried> = {
  summary: ['a text', 'run'],
  variants: ['a list of one or more texts', ...COMMANDS],
  'checkQuery?': ['a function'],
};

/** How the studies of one kind become objects of the command line: plain data of a protocol in, commands out. */
export interface StudyKind<Of> {
  /** The options of all studies of the kind. */
  readonly options: { readonly [name in ProtocolCommand]: OptionSet };
  /** What is said of options that only this kind has, where a protocol of another kind is asked for one. */
  readonly elsewhere?: Readonly<Record<string, (protocol: string) => string>>;
  /** What its commands need of a study, checked before each. */
  readonly needs: Needs<Of>;
  /** The study of a protocol; `word` is its name, or its module file, as typed: threads load it by the same word. */
  open(study: Of, word: string): CommandStudy;
}

// The built package: this file is dist/src/node/study.js, a protocol and its study are in dist/protocols/<name>/protocol.js.
function folder(): URL {
  return new URL('../../protocols/', import.meta.url);
}

/** Names of the folders that contain a given file, in alphabetical order. */
function namesWith(file: string): readonly string[] {
  return readdirSync(folder(), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(new URL(`${entry.name}/${file}`, folder())))
    .map((entry) => entry.name)
    .sort();
}

/** Names of all protocols of this package, in alphabetical order. */
export function allNames(): readonly string[] {
  return namesWith('index.js');
}

/** Names of the protocols in this package that can be certified, with or without a study, in alphabetical order. */
export function certifiableNames(): readonly string[] {
  return namesWith('protocol.js');
}

/** What the file of a protocol of this package exports: the protocol, and its study where it has one. */
function moduleOf(name: string): Promise<{ readonly [name: string]: unknown }> {
  return import(new URL(`${name}/protocol.js`, folder()).href);
}

/** What can be certified about a protocol, by its name, one of `certifiableNames`. */
export async function loadCertifiable(name: string): Promise<Certifiable<PublicParameters>> {
  const names = certifiableNames();
  if (!names.includes(name)) throw new RefusedValue('protocol', `one of ${names.join(', ')}`, name);
  const module = await moduleOf(name);
  // A file may also export the protocol with fewer variants, for devices: its study names the one that has them all.
  const { protocol } = (module.study ?? {}) as { readonly protocol?: Certifiable<PublicParameters> };
  if (protocol !== undefined) return protocol;
  const found = Object.values(module).filter((value) => (value as { readonly name?: unknown } | null)?.name === name);
  if (found.length !== 1)
    throw new Error(`${name}/protocol has ${found.length} protocols of this name in the place of one`);
  return found[0] as Certifiable<PublicParameters>;
}

/** What a protocol's file exports as its study: plain data of a kind, commands of its own, or both. */
export interface StudyData {
  readonly kind?: string;
  readonly protocol: AnyProtocol;
  /** Not checked yet. */
  readonly commands?: unknown;
  checkQuery?: Tried['checkQuery'];
}

/** The study of a protocol on labelled records, by the protocol's name, under the named loss or its own default. */
export async function loadStudy(name: string, loss?: string): Promise<Study> {
  const data = await loadData(name);
  if (data.kind !== 'records') throw new RefusedValue('protocol', 'a protocol on labelled records', name);
  const study = data as unknown as Study;
  if (loss !== undefined) checkWord('loss', loss, study.losses);
  return underLoss(study, loss);
}

/** A study under a loss that it knows, or under its own default. */
export const underLoss = (study: Study, loss: string | undefined): Study =>
  loss === undefined ? study : (study.withLoss?.(loss) ?? study);

/** The law of sums of a study; refused for a protocol without one. */
export function requiredLaw<Law>(law: Law | undefined, protocol: string): Law {
  if (law === undefined) throw new RefusedValue('law', `reports for ${protocol}, whose tally is no sum`, 'sum');
  return law;
}

/** The study of any protocol, by its name or the path of a module file; one of the kind `plain` where it has none. */
export async function loadData(word: string): Promise<StudyData> {
  const found = isPath(word) ? await loadModule(word) : await findData(word);
  if (found !== undefined) return found;
  const names = await Promise.all(allNames().map(async (name) => ((await findData(name)) === undefined ? [] : [name])));
  throw new RefusedValue('protocol', `one of ${names.flat().join(', ')}, or a module file`, word);
}

/** The study of a protocol of this package; undefined for another name and for a protocol without a study. */
export async function findData(name: string): Promise<StudyData | undefined> {
  if (!certifiableNames().includes(name)) return undefined;
  const { study } = await moduleOf(name);
  if (study !== undefined) return study as StudyData;
  const protocol: unknown = await loadCertifiable(name);
  return isProtocol(protocol) ? { kind: 'plain', protocol } : undefined;
}

/** Whether a word in the place of a protocol's name is a path: names contain letters, digits and hyphens only. */
export function isPath(word: string): boolean {
  return /[./\\]/.test(word);
}

/** The study that a module file exports; without one its default export, or its only export that is a protocol. */
export async function loadModule(path: string): Promise<StudyData> {
  const file = resolve(path);
  const there = await stat(file).catch(() => undefined);
  if (there?.isFile() !== true) throw fileRefusal('protocol', 'a module file that is there', path);
  const module = await imported(file, path);
  try {
    return studyIn(module, path);
  } catch (error) {
    if (refusedBy(error) !== undefined) throw error;
    // Only a getter of the module's own fails here.
    throw fileRefusal('protocol', 'a module whose exports can be read (a getter of one throws)', path);
  }
}

/** What a loaded module exports, as a study. */
function studyIn(module: { readonly [name: string]: unknown }, path: string): StudyData {
  const { study } = module;
  if (isStudy(study)) return refusingStudy(study);
  const plain = (protocol: AnyProtocol): StudyData => ({ kind: 'plain', protocol: refusingProtocol(protocol) });
  if (isProtocol(module.default)) return plain(module.default);
  const found = [...new Set(Object.values(module).filter(isProtocol))];
  if (found.length === 1) return plain(found[0]);
  const names = found.map(({ name }) => name).join(', ');
  const exported =
    found.length === 0
      ? 'a module that exports a protocol (see defineProtocol)'
      : `a module that exports one protocol, or one of them as its default export, not ${names}`;
  throw fileRefusal('protocol', exported, path);
}

async function imported(file: string, path: string): Promise<{ readonly [name: string]: unknown }> {
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    // A definition that is refused says what is wrong with it.
    if (refusedBy(error) !== undefined) throw error;
    // Another error may quote the file, which by mistake may be a file of records.
    throw fileRefusal('protocol', 'a module that Node loads (node FILE says what is wrong with it)', path);
  }
}

/** A study of others: its functions and those of its parts refuse. Its commands are checked where they are read. */
function refusingStudy(study: StudyData): StudyData {
  const parts = Object.entries(study).flatMap(([name, part]: [string, unknown]) =>
    name !== 'commands' && isObject(part) && Object.getPrototypeOf(part) === Object.prototype
      ? [[name, refusing(part, Object.keys(part), `study.${name}`)]]
      : [],
  );
  return { ...refusing(study), ...Object.fromEntries(parts), protocol: refusingProtocol(study.protocol) };
}

/** A protocol of others: the contract lets its `make` and its player refuse with errors of the language. */
function refusingProtocol(protocol: AnyProtocol): AnyProtocol {
  return { ...refusing(protocol, ['make']), player: refusing(protocol.player) };
}

/** Whether a value has what certificates and audits need from a protocol. */
export function isProtocol(value: unknown): value is AnyProtocol {
  if (!isObject(value)) return false;
  const { name, make, player, server, theory } = value;
  const has = (part: unknown, method: string): boolean => isObject(part) && typeof part[method] === 'function';
  return (
    typeof name === 'string' &&
    typeof make === 'function' &&
    has(player, 'randomize') &&
    isObject(server) &&
    has(theory, 'guarantee') &&
    has(theory, 'certificate')
  );
}

/** Whether a player gives one report. Rounds and streams have other players than this contract, and several. */
export function isOneShot(protocol: AnyProtocol): boolean {
  return !('rounds' in protocol) && !('start' in protocol.server);
}

function isStudy(value: unknown): value is StudyData {
  if (!isObject(value)) return false;
  const { kind, protocol, commands } = value;
  if (typeof kind !== 'string' && commands === undefined) return false;
  if (!isProtocol(protocol)) throw new RefusedKind('study', 'one with a protocol', protocol);
  return true;
}
