import { refusal } from '../check/number.ts';
import type { Certificate } from '../privacy/certificate.ts';
import type { PlainRequest, PublicParameters, Theory } from './contract.ts';
import { canonicalJson } from './digest.ts';
import type { Grade } from './grade.ts';

/** No variant asks for nearly as many; each one more costs the making of parameters. */
const MOST_FIELDS = 64;

/** Version of the document; a field that changes its meaning makes a new one. */
export const CERTIFICATE_SCHEMA_VERSION = 1;

/**
 * A certificate that can be handed to an auditor: beside what the transcript guarantees, everything that is needed to compute
 * it again. Plain data that survives JSON.
 */
export interface CertificateDocument extends Certificate {
  /** What kind of document this is. */
  readonly schema: 'ldpkit-certificate';
  /** Version of its form. */
  readonly schemaVersion: typeof CERTIFICATE_SCHEMA_VERSION;
  /** Version of the protocol's wire format and law. */
  readonly protocolVersion: number;
  /** What the noise is made of. */
  readonly grade: Grade;
  /** What the protocol makes the parameters from; every field counts for the digest. */
  readonly request: PlainRequest;
  /** Digest of the parameters, which every report carries. */
  readonly digest: string;
  /** What the guarantee rests on, and what it does not cover, in sentences. */
  readonly notes: readonly string[];
}

/** What has to be known of a protocol to certify it: its name, its theory, and how parameters come from plain data. */
export interface Certifiable<Parameters extends PublicParameters> {
  /** The protocol's folder name. */
  readonly name: string;
  /** The part of its theory that is certified. */
  readonly theory: Pick<Theory<Parameters>, 'certificate'>;
  /** Parameters from plain data. */
  make?(request: PlainRequest): Parameters;
}

/**
 * A request without the fields that parameters of this digest do not depend on, such as δ where the guarantee is pure: what
 * is left is what was agreed, and nothing in it can be changed unnoticed.
 *
 * @throws TypeError or RangeError naming the field; RangeError for a number that JSON cannot carry.
 */
export function essentialRequest<Parameters extends PublicParameters>(
  make: (request: PlainRequest) => Parameters,
  request: PlainRequest,
): { readonly request: PlainRequest; readonly parameters: Parameters } {
  let kept = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined));
  canonicalJson(kept);
  const count = Object.keys(kept).length;
  if (count > MOST_FIELDS) throw new RangeError(refusal('request', `at most ${MOST_FIELDS} fields`, count));
  const parameters = make(kept);
  const read = fieldsRead(make, kept);
  for (const name of Object.keys(kept)) {
    const { [name]: _, ...rest } = kept;
    // What the variant does not look at cannot count, and so it need not be tried.
    if (!read.has(name) || digestFrom(make, rest) === parameters.digest) kept = rest;
  }
  return { request: kept, parameters };
}

/** The fields that a variant looks at when it makes parameters from a request; all of them where it asks which there are. */
function fieldsRead(make: (request: PlainRequest) => PublicParameters, request: PlainRequest): ReadonlySet<string> {
  const read = new Set<string>();
  make(
    new Proxy(request, {
      get(target, name) {
        read.add(String(name));
        return Reflect.get(target, name);
      },
      has(target, name) {
        read.add(String(name));
        return Reflect.has(target, name);
      },
      getOwnPropertyDescriptor(target, name) {
        read.add(String(name));
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
      ownKeys(target) {
        for (const name of Object.keys(target)) read.add(name);
        return Reflect.ownKeys(target);
      },
    }),
  );
  return read;
}

function digestFrom(make: (request: PlainRequest) => PublicParameters, request: PlainRequest): string | undefined {
  try {
    return make(request).digest;
  } catch (error) {
    // Refused without this field: then it counts.
    if (error instanceof TypeError || error instanceof RangeError) return undefined;
    throw error;
  }
}
