import { basename, dirname } from 'node:path';
import type { CertificateDocument } from '../../core/certify.ts';
import { formatCertificate } from '../../privacy/certificate.ts';
import { describeGuarantee } from '../../privacy/guarantee.ts';
import { decimal } from '../../privacy/rounding.ts';
import { writeTogether } from '../files.ts';
import { jsonText, print, printJson } from '../print.ts';
import { packageVersion, VIOLATED } from '../run-program.ts';
import type { Answers, RefutedDocument } from './answer.ts';

/** The options of `ldpkit certify` that say how to print. */
interface CertifyOptions {
  readonly html?: string;
  readonly json?: true;
}

/**
 * `ldpkit certify`: what one player's whole transcript guarantees, as a table, as a page or as JSON for
 * `ldpkit verify`. The exit code is 3 if there are no certificates because the claim is refuted.
 *
 * @throws RangeError naming the option.
 */
export async function certify(made: Answers['certify'], { html, json }: CertifyOptions): Promise<void> {
  if ('refuted' in made) {
    if (json === true) printJson(listText(made.refuted));
    else print(apart(made.refuted.map(formatRefuted), ['']));
    process.exitCode = VIOLATED;
    return;
  }
  const version = packageVersion();
  const written: string[] = [];
  if (html !== undefined) {
    const { certificatePage } = await import('../certificate/page.ts');
    const files = { [basename(html)]: certificatePage(made, { version }) };
    written.push(...(await writeTogether('html', dirname(html), files)));
  }
  if (json === true) printJson(listText(made.map((one) => ({ ...one, tool: { name: 'ldpkit', version } }))));
  else print([...tables(made), ...written.flatMap((file) => ['', `wrote ${file}`])]);
}

function listText(documents: readonly object[]): string {
  return jsonText(documents.length === 1 ? documents[0] : documents);
}

function tables(certificates: readonly CertificateDocument[]): readonly string[] {
  return apart(certificates.map(formatCertificate), ['', '']);
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
