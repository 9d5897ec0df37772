import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { refusal } from '../check/number.ts';
import { RefusedKind } from '../check/refusal.ts';
import type { PlainRequest, Protocol, PublicParameters } from '../core/contract.ts';
import { fileRefusal } from './files.ts';
import { refusing } from './refused.ts';

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
  if (!isProtocol(protocol)) throw new RefusedKind(refusal('study', 'one with a protocol', protocol));
  return true;
}
