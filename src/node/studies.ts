import { existsSync, readdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { StreamStudy } from '../../protocols/online-sgd/stream-study.ts';
import type { UserStudy } from '../../protocols/user-level-mean/protocol.ts';
import { checkWord, RefusedKind, RefusedValue } from '../check/refusal.ts';
import type { Certifiable } from '../core/certify.ts';
import type { PlainRequest, Protocol, PublicParameters } from '../core/contract.ts';
import type { Random } from '../random/random.ts';
import type { ModelStudy } from '../simulation/model-study.ts';
import type { PointStudy, Study, SurveyStudy } from '../simulation/study.ts';
import { fileRefusal } from './files.ts';
import { refusing } from './refused.ts';

/** A protocol of which only the contract is known: its parameters come from an unchanged request. */
export interface PlainStudy {
  /** Marks this kind of study. */
  readonly kind: 'plain';
  /** The protocol. */
  readonly protocol: AnyProtocol;
  /** What is asked for where no `--request` is typed. */
  readonly request?: PlainRequest;
  /** Made-up players for `ldpkit run`. */
  readonly trial?: PlainTrial;
}

/** Made-up players of a protocol, and what is true of them. */
export interface PlainTrial {
  /** The players in words, for the result. */
  readonly about: string;
  /** What the numbers below are, in their order. */
  names(parameters: never): readonly string[];
  /** The datum of one player, drawn from its own coins. */
  datum(parameters: never, random: Random): unknown;
  /** The numbers that are true of all players' data. */
  truth(parameters: never, data: readonly unknown[]): readonly number[];
  /** The same numbers in an estimate of the protocol. */
  found(parameters: never, estimate: never): readonly number[];
}

/** A study of any kind. */
export type AnyStudy = Study | PointStudy | UserStudy | StreamStudy | ModelStudy | SurveyStudy | PlainStudy;

// The built package: this file is dist/src/node/studies.js, a protocol and its study are in dist/protocols/<name>/protocol.js.
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

/**
 * What can be certified about a protocol, by the protocol's name.
 *
 * @throws RangeError for a name that is not one of `certifiableNames`.
 */
export async function loadCertifiable(name: string): Promise<Certifiable<PublicParameters>> {
  const names = certifiableNames();
  if (!names.includes(name)) throw new RefusedValue('protocol', `one of ${names.join(', ')}`, name);
  const found = Object.values(await moduleOf(name)).filter(
    (value) => (value as { readonly name?: unknown } | null)?.name === name,
  );
  if (found.length !== 1)
    throw new Error(`${name}/protocol has ${found.length} protocols of this name in the place of one`);
  return found[0] as Certifiable<PublicParameters>;
}

/**
 * The study of a protocol on labelled records, by the protocol's name, under the named loss or its own default. A new
 * protocol only needs its folder to be found.
 *
 * @throws RangeError for a name that is not such a protocol of this package, or a loss that it does not know.
 */
export async function loadStudy(name: string, loss?: string): Promise<Study> {
  const study = await loadAnyStudy(name);
  if (study.kind !== 'records') throw new RefusedValue('protocol', 'a protocol on labelled records', name);
  if (loss === undefined) return study;
  checkWord('loss', loss, study.losses);
  return study.withLoss?.(loss) ?? study;
}

/**
 * The law of sums of a study.
 *
 * @throws RangeError for a protocol without one.
 */
export function requiredLaw<Law>(law: Law | undefined, protocol: string): Law {
  if (law === undefined) throw new RefusedValue('law', `reports for ${protocol}, whose tally is no sum`, 'sum');
  return law;
}

/**
 * The study of any protocol, by the protocol's name, or by the path of a module file that exports one. A protocol
 * without a study gets one of the kind `plain`.
 *
 * @throws RangeError for a name that is not a protocol of this package, one without players, and a file without a
 * protocol.
 */
export async function loadAnyStudy(word: string): Promise<AnyStudy> {
  if (isPath(word)) {
    const { protocol, study } = await loadModule(word);
    return (study as AnyStudy | undefined) ?? { kind: 'plain', protocol };
  }
  const study = await findStudy(word);
  if (study !== undefined) return study;
  const names = await Promise.all(
    allNames().map(async (name) => ((await findStudy(name)) === undefined ? [] : [name])),
  );
  throw new RefusedValue('protocol', `one of ${names.flat().join(', ')}, or a module file`, word);
}

/** The study of a protocol of this package; undefined for another name and for a protocol without a study. */
export async function findStudy(name: string): Promise<AnyStudy | undefined> {
  if (!certifiableNames().includes(name)) return undefined;
  const { study } = await moduleOf(name);
  if (study !== undefined) return study as AnyStudy;
  const protocol: unknown = await loadCertifiable(name);
  return isProtocol(protocol) ? { kind: 'plain', protocol } : undefined;
}

/** A protocol of which the command line knows only that it keeps the contract; its types do not matter here. */
export type AnyProtocol = Pick<
  Protocol<PublicParameters, unknown, unknown, unknown, unknown, unknown>,
  'name' | 'theory' | 'player' | 'server' | 'auditing'
> & { make(request: PlainRequest): PublicParameters };

/** What a module file exports: a protocol, and a study of it where there is one. */
export interface ProtocolModule {
  readonly protocol: AnyProtocol;
  /** In the form of the studies of this package. */
  readonly study?: { readonly kind: string; readonly protocol: AnyProtocol };
}

/** Whether a word in the place of a protocol's name is a path: names contain letters, digits and hyphens only. */
export function isPath(word: string): boolean {
  return /[./\\]/.test(word);
}

/**
 * The protocol of a module file: that of its `study`, its default export, or its only export that is a protocol.
 *
 * @throws RangeError for a file that is missing, that Node cannot load, or that exports no protocol or several.
 */
export async function loadModule(path: string): Promise<ProtocolModule> {
  const file = resolve(path);
  const there = await stat(file).catch(() => undefined);
  if (there?.isFile() !== true) throw fileRefusal('protocol', 'a module file that is there', path);
  const module = await imported(file, path);
  const { study } = module;
  if (isStudy(study)) {
    const protocol = refusingProtocol(study.protocol);
    return { protocol, study: { ...refusing(study), protocol } };
  }
  if (isProtocol(module.default)) return { protocol: refusingProtocol(module.default) };
  const found = [...new Set(Object.values(module).filter(isProtocol))];
  if (found.length === 1) return { protocol: refusingProtocol(found[0]) };
  const exported = found.length === 0 ? 'a module that exports a protocol (see defineProtocol)' : oneOf(found);
  throw fileRefusal('protocol', exported, path);
}

async function imported(file: string, path: string): Promise<{ readonly [name: string]: unknown }> {
  try {
    return await import(pathToFileURL(file).href);
  } catch {
    // The error may quote the file, which by mistake may be a file of records.
    throw fileRefusal('protocol', 'a module that Node loads (node FILE says what is wrong with it)', path);
  }
}

/** A protocol of others: the contract lets its `make` and its player refuse with errors of the language. */
function refusingProtocol(protocol: AnyProtocol): AnyProtocol {
  return { ...refusing(protocol, ['make']), player: refusing(protocol.player) };
}

function oneOf(found: readonly AnyProtocol[]): string {
  return `a module that exports one protocol, or one of them as its default export, not ${found.map(({ name }) => name).join(', ')}`;
}

/** Whether a value has what certificates and audits need from a protocol. */
export function isProtocol(value: unknown): value is AnyProtocol {
  if (typeof value !== 'object' || value === null) return false;
  const { name, make, player, server, theory } = value as { readonly [field in keyof AnyProtocol]?: unknown };
  const has = (part: unknown, method: string): boolean =>
    typeof part === 'object' && part !== null && typeof (part as Record<string, unknown>)[method] === 'function';
  return (
    typeof name === 'string' &&
    typeof make === 'function' &&
    has(player, 'randomize') &&
    typeof server === 'object' &&
    server !== null &&
    has(theory, 'guarantee') &&
    has(theory, 'certificate')
  );
}

/** Whether a player gives one report. Rounds and streams have other players than this contract, and several. */
export function isOneShot(protocol: AnyProtocol): boolean {
  return !('rounds' in protocol) && !('start' in protocol.server);
}

function isStudy(value: unknown): value is { readonly kind: string; readonly protocol: AnyProtocol } {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, protocol } = value as { readonly kind?: unknown; readonly protocol?: unknown };
  if (typeof kind !== 'string') return false;
  if (!isProtocol(protocol)) throw new RefusedKind('study', 'one with a protocol', protocol);
  return true;
}
