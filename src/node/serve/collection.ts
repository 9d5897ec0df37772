import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { RefusedKind, RefusedValue } from '../../check/refusal.ts';
import { type CertificateDocument, certify } from '../../core/certify.ts';
import type { PlainRequest, PublicParameters } from '../../core/contract.ts';
import { fileRefusal, parseJson, readJsonDocument } from '../files.ts';
import { type Answer, resultOf } from '../refused.ts';
import { loadAnyStudy } from '../studies.ts';
import type { Engine } from './engine.ts';
import { type Fold, restoreFold, type Served } from './fold.ts';

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
  readonly intake: Engine;
  /** Estimates are given from so many counted reports on. */
  readonly minimumPlayers: number;
  /** What estimates are asked; the protocol's defaults where it is absent. */
  readonly query: unknown;
}

/**
 * The parameters of a request, and the states of its reports.
 *
 * @throws RangeError for a protocol that is not there or collects nothing, or whatever it refuses in the request.
 */
export async function folding(
  word: string,
  request: PlainRequest,
): Promise<Pick<Collected, 'parameters' | 'fold'> & { readonly protocol: Served }> {
  const protocol = (await loadAnyStudy(word)).protocol as unknown as Served;
  if (protocol.make === undefined || !('report' in protocol)) {
    throw new RefusedValue('protocol', 'one whose players send reports', protocol.name);
  }
  const parameters = protocol.make(request);
  return { protocol, parameters, fold: (saved?: Uint8Array) => restoreFold(protocol, parameters, saved) };
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
  const word = module ?? protocol;
  const { protocol: served, parameters, fold } = await folding(word, request as PlainRequest);
  if (parameters.protocol !== protocol) throw new RefusedKind('protocol', protocol, parameters.protocol);
  if (parameters.digest !== digest) throw fileRefusal('plan', `the digest ${parameters.digest}`, path);
  const certificate = certify(served as never, parameters as never, request as PlainRequest);
  return { word, parameters, certificate, fold };
}

/**
 * What estimates are asked, from the text of an option; undefined where it was not typed.
 *
 * @throws RangeError for a text that is no JSON.
 */
export function readQuery(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  const parsed = parseJson(text);
  if ('fault' in parsed) throw new RefusedValue('query', parsed.fault, text);
  return parsed.value;
}

/** A state, and what is asked of it. */
export interface EstimateTask {
  /** The protocol as typed. */
  readonly word: string;
  readonly request: PlainRequest;
  /** The state, as `save` of a fold gave it. */
  readonly saved: Uint8Array;
  /** The query; the protocol's defaults where it is absent. */
  readonly query: unknown;
}

/** Estimates in a thread of their own: they may take seconds, in which reports must be taken. */
export interface Estimating {
  /**
   * The estimate as JSON text; numbers of arrays are written out.
   *
   * @throws RangeError for whatever the protocol refuses, such as too few reports.
   */
  estimate(plan: Pick<Collected, 'word' | 'certificate'>, saved: Uint8Array, query: unknown): Promise<string>;
  close(): Promise<void>;
}

/** One thread, begun at the first estimate. */
export function createEstimating(): Estimating {
  const pool = new Piscina({
    filename: fileURLToPath(new URL('./estimate-worker.js', import.meta.url)),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 60_000,
  });
  return {
    async estimate({ word, certificate: { request } }, saved, query) {
      const answer: Answer<string> = await pool.run({ word, request, saved, query } satisfies EstimateTask);
      return resultOf(answer);
    },
    close: () => pool.destroy(),
  };
}
