import {
  CERTIFICATE_SCHEMA_VERSION,
  type Certifiable,
  type Mismatch,
  type Verification,
  verifyCertificate,
} from '../../core/certify.ts';
import type { PublicParameters } from '../../core/contract.ts';
import type { Json } from '../../core/digest.ts';
import { fileRefusal, readJsonDocument } from '../files.ts';
import { certifiableNames, loadCertifiable } from '../studies.ts';
import { checkCertificateHead, checkCertificateShape } from './shape.ts';

/** The result of verifying one certificate of a file. */
export interface VerifiedCertificate extends Verification {
  /** The protocol that the certificate names: trust it only if the certificate is verified. */
  readonly protocol?: string;
  /** The variant named. */
  readonly variant?: string;
  /** The grade named. */
  readonly grade?: string;
  /** The digest named. */
  readonly digest?: string;
  /** What is claimed. */
  readonly claimed?: Json;
  /** The request from which it was computed again. */
  readonly request?: Json;
}

/**
 * The certificates in a file as written: one document or a list of them. None of them is checked yet.
 *
 * @throws RangeError for a file that cannot be read, or is not JSON (see `readJsonDocument`), or is an empty list.
 */
export async function readCertificates(path: string): Promise<readonly unknown[]> {
  const json = await readJsonDocument('certificate', path);
  if (!Array.isArray(json)) return [json];
  if (json.length === 0) throw fileRefusal('certificate', 'a file with one or more certificates', path);
  return json;
}

/**
 * Verifies a certificate of a protocol of this package, or of the user's `own`. `path` is its position, for messages.
 *
 * @throws TypeError or RangeError for what is not a certificate.
 */
export async function verifyDocument(
  json: unknown,
  { path = '', own }: { readonly path?: string; readonly own?: Certifiable<PublicParameters> | undefined } = {},
): Promise<VerifiedCertificate> {
  const { schemaVersion } = checkCertificateHead(json, path);
  if (schemaVersion !== CERTIFICATE_SCHEMA_VERSION) {
    return differing({
      field: 'schemaVersion',
      expected: String(CERTIFICATE_SCHEMA_VERSION),
      got: String(schemaVersion),
    });
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
  return { ...named, ...(claimed === undefined ? {} : { claimed }), ...verifyCertificate(certifiable, stated) };
}

function differing(mismatch: Mismatch): Verification {
  return { verified: false, compared: 1, mismatches: [mismatch] };
}
