import { refusal } from '../check/number.ts';
import type { Certificate } from '../privacy/certificate.ts';
import {
  CERTIFICATE_SCHEMA_VERSION,
  type Certifiable,
  type CertificateDocument,
  essentialRequest,
} from './certified.ts';
import type { PlainRequest, PublicParameters } from './contract.ts';
import type { Grade } from './grade.ts';

/**
 * The certificate of a protocol with these parameters, as a document that anybody can compute again: see
 * `verifyCertificate`. `request` is what the parameters were made from, where they do not remember it themselves.
 *
 * Guarantee: none of its own; every line of the certificate is one that the protocol's theory gives.
 *
 * @throws TypeError for a protocol that cannot make parameters from plain data, or without a request; RangeError for a request
 * of other parameters, or parameters of another protocol.
 */
export function certify<Parameters extends PublicParameters>(
  protocol: Certifiable<Parameters>,
  parameters: Parameters,
  request: PlainRequest | undefined = parameters.request,
): CertificateDocument {
  const { make } = protocol;
  if (make === undefined) {
    throw new TypeError(`"protocol" expected one that makes parameters from plain data, got ${protocol.name}`);
  }
  if (parameters.protocol !== protocol.name) {
    throw new RangeError(refusal('parameters', `parameters of ${protocol.name}`, parameters.protocol));
  }
  if (request === null || typeof request !== 'object' || Array.isArray(request)) {
    throw new TypeError(refusal('request', 'the object that the parameters were made from', request));
  }
  const essential = essentialRequest(make, request);
  if (essential.parameters.digest !== parameters.digest) {
    const expected = `the request of the parameters with digest ${parameters.digest}`;
    throw new RangeError(refusal('request', expected, essential.parameters.digest));
  }
  // Of the parameters that were made again: those given may have been changed since.
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
