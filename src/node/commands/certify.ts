import { basename, dirname } from 'node:path';
import { checkInteger, checkOpenUnit, checkPositive, refusal } from '../../check/number.ts';
import { formatCertificate } from '../../privacy/certificate-text.ts';
import type { CertificateDocument } from '../../protocol/certified.ts';
import { certify as certifyParameters } from '../../protocol/certify.ts';
import type { PlainRequest, Protocol, PublicParameters } from '../../protocol/contract.ts';
import type { Grade } from '../../protocol/grade.ts';
import { certificatePage } from '../certificate/page.ts';
import { loadAnyStudy } from '../studies.ts';
import { writeTogether } from '../write-files.ts';
import { readGrade, readNumber, readWords } from './number-option.ts';
import { packageVersion } from './origin.ts';

/** The options of `ldpkit certify`, as they were typed. */
export interface CertifyOptions {
  readonly maker?: string;
  readonly epsilon: string;
  readonly delta: string;
  readonly degree: string;
  readonly dimension: string;
  readonly grade?: string;
  readonly html?: string;
  readonly json?: boolean;
}

type AnyProtocol = Pick<
  Protocol<PublicParameters, never, unknown, unknown, unknown, never>,
  'name' | 'theory' | 'make'
>;

/**
 * `ldpkit certify`: what one player's whole transcript guarantees, as a table, as a page or as JSON that `ldpkit verify`
 * verifies.
 *
 * @throws TypeError or RangeError naming the option.
 */
export async function certify(protocol: string, options: CertifyOptions): Promise<void> {
  const study = await loadAnyStudy(protocol);
  const grade = readGrade(options.grade);
  const request = {
    epsilon: checkPositive('epsilon', readNumber('epsilon', options.epsilon)),
    delta: checkOpenUnit('delta', readNumber('delta', options.delta)),
    degree: checkInteger('degree', readNumber('degree', options.degree), 0),
    dimension: checkInteger('dimension', readNumber('dimension', options.dimension), 1),
  };
  if (options.html === '') throw new RangeError(refusal('html', 'a file', options.html));
  const named = options.maker === undefined ? undefined : readWords('maker', options.maker);
  const certificates: CertificateDocument[] = [];
  for (const maker of named ?? study.makers) {
    const one = certificateOf(study.protocol as AnyProtocol, { maker, ...request }, grade, named !== undefined);
    if (one !== undefined) certificates.push(one);
  }
  if (certificates.length === 0) throw new RangeError(refusal('grade', `one that ${protocol} has`, grade));
  const written = await writePage(certificates, options.html);
  process.stdout.write(options.json === true ? jsonOf(certificates) : textOf(certificates, written));
}

/** Undefined for a maker without this grade that nobody asked for by name. */
function certificateOf(
  protocol: AnyProtocol,
  asked: PlainRequest & { readonly maker: string },
  grade: Grade,
  named: boolean,
): CertificateDocument | undefined {
  const { make, name } = protocol;
  if (make === undefined) throw new RangeError(refusal('protocol', 'one that can be certified', name));
  const request = { ...asked, grade };
  try {
    const parameters = make(request);
    // A maker that knows no grades must not pass for one that does.
    if ((parameters.grade ?? 'simulation') === grade) return certifyParameters(protocol, parameters, request);
    throw new RangeError(refusal('grade', `simulation for maker ${asked.maker} of ${name}`, grade));
  } catch (error) {
    if (!named && error instanceof RangeError && error.message.startsWith('"grade"')) return undefined;
    throw error;
  }
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
  return `${JSON.stringify(documents.length === 1 ? documents[0] : documents, undefined, 2)}\n`;
}

function textOf(certificates: readonly CertificateDocument[], written: readonly string[]): string {
  const tables = certificates.map((one) => formatCertificate(one).join('\n')).join('\n\n\n');
  return `${[tables, ...written.map((file) => `\nwrote ${file}`)].join('\n')}\n`;
}
