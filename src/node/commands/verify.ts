import * as v from 'valibot';
import {
  CERTIFICATE_SCHEMA_VERSION,
  type Certifiable,
  type Mismatch,
  type Verification,
  verifyCertificate,
} from '../../core/certify.ts';
import type { PublicParameters } from '../../core/contract.ts';
import type { Json } from '../../core/request.ts';
import { type Certificate, isCertified } from '../../privacy/certificate.ts';
import { describeGuarantee, type Guarantee } from '../../privacy/guarantee.ts';
import { fileRefusal, isObject, readJsonDocument } from '../files.ts';
import { jsonText, print, printJson } from '../print.ts';
import { packageVersion, VIOLATED } from '../run-program.ts';
import { shapeRefusal } from '../schema-shape.ts';
import { certifiableNames, loadCertifiable, loadModule } from '../study.ts';

/** Most mismatches that are shown for one certificate; the JSON contains all of them. */
const SHOWN = 20;

/** `ldpkit verify`: computes certificates again. The exit code is 3 if a field differs from the computed value, or no total implies a claim. */
export async function verify(
  file: string,
  options: { readonly protocol?: string; readonly json?: boolean },
): Promise<void> {
  const own = options.protocol === undefined ? undefined : (await loadModule(options.protocol)).protocol;
  const documents = await readCertificates(file);
  const certificates: VerifiedCertificate[] = [];
  for (const [index, document] of documents.entries()) {
    certificates.push(await verifyDocument(document, documents.length > 1 ? `certificates[${index}]` : '', own));
  }
  const verified = certificates.every((one) => one.verified);
  const version = packageVersion();
  if (options.json === true) printJson(jsonText({ verified, certificates, tool: { name: 'ldpkit', version } }));
  else print(certificates.flatMap((one, index) => [...(index > 0 ? [''] : []), ...linesOf(one)]));
  if (!verified || certificates.some(({ certified }) => certified === false)) process.exitCode = VIOLATED;
}

function linesOf(certificate: VerifiedCertificate): string[] {
  const { protocol, variant, grade, digest, claimed, certified, request, verified, compared, mismatches } = certificate;
  const name = protocol === undefined ? 'certificate' : `${protocol} (${variant})`;
  if (verified) {
    return [
      `${name}: verified`,
      // Only after verification are the totals known to be what is guaranteed.
      `  claimed: ${claimed === undefined ? 'nothing' : describeGuarantee(claimed as unknown as Guarantee)}`,
      ...(certified === false ? ['  NOT certified: none of its totals implies this claim'] : []),
      `  grade: ${grade}`,
      `  request: ${JSON.stringify(request)}`,
      `  digest: ${digest}, which every report of these parameters carries`,
      `  computed again: ${compared} values agree`,
    ];
  }
  return [
    `${name}: NOT VERIFIED`,
    ...mismatches.slice(0, SHOWN).map(({ field, expected, got }) => `  ${field}: expected ${expected}, got ${got}`),
    ...(mismatches.length > SHOWN ? [`  and ${mismatches.length - SHOWN} more`] : []),
  ];
}

/** The result of verifying one certificate of a file, and what it names: trust that only if the certificate is verified. */
interface VerifiedCertificate
  extends Verification,
    Partial<Pick<CertificateShape, 'protocol' | 'variant' | 'grade' | 'digest'>> {
  /** What is claimed, and the request from which it was computed again. */
  readonly claimed?: Json;
  /** Whether one of its totals implies the claim: trust it only if the certificate is verified. */
  readonly certified?: boolean | undefined;
  readonly request?: Json;
}

/** The certificates in a file as written: one document or a list of them. None of them is checked yet. */
async function readCertificates(path: string): Promise<readonly unknown[]> {
  const json = await readJsonDocument('certificate', path);
  const documents: readonly unknown[] = Array.isArray(json) ? json : [json];
  // Nothing of a file that may be another one is shown, not even a value in the place of a certificate's name.
  const named = documents.every((one) => isObject(one) && one.schema === SCHEMA);
  const expected = 'a certificate, which ldpkit certify --json prints where a claim is not refuted';
  if (documents.length === 0 || !named) throw fileRefusal('certificate', expected, path);
  return documents;
}

/** Verifies a certificate of a protocol of this package, or of the user's `own`. `path` is its position, for messages. */
async function verifyDocument(
  json: unknown,
  path: string,
  own: Certifiable<PublicParameters> | undefined,
): Promise<VerifiedCertificate> {
  const { schemaVersion } = checkCertificateHead(json, path);
  if (schemaVersion !== CERTIFICATE_SCHEMA_VERSION) {
    const [expected, got] = [CERTIFICATE_SCHEMA_VERSION, schemaVersion].map(String);
    return differing({ field: 'schemaVersion', expected, got });
  }
  const certificate = checkCertificateShape(json, path);
  const { protocol, variant, grade, digest, request } = certificate;
  const named = { protocol, variant, grade, digest, request };
  const names = own === undefined ? certifiableNames() : [own.name];
  if (!names.includes(protocol)) {
    const mismatch = { field: 'protocol', expected: `one of ${names.join(', ')}`, got: JSON.stringify(protocol) };
    return { ...named, ...differing(mismatch) };
  }
  const certifiable = own ?? (await loadCertifiable(protocol));
  // Which program wrote the file is not part of what it says.
  const { tool: _, ...stated } = certificate;
  const { claimed } = stated;
  const certified = isCertified(stated as unknown as Certificate);
  return {
    ...named,
    ...(claimed === undefined ? {} : { claimed, certified }),
    ...verifyCertificate(certifiable, stated),
  };
}

function differing(mismatch: Mismatch): Verification {
  return { verified: false, compared: 1, mismatches: [mismatch] };
}

// Checks only what is needed to compute a certificate again and to describe it. The comparison finds all other missing,
// additional or wrong entries and names what was expected. A message of valibot becomes the middle of our message.
const text = v.pipe(v.string('a text'), v.nonEmpty('a text'));
const whole = v.pipe(v.number('a whole number'), v.integer('a whole number'));
const number = v.pipe(v.number('a finite number'), v.finite('a finite number'));
const guarantee = v.looseObject({ kind: text }, 'an object');

/** What every certificate calls itself. */
const SCHEMA = 'ldpkit-certificate';

const headShape = v.looseObject({ schema: v.literal(SCHEMA, SCHEMA), schemaVersion: whole });

const certificateShape = v.looseObject({
  protocol: text,
  variant: text,
  protocolVersion: whole,
  grade: text,
  request: v.custom<object>(isObject, 'an object'),
  digest: text,
  neighbouring: text,
  releases: v.array(v.looseObject({ what: text, count: whole, guarantee }, 'an object'), 'a list of releases'),
  claimed: v.optional(guarantee),
  reportDelta: v.optional(number),
  totals: v.array(v.looseObject({ accounting: text, guarantee, theorem: text }, 'an object'), 'a list of totals'),
  silent: v.array(v.looseObject({ accounting: text, reason: text }, 'an object'), 'a list of accountings'),
  notes: v.array(text, 'a list of texts'),
  tool: v.optional(v.strictObject({ name: text, version: text }, 'an object')),
});

/** A document of the current version; the rest of it is known only after it was computed again. */
interface CertificateShape {
  readonly [name: string]: Json;
  readonly protocol: string;
  readonly variant: string;
  readonly grade: string;
  readonly request: { readonly [name: string]: Json };
  readonly digest: string;
}

/** Checks that a value is a certificate of any version; `path` is its position, for messages. */
export function checkCertificateHead(json: unknown, path: string = ''): { readonly schemaVersion: number } {
  const result = v.safeParse(headShape, json, { abortPipeEarly: true });
  if (!result.success) throw shapeRefusal('certificate', result.issues[0], path);
  return result.output;
}

export function checkCertificateShape(json: unknown, path: string = ''): CertificateShape {
  const result = v.safeParse(certificateShape, json, { abortPipeEarly: true });
  if (!result.success) throw shapeRefusal('certificate', result.issues[0], path);
  // The value itself: a copy by the library would lack names such as `__proto__`, so that nobody would compare them.
  return json as CertificateShape;
}
