import { RefusedKind, RefusedValue } from '../check/refusal.ts';
import type { Certificate } from '../privacy/certificate.ts';
import type { PlainRequest, PublicParameters, Theory } from './contract.ts';
import { canonicalJson, type Grade, type Json, watched } from './request.ts';

/**
 * The certificate of a protocol with these parameters, as a document that anybody can compute again: see
 * `verifyCertificate`. `request` is the request that the parameters were made from; it is needed where they do not
 * remember it.
 *
 * Guarantee: none of its own; every line of the certificate comes from the protocol's theory.
 * @throws TypeError for a protocol that cannot make parameters from plain data, or without a request; RangeError for a
 * request of other parameters, or parameters of another protocol.
 *
 * @example
 * ```ts
 * import { certify } from 'ldpkit';
 * import { hinge, lifted } from 'ldpkit/protocols/hinge';
 * const { claimed, totals } = certify(hinge, lifted({ epsilon: 1, degree: 1, dimension: 3 }));
 * console.log(claimed); // { kind: 'pure', epsilon: 1 }
 * console.log(totals.filter(({ withinClaim }) => withinClaim).map(({ accounting }) => accounting)); // [ 'pure', 'basic' ]
 * ```
 */
export function certify<Parameters extends PublicParameters>(
  protocol: Certifiable<Parameters>,
  parameters: Parameters,
  request: PlainRequest | undefined = parameters.request,
): CertificateDocument {
  const make = makerOf(protocol);
  if (parameters?.protocol !== protocol.name) {
    throw new RefusedValue('parameters', `parameters of ${protocol.name}`, parameters?.protocol);
  }
  if (request === null || typeof request !== 'object' || Array.isArray(request)) {
    throw new RefusedKind('request', 'the object that the parameters were made from', request);
  }
  const essential = essentialRequest(make, request);
  if (essential.parameters.digest !== parameters.digest) {
    const expected = `the request of the parameters with digest ${parameters.digest}`;
    throw new RefusedValue('request', expected, essential.parameters.digest);
  }
  // From the parameters that were made again: the given ones may have been changed since.
  const { variant, version, digest, grade = 'simulation' } = essential.parameters;
  const { protocol: name, variant: _, ...certified }: Certificate = protocol.theory.certificate(essential.parameters);
  return {
    schema: 'ldpkit-certificate',
    schemaVersion: CERTIFICATE_SCHEMA_VERSION,
    protocol: name,
    variant,
    protocolVersion: version,
    grade,
    request: essential.request,
    digest,
    ...certified,
    notes: notesOf(grade),
  };
}

const GRADE_NOTES: { readonly [grade in Grade]: string } = {
  simulation:
    'Grade simulation: the noise is made of floating-point numbers. What is certified is the law in real numbers, not the ' +
    'bits of a report; reports on real data need the grade deployment.',
  deployment:
    'Grade deployment: a report is made of integers whose law, given uniform random words, is exact. What is certified holds ' +
    'for the bits that travel.',
};

function notesOf(grade: Grade): readonly string[] {
  return [
    GRADE_NOTES[grade],
    'One transcript: the guarantee is that of one transcript of one player. Another one on the same data, under these or other ' +
      'parameters, adds up with it; that a player answers once is the duty of whoever deploys it.',
    'Randomness: the random words must come from a cryptographically secure source that nobody else can read or predict. ' +
      'Seeded coins protect nobody.',
    'Not covered: how long a player takes, whether it takes part at all, what is read from the memory of its device, and ' +
      'what else the device sends.',
    'Covered without further cost: whatever the server computes from reports, and publishes.',
  ];
}

/** A field of a certificate that is not as it must be. */
export interface Mismatch {
  /** Where, for example `totals[1].guarantee.epsilon`. */
  readonly field: string;
  readonly expected: string;
  readonly got: string;
}

/** The result of computing a certificate again. */
export interface Verification {
  /** Whether every field is as it must be. */
  readonly verified: boolean;
  /** How many values were compared. */
  readonly compared: number;
  readonly mismatches: readonly Mismatch[];
}

/** Numbers agree to this relative difference; another machine may round logarithms differently. */
export const VERIFY_TOLERANCE = 1e-9;

/** Fields where a smaller number promises more: one below that computed again is never accepted, however close. */
const PROMISES: readonly string[] = ['epsilon', 'delta', 'mu', 'rho', 'epsilonAtDelta', 'reportDelta', 'concentrated'];

/**
 * Computes a certificate again from its request, and compares field by field: texts exactly, numbers to a relative
 * difference of 1e-9. A privacy number below the one computed again is never accepted. An extra field is a mismatch.
 *
 * It shows that the protocol with this request guarantees what is written. The digest in the reports shows that devices
 * run with this request.
 * @throws TypeError for a protocol that cannot make parameters from plain data.
 *
 * @example
 * ```ts
 * import { certify, verifyCertificate } from 'ldpkit';
 * import { hinge, lifted } from 'ldpkit/protocols/hinge';
 * const certificate = certify(hinge, lifted({ epsilon: 1, degree: 1, dimension: 3 }));
 * const received = JSON.parse(JSON.stringify(certificate));
 * console.log(verifyCertificate(hinge, received).verified); // true
 * received.claimed.epsilon = 0.5;
 * console.log(verifyCertificate(hinge, received).mismatches[0]?.field); // claimed.epsilon
 * ```
 */
export function verifyCertificate<Parameters extends PublicParameters>(
  protocol: Certifiable<Parameters>,
  document: { readonly [name: string]: Json },
): Verification {
  const make = makerOf(protocol);
  const { request } = document;
  if (!isRecord(request)) return failed({ field: 'request', expected: 'an object', got: shown(request) });
  let again: Json;
  try {
    const recomputed = certify(protocol, make(request), request);
    // In the form in which it would be written: a field that is undefined is absent.
    again = JSON.parse(JSON.stringify(recomputed));
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    return failed({ field: 'request', expected: `what ${protocol.name} can be asked for`, got: error.message });
  }
  const comparison = { compared: 0, mismatches: [] as Mismatch[] };
  compare(comparison, '', again, document);
  return { verified: comparison.mismatches.length === 0, ...comparison };
}

function failed(mismatch: Mismatch): Verification {
  return { verified: false, compared: 1, mismatches: [mismatch] };
}

function compare(
  comparison: { compared: number; readonly mismatches: Mismatch[] },
  field: string,
  expected: Json | undefined,
  got: Json | undefined,
): void {
  if (isRecord(expected) && isRecord(got)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(got)])) {
      compare(comparison, field === '' ? name : `${field}.${name}`, own(expected, name), own(got, name));
    }
  } else if (Array.isArray(expected) && Array.isArray(got)) {
    for (let i = 0; i < Math.max(expected.length, got.length); i++) {
      compare(comparison, `${field}[${i}]`, expected[i], got[i]);
    }
  } else {
    comparison.compared++;
    if (!agree(field, expected, got)) {
      comparison.mismatches.push({ field, expected: shown(expected), got: shown(got) });
    }
  }
}

function agree(field: string, expected: Json | undefined, got: Json | undefined): boolean {
  if (expected === got) return true;
  if (typeof expected !== 'number' || typeof got !== 'number') return false;
  const name = field.slice(field.lastIndexOf('.') + 1);
  if (PROMISES.includes(name) && got < expected) return false;
  // With the opposite comparison a NaN would agree with everything.
  return Math.abs(got - expected) <= VERIFY_TOLERANCE * Math.abs(expected);
}

function isRecord(value: Json | undefined): value is { readonly [name: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

// A name such as `__proto__` in a file must not reach the prototype.
function own(record: { readonly [name: string]: Json }, name: string): Json | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function shown(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  // It comes from a file, so it may be nested too deep to be printed.
  if (value !== null && typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** No variant has nearly as many fields. For each field the parameters are made once more. */
const MOST_FIELDS = 64;

/** Version of the document; a field that changes its meaning makes a new version. */
export const CERTIFICATE_SCHEMA_VERSION = 1;

/**
 * A certificate for an auditor: what the transcript guarantees, and all that is needed to compute it again. Plain data.
 */
export interface CertificateDocument extends Certificate {
  /** What kind of document this is. */
  readonly schema: 'ldpkit-certificate';
  /** Version of its form. */
  readonly schemaVersion: typeof CERTIFICATE_SCHEMA_VERSION;
  /** Version of the protocol's wire format and law. */
  readonly protocolVersion: number;
  readonly grade: Grade;
  /** The request from which the protocol makes the parameters; every field counts for the digest. */
  readonly request: PlainRequest;
  readonly digest: string;
  /** What the guarantee rests on, and what it does not cover, in sentences. */
  readonly notes: readonly string[];
}

/** What must be known of a protocol to certify it: its name, its theory, and how parameters come from plain data. */
export interface Certifiable<Parameters extends PublicParameters> {
  readonly name: string;
  readonly theory: Pick<Theory<Parameters>, 'certificate'>;
  /** Parameters from plain data. */
  make?(request: PlainRequest): Parameters;
}

export function makerOf<Parameters extends PublicParameters>({
  name,
  make,
}: Pick<Certifiable<Parameters>, 'name' | 'make'>): (request: PlainRequest) => Parameters {
  if (make === undefined) {
    throw new RefusedKind(`"protocol" expected one that makes parameters from plain data, got ${name}`);
  }
  return make;
}

/** A request without the fields that do not change the digest, such as δ where the guarantee is pure. */
export function essentialRequest<Parameters extends PublicParameters>(
  make: (request: PlainRequest) => Parameters,
  request: PlainRequest,
): { readonly request: PlainRequest; readonly parameters: Parameters } {
  let kept = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined));
  canonicalJson(kept);
  const count = Object.keys(kept).length;
  if (count > MOST_FIELDS) throw new RefusedValue('request', `at most ${MOST_FIELDS} fields`, count);
  const parameters = make(kept);
  // All fields count as read if a variant lists their names.
  const { given, read } = watched(kept);
  make(given);
  for (const name of Object.keys(kept)) {
    const { [name]: _, ...rest } = kept;
    // A field that the variant does not read cannot count, so it is not tried.
    if (!read.has(name) || digestFrom(make, rest) === parameters.digest) kept = rest;
  }
  return { request: kept, parameters };
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
