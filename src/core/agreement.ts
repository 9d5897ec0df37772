import type { PlainRequest } from './contract.ts';
import { digestOf } from './digest.ts';

/** What players and server agree on before anything else: the request that parameters are made from, and its digest. */
export interface Agreement {
  /** Plain data that makes the same parameters again. */
  readonly request: PlainRequest;
  /** 32 hexadecimal digits over the protocol, its version and the request. */
  readonly digest: string;
}

/**
 * The agreement on a request to one version of a protocol. In the digest an empty list may stand for something that was not
 * asked for; the request does without.
 *
 * @throws RangeError for a number that JSON cannot carry.
 */
export function agreementOf(
  protocol: { readonly protocol: string; readonly version: number },
  request: PlainRequest,
): Agreement {
  const { protocol: name, version } = protocol;
  const asked = Object.entries(request).filter(([, value]) => !(Array.isArray(value) && value.length === 0));
  return { request: Object.fromEntries(asked), digest: digestOf({ protocol: name, version, ...request }) };
}
