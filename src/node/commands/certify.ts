import { basename, dirname } from 'node:path';
import { refusal } from '../../check/number.ts';
import type { CertificateDocument } from '../../core/certified.ts';
import { formatCertificate } from '../../privacy/certificate.ts';
import { certificatePage } from '../certificate/page.ts';
import { formatRefuted } from '../models/refuted.ts';
import { jsonText, print, printJson } from '../print.ts';
import { writeTogether } from '../write-files.ts';
import type { Refuted } from './kind.ts';
import { packageVersion } from './origin.ts';
import type { CertifyOptions } from './player-options.ts';
import { VIOLATED } from './verify.ts';

/**
 * `ldpkit certify`: what one player's whole transcript guarantees, as a table, as a page or as JSON that `ldpkit verify`
 * verifies. `make` makes the certificates. The exit code is 3 where there are none because the claim is refuted.
 *
 * @throws TypeError or RangeError naming the option.
 */
export async function certify(
  make: () => Promise<readonly CertificateDocument[] | Refuted>,
  { html, json }: CertifyOptions,
): Promise<void> {
  if (html === '') throw new RangeError(refusal('html', 'a file', html));
  const made = await make();
  if ('refuted' in made) {
    const documents = made.refuted;
    if (json === true) printJson(jsonText(documents.length === 1 ? documents[0] : documents));
    else print(documents.flatMap((one, index) => [...(index > 0 ? [''] : []), ...formatRefuted(one)]));
    process.exitCode = VIOLATED;
    return;
  }
  const certificates = made;
  const written = await writePage(certificates, html);
  if (json === true) printJson(jsonOf(certificates));
  else print(linesOf(certificates, written));
}

/** The path of the page, where one was asked for. */
async function writePage(certificates: readonly CertificateDocument[], path?: string): Promise<readonly string[]> {
  if (path === undefined) return [];
  return await writeTogether('html', dirname(path), {
    [basename(path)]: certificatePage(certificates, { version: packageVersion() }),
  });
}

function jsonOf(certificates: readonly CertificateDocument[]): string {
  const tool = { name: 'ldpkit', version: packageVersion() };
  const documents = certificates.map((one) => ({ ...one, tool }));
  return jsonText(documents.length === 1 ? documents[0] : documents);
}

function linesOf(certificates: readonly CertificateDocument[], written: readonly string[]): readonly string[] {
  const tables = certificates.flatMap((one, index) => [...(index > 0 ? ['', ''] : []), ...formatCertificate(one)]);
  return [...tables, ...written.flatMap((file) => ['', `wrote ${file}`])];
}
