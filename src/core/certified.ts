import { refusal } from '../check/number.ts';
import { RefusedKind, RefusedValue } from '../check/refusal.ts';
import type { Certificate } from '../privacy/certificate.ts';
import type { PlainRequest, PublicParameters, Theory } from './contract.ts';
import { canonicalJson } from './digest.ts';
import type { Grade } from './grade.ts';

/** No variant has nearly as many fields. For each field the parameters are made once more. */
const MOST_FIELDS = 64;

/** Version of the document; a field that changes its meaning makes a new version. */
export const CERTIFICATE_SCHEMA_VERSION = 1;

/**
 * A certificate that can be handed to an auditor: it holds what the transcript guarantees and everything that is needed
 * to compute it again. Plain data that survives JSON.
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
  /** The request from which the protocol makes the parameters; every field counts for the digest. */
  readonly request: PlainRequest;
  /** Digest of the parameters, which every report carries. */
  readonly digest: string;
  /** What the guarantee rests on, and what it does not cover, in sentences. */
  readonly notes: readonly string[];
}

/** What must be known of a protocol to certify it: its name, its theory, and how parameters come from plain data. */
export interface Certifiable<Parameters extends PublicParameters> {
  /** The protocol's folder name. */
  readonly name: string;
  /** The part of its theory that is certified. */
  readonly theory: Pick<Theory<Parameters>, 'certificate'>;
  /** Parameters from plain data. */
  make?(request: PlainRequest): Parameters;
}

/**
 * How a protocol makes parameters from plain data.
 *
 * @throws TypeError for a protocol that cannot.
 */
export function makerOf<Parameters extends PublicParameters>({
  name,
  make,
}: Pick<Certifiable<Parameters>, 'name' | 'make'>): (request: PlainRequest) => Parameters {
  if (make === undefined) {
    throw new RefusedKind(`"protocol" expected one that makes parameters from plain data, got ${name}`);
  }
  return make;
}

/**
 * A request without the fields that do not change the digest, such as δ where the guarantee is pure. The rest is what
 * was agreed, and every change in it is noticed.
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
  if (count > MOST_FIELDS) throw new RefusedValue(refusal('request', `at most ${MOST_FIELDS} fields`, count));
  const parameters = make(kept);
  const read = fieldsRead(make, kept);
  for (const name of Object.keys(kept)) {
    const { [name]: _, ...rest } = kept;
    // A field that the variant does not read cannot count, so it is not tried.
    if (!read.has(name) || digestFrom(make, rest) === parameters.digest) kept = rest;
  }
  return { request: kept, parameters };
}

/** The fields that a variant reads when it makes parameters from a request; all fields if it lists their names. */
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
    // The variant refuses the request without this field, so the field counts.
    if (error instanceof TypeError || error instanceof RangeError) return undefined;
    throw error;
  }
}
