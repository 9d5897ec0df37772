import { refusal } from '../../check/number.ts';
import { RefusedKind, RefusedValue } from '../../check/refusal.ts';
import type { CertificateDocument } from '../../core/certified.ts';
import { certify } from '../../core/certify.ts';
import type { PlainRequest, PublicParameters } from '../../core/contract.ts';
import { fileRefusal, parseJson, readJsonDocument } from '../files.ts';
import { loadAnyStudy } from '../studies.ts';
import { type Fold, restoreFold, type Served } from './fold.ts';
import type { Intake } from './intake.ts';

/** A plan that can be collected: everything in it is public. */
export interface Collected {
  /** The protocol as typed: a name of this package, or a module file. */
  readonly word: string;
  readonly parameters: PublicParameters;
  readonly certificate: CertificateDocument;
  /** The state before the first report, or that in saved bytes. */
  readonly fold: (saved?: Uint8Array) => Fold;
}

/** A plan that is open for reports. */
export interface OpenPlan extends Collected {
  readonly intake: Intake;
  /** Estimates are given from so many counted reports on. */
  readonly minimumPlayers: number;
  /** What estimates are asked; the protocol's defaults where it is absent. */
  readonly query: unknown;
}

/**
 * The plan of a request.
 *
 * @throws RangeError for a protocol that is not there or collects nothing, or whatever it refuses in the request.
 */
export async function collectedPlan(word: string, request: PlainRequest): Promise<Collected> {
  const protocol = (await loadAnyStudy(word)).protocol as unknown as Served;
  if (protocol.make === undefined || !('report' in protocol)) {
    throw new RefusedValue(refusal('protocol', 'one whose players send reports', protocol.name));
  }
  const parameters = protocol.make(request);
  const certificate = certify(protocol as never, parameters as never, request);
  return { word, parameters, certificate, fold: (saved) => restoreFold(protocol, parameters, saved) };
}

/**
 * The plan in a file that `ldpkit certify --json` wrote. Its digest is computed again.
 *
 * @throws RangeError for a file that is no certificate, or whose request has another digest.
 */
export async function readPlan(path: string, module?: string): Promise<Collected> {
  const document = await readJsonDocument('plan', path);
  const { protocol, request, digest } = (document ?? {}) as { readonly [field: string]: unknown };
  if (typeof protocol !== 'string' || typeof request !== 'object' || request === null) {
    throw fileRefusal('plan', 'one certificate, as ldpkit certify --json prints it', path);
  }
  const plan = await collectedPlan(module ?? protocol, request as PlainRequest);
  if (plan.parameters.protocol !== protocol)
    throw new RefusedKind(refusal('protocol', protocol, plan.parameters.protocol));
  if (plan.parameters.digest !== digest) throw fileRefusal('plan', `the digest ${plan.parameters.digest}`, path);
  return plan;
}

/**
 * What estimates are asked, from the text of an option; undefined where it was not typed.
 *
 * @throws RangeError for a text that is no JSON.
 */
export function readQuery(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  const parsed = parseJson(text);
  if ('fault' in parsed) throw new RefusedValue(refusal('query', parsed.fault, text));
  return parsed.value;
}
