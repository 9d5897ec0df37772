import { existsSync, readdirSync } from 'node:fs';
import { isStreamStudy, type StreamStudy } from '../../protocols/online-sgd/stream-study.ts';
import { isUserStudy, type UserStudy } from '../../protocols/user-level-mean/user-study.ts';
import { checkWord, refusal } from '../check/number.ts';
import type { Certifiable } from '../core/certified.ts';
import type { PublicParameters } from '../core/contract.ts';
import { isModelStudy, type ModelStudy } from '../simulation/model-study.ts';
import { isPointStudy, type PointStudy } from '../simulation/point-study.ts';
import type { Study } from '../simulation/study.ts';

/** A study of any kind. */
export type AnyStudy = Study | PointStudy | UserStudy | StreamStudy | ModelStudy;

// The built package: this file is dist/src/node/studies.js, the study of a protocol is dist/protocols/<name>/study.js.
function folder(): URL {
  return new URL('../../protocols/', import.meta.url);
}

/** Names of the protocols in this package that can be tried, which have a study, in alphabetical order. */
export function protocolNames(): readonly string[] {
  return readdirSync(folder(), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(new URL(`${entry.name}/study.js`, folder())))
    .map((entry) => entry.name)
    .sort();
}

/** Names of the protocols in this package that can be certified, with a study or without, in alphabetical order. */
export function certifiableNames(): readonly string[] {
  return readdirSync(folder(), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(new URL(`${entry.name}/protocol.js`, folder())))
    .map((entry) => entry.name)
    .sort();
}

/**
 * What can be certified of a protocol, by the protocol's name.
 *
 * @throws RangeError for a name that is not one of `certifiableNames`.
 */
export async function loadCertifiable(name: string): Promise<Certifiable<PublicParameters>> {
  const names = certifiableNames();
  if (!names.includes(name)) throw new RangeError(refusal('protocol', `one of ${names.join(', ')}`, name));
  const module = (await import(new URL(`${name}/protocol.js`, folder()).href)) as { readonly [name: string]: unknown };
  const found = Object.values(module).find((value) => (value as { readonly name?: unknown } | null)?.name === name);
  return found as Certifiable<PublicParameters>;
}

/**
 * The study of a protocol on labelled records, by the protocol's name, under the loss named or its own default. A new protocol is found by its folder alone.
 *
 * @throws RangeError for a name that is not such a protocol of this package.
 */
export async function loadStudy(name: string, loss?: string): Promise<Study> {
  const study = await loadAnyStudy(name);
  if (isPointStudy(study) || isUserStudy(study) || isStreamStudy(study) || isModelStudy(study)) {
    throw new RangeError(refusal('protocol', 'a protocol on labelled records', name));
  }
  return loss === undefined ? study : underLoss(study, loss);
}

/**
 * The study under the loss of this name.
 *
 * @throws RangeError for a loss the protocol does not know.
 */
export function underLoss(study: Study, loss: string): Study {
  checkWord('loss', loss, study.losses);
  return study.withLoss?.(loss) ?? study;
}

/**
 * The study of any protocol, by the protocol's name.
 *
 * @throws RangeError for a name that is not a protocol of this package.
 */
export async function loadAnyStudy(name: string): Promise<AnyStudy> {
  const names = protocolNames();
  if (!names.includes(name)) throw new RangeError(refusal('protocol', `one of ${names.join(', ')}`, name));
  const module = (await import(new URL(`${name}/study.js`, folder()).href)) as { readonly study: AnyStudy };
  return module.study;
}
