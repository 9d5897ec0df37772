import { checkInteger, checkOpenUnit, checkPositive } from '../../check/number.ts';
import { formatCertificate } from '../../privacy/certificate-text.ts';
import { loadAnyStudy } from '../studies.ts';
import { readNumber, readWords } from './number-option.ts';

/** The options of `ldpkit certify`, as they were typed. */
export interface CertifyOptions {
  readonly maker?: string;
  readonly epsilon: string;
  readonly delta: string;
  readonly degree: string;
  readonly dimension: string;
  readonly json?: boolean;
}

/**
 * `ldpkit certify`: what one player's whole transcript guarantees, as a table or as JSON.
 *
 * @throws TypeError or RangeError naming the option.
 */
export async function certify(protocol: string, options: CertifyOptions): Promise<void> {
  const study = await loadAnyStudy(protocol);
  const request = {
    epsilon: checkPositive('epsilon', readNumber('epsilon', options.epsilon)),
    delta: checkOpenUnit('delta', readNumber('delta', options.delta)),
    degree: checkInteger('degree', readNumber('degree', options.degree), 0),
    dimension: checkInteger('dimension', readNumber('dimension', options.dimension), 1),
  };
  const makers = options.maker === undefined ? study.makers : readWords('maker', options.maker);
  const certificates = makers.map((maker) =>
    study.protocol.theory.certificate(study.parameters({ ...request, maker })),
  );
  if (options.json === true) {
    const document = certificates.length === 1 ? certificates[0] : certificates;
    process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
  } else {
    process.stdout.write(`${certificates.map((one) => formatCertificate(one).join('\n')).join('\n\n\n')}\n`);
  }
}
