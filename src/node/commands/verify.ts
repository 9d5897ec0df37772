import type { Guarantee } from '../../privacy/guarantee.ts';
import { describeGuarantee } from '../../privacy/guarantee.ts';
import { readCertificates, type VerifiedCertificate, verifyDocument } from '../certificate/read.ts';
import { loadModule } from '../module-file.ts';
import { packageVersion } from '../origin.ts';
import { jsonText, print, printJson } from '../print.ts';
import { VIOLATED } from '../run-program.ts';

/** Most mismatches that are shown for one certificate; the JSON contains all of them. */
const SHOWN = 20;

/**
 * `ldpkit verify`: computes certificates again and compares them with those in a file. The exit code is 0 if all of
 * them are verified, and 3 if a field of one differs from the computed value.
 *
 * @throws TypeError or RangeError for a file without a certificate, or a module file that exports no protocol.
 */
export async function verify(
  file: string,
  options: { readonly protocol?: string; readonly json?: boolean },
): Promise<void> {
  const own = options.protocol === undefined ? undefined : (await loadModule(options.protocol)).protocol;
  const documents = await readCertificates(file);
  const certificates: VerifiedCertificate[] = [];
  for (const [index, document] of documents.entries()) {
    certificates.push(
      await verifyDocument(document, { path: documents.length > 1 ? `certificates[${index}]` : '', own }),
    );
  }
  const verified = certificates.every((one) => one.verified);
  const version = packageVersion();
  if (options.json === true) printJson(jsonText({ verified, certificates, tool: { name: 'ldpkit', version } }));
  else print(certificates.flatMap((one, index) => [...(index > 0 ? [''] : []), ...linesOf(one)]));
  if (!verified) process.exitCode = VIOLATED;
}

function linesOf(certificate: VerifiedCertificate): string[] {
  const { protocol, variant, grade, digest, claimed, request, verified, compared, mismatches } = certificate;
  const name = protocol === undefined ? 'certificate' : `${protocol} (${variant})`;
  if (verified) {
    return [
      `${name}: verified`,
      // Only after verification is it known to be a guarantee.
      `  claimed: ${claimed === undefined ? 'nothing' : describeGuarantee(claimed as unknown as Guarantee)}`,
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
