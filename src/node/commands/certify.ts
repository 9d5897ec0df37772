import { basename, dirname } from 'node:path';
import { RefusedValue, refusal } from '../../check/refusal.ts';
import { type CertificateDocument, certify as certificate } from '../../core/certify.ts';
import type { PlainRequest, Protocol, PublicParameters } from '../../core/contract.ts';
import { type Grade, GradeError } from '../../core/request.ts';
import { formatCertificate, isCertified } from '../../privacy/certificate.ts';
import { describeGuarantee } from '../../privacy/guarantee.ts';
import { decimal } from '../../privacy/rounding.ts';
import { writeTogether } from '../files.ts';
import { jsonText, print, printJson } from '../print.ts';
import { packageVersion, VIOLATED } from '../run-program.ts';
import type { Certified, RefutedDocument } from '../study.ts';

/** `ldpkit certify`: a table, a page, or JSON for `ldpkit verify`. The exit code is 3 if a claim is refuted, or follows from no total. */
export async function certify(
  made: Certified,
  { html, json }: { readonly html?: string; readonly json?: true },
): Promise<void> {
  if ('refuted' in made) {
    if (html !== undefined) {
      const [{ protocol }] = made.refuted;
      throw new RefusedValue('html', `none: there is nothing to certify of ${protocol}`, html);
    }
    if (json === true) printJson(listText(made.refuted));
    else print(apart(made.refuted.map(formatRefuted), ['']));
    process.exitCode = VIOLATED;
    return;
  }
  if (made.some((one) => isCertified(one) === false)) process.exitCode = VIOLATED;
  const version = packageVersion();
  const written: string[] = [];
  if (html !== undefined) {
    const { certificatePage } = await import('../certificate/page.ts');
    const files = { [basename(html)]: certificatePage(made, version) };
    written.push(...(await writeTogether('html', dirname(html), files)));
  }
  if (json === true) printJson(listText(made.map((one) => ({ ...one, tool: { name: 'ldpkit', version } }))));
  else print([...apart(made.map(formatCertificate), ['', '']), ...written.flatMap((file) => ['', `wrote ${file}`])]);
}

function listText(documents: readonly object[]): string {
  return jsonText(documents.length === 1 ? documents[0] : documents);
}

/** Blocks of lines, with the lines of `between` between them. */
export function apart(blocks: readonly (readonly string[])[], between: readonly string[]): readonly string[] {
  return blocks.flatMap((lines, index) => [...(index > 0 ? between : []), ...lines]);
}

function formatRefuted(refuted: RefutedDocument): readonly string[] {
  const { protocol, variant, claimed, because, unboundedDelta, example } = refuted;
  return [
    `No certificate of ${protocol} (${variant}): its claim does not hold`,
    `Claimed: ${describeGuarantee(claimed)}`,
    `Refuted: ${because}`,
    `Needed whatever ε is: δ = ${decimal(unboundedDelta)}, on ${example}`,
    `An attack on the same data: ldpkit audit ${protocol} --variant ${variant}`,
  ];
}

type Certifying = Pick<Protocol<PublicParameters, never, unknown, unknown, unknown, never>, 'name' | 'theory' | 'make'>;

/** The request for each variant, the default variants, and the named variants. */
interface AskedVariants {
  readonly variants: readonly string[];
  readonly named: readonly string[] | undefined;
  readonly grade: Grade;
  request(variant: string): PlainRequest;
}

/** The certificates of the variants named, or of all that have the requested grade. */
export function certificatesOf(
  { make, name, ...protocol }: Certifying,
  { variants, named, grade, ...asked }: AskedVariants,
): readonly CertificateDocument[] {
  const certificates = (named ?? variants).flatMap((variant) => {
    try {
      const request = { ...asked.request(variant), variant, grade };
      if (make === undefined) throw new RefusedValue('protocol', 'one that can be certified', name);
      const parameters = make(request);
      // A variant without grades must not look like one that has them.
      if ((parameters.grade ?? 'simulation') !== grade)
        throw new GradeError(refusal('grade', `simulation for variant ${variant} of ${name}`, grade));
      return [certificate({ name, make, ...protocol }, parameters, request)];
    } catch (error) {
      // A variant without this grade, which was not requested by name.
      if (named === undefined && error instanceof GradeError) return [];
      throw error;
    }
  });
  if (certificates.length === 0) throw new RefusedValue('grade', `one that ${name} has`, grade);
  return certificates;
}
