import { basename, dirname } from 'node:path';
import { isStreamStudy } from '../../../protocols/online-sgd/stream-study.ts';
import { isUserStudy } from '../../../protocols/user-level-mean/user-study.ts';
import { checkInteger, checkOpenUnit, checkPositive, refusal } from '../../check/number.ts';
import type { CertificateDocument } from '../../core/certified.ts';
import { certify as certifyParameters } from '../../core/certify.ts';
import type { PlainRequest, Protocol, PublicParameters } from '../../core/contract.ts';
import type { Grade } from '../../core/grade.ts';
import { formatCertificate } from '../../privacy/certificate-text.ts';
import { isModelStudy, type ModelStudy } from '../../simulation/model-study.ts';
import { certificatePage } from '../certificate/page.ts';
import { formatRefuted, type RefutedDocument } from '../models/refuted.ts';
import { modelRequest } from '../models/request.ts';
import { jsonText, print, printJson } from '../print.ts';
import { type AnyStudy, loadAnyStudy } from '../studies.ts';
import { writeTogether } from '../write-files.ts';
import { readGrade, readNumber, readWords } from './number-option.ts';
import { packageVersion } from './origin.ts';
import { refuseMu, streamRequest } from './stream-request.ts';
import { dimensionOf, userNumbers } from './user-numbers.ts';
import { VIOLATED } from './verify.ts';

/** The options of `ldpkit certify`, as they were typed. */
export interface CertifyOptions {
  readonly maker?: string;
  readonly epsilon: string;
  /** For streams. */
  readonly mu?: string;
  readonly delta: string;
  readonly degree: string;
  readonly dimension?: string;
  readonly players?: string;
  readonly samples?: string;
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
  const budget = {
    epsilon: checkPositive('epsilon', readNumber('epsilon', options.epsilon)),
    delta: checkOpenUnit('delta', readNumber('delta', options.delta)),
  };
  const degree = checkInteger('degree', readNumber('degree', options.degree), 0);
  if (options.html === '') throw new RangeError(refusal('html', 'a file', options.html));
  const named = options.maker === undefined ? undefined : readWords('maker', options.maker);
  if (isModelStudy(study) && study.refuted !== undefined) {
    printRefuted(study, named ?? study.makers, options);
    return;
  }
  const certificates: CertificateDocument[] = [];
  const asked = requestsOf(study, options, { ...budget, degree });
  for (const maker of named ?? asked.makers) {
    const one = certificateOf(
      study.protocol as unknown as AnyProtocol,
      asked.request(maker),
      grade,
      named !== undefined,
    );
    if (one !== undefined) certificates.push(one);
  }
  if (certificates.length === 0) throw new RangeError(refusal('grade', `one that ${protocol} has`, grade));
  const written = await writePage(certificates, options.html);
  if (options.json === true) printJson(jsonOf(certificates));
  else print(linesOf(certificates, written));
}

/** What is said in the place of certificates where a claim is refuted; the exit code is 3. */
function printRefuted(study: ModelStudy, makers: readonly string[], options: CertifyOptions): void {
  const { name } = study.protocol;
  if (options.html !== undefined) {
    throw new RangeError(refusal('html', `none: there is nothing to certify of ${name}`, options.html));
  }
  const documents = makers.flatMap((maker): RefutedDocument[] => {
    const asked = modelRequest(study, maker, options, study.defaults.certify);
    const found = study.refuted?.(asked);
    return found === undefined ? [] : [{ protocol: name, maker, holds: false, ...found }];
  });
  if (options.json === true) printJson(jsonText(documents.length === 1 ? documents[0] : documents));
  else print(documents.flatMap((one, index) => [...(index > 0 ? [''] : []), ...formatRefuted(one)]));
  process.exitCode = VIOLATED;
}

type Asked = PlainRequest & { readonly maker: string };

/** What each maker is asked for, and which makers are meant where none is named. */
function requestsOf(
  study: AnyStudy,
  options: CertifyOptions,
  numbers: { readonly epsilon: number; readonly delta: number; readonly degree: number },
): { readonly makers: readonly string[]; readonly request: (maker: string) => Asked } {
  if (isStreamStudy(study)) {
    const features = dimensionOf(options, false);
    return {
      makers: study.makers,
      request: (maker) => ({ ...study.request(streamRequest(study, { maker, features }, options)), maker }),
    };
  }
  if (isModelStudy(study)) {
    const request = (maker: string): Asked => {
      const made = study.request(modelRequest(study, maker, options, study.defaults.certify));
      return { ...made, maker };
    };
    return { makers: study.makers, request };
  }
  refuseMu(study.protocol.name, options.mu);
  if (!isUserStudy(study)) {
    const dimension = dimensionOf(options, false);
    return { makers: study.makers, request: (maker) => ({ maker, ...numbers, dimension }) };
  }
  const { degree: _, ...budget } = numbers;
  const players = userNumbers(options);
  return {
    // In several dimensions most makers do not exist.
    makers: players.dimension === 1 ? study.makers : study.vector.makers,
    request: (maker) => ({ ...study.request({ maker, ...budget, ...players }), maker }),
  };
}

/** Undefined for a maker without this grade that nobody asked for by name. */
function certificateOf(
  protocol: AnyProtocol,
  asked: Asked,
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
  return jsonText(documents.length === 1 ? documents[0] : documents);
}

function linesOf(certificates: readonly CertificateDocument[], written: readonly string[]): readonly string[] {
  const tables = certificates.flatMap((one, index) => [...(index > 0 ? ['', ''] : []), ...formatCertificate(one)]);
  return [...tables, ...written.flatMap((file) => ['', `wrote ${file}`])];
}
