import { checkInteger, checkOpenUnit, checkPositive, refusal } from '../../check/number.ts';
import type { CertificateDocument } from '../../core/certified.ts';
import { certify } from '../../core/certify.ts';
import type { PlainRequest, Protocol, PublicParameters } from '../../core/contract.ts';
import { type Grade, GradeError } from '../../core/grade.ts';
import { readGrade, readNumber, readWords } from './number-option.ts';
import type { CertifyOptions } from './player-options.ts';

type AnyProtocol = Pick<
  Protocol<PublicParameters, never, unknown, unknown, unknown, never>,
  'name' | 'theory' | 'make'
>;

/** What each maker is asked for, and which makers are meant where none is named. */
export interface Asked {
  readonly makers: readonly string[];
  request(maker: string): PlainRequest;
}

/** ε and δ of one player. */
export function budgetOf({ epsilon, delta }: Pick<CertifyOptions, 'epsilon' | 'delta'>): {
  readonly epsilon: number;
  readonly delta: number;
} {
  return {
    epsilon: checkPositive('epsilon', readNumber('epsilon', epsilon)),
    delta: checkOpenUnit('delta', readNumber('delta', delta)),
  };
}

/** The degree that reports are for. */
export function degreeOf(text: string): number {
  return checkInteger('degree', readNumber('degree', text), 0);
}

/**
 * The certificates of the makers named, or of all that have the grade asked for.
 *
 * @throws TypeError or RangeError naming the option.
 */
export function certificatesOf(
  protocol: AnyProtocol,
  { makers, request }: Asked,
  options: CertifyOptions,
): readonly CertificateDocument[] {
  const grade = readGrade(options.grade);
  const named = options.maker === undefined ? undefined : readWords('maker', options.maker);
  const certificates = (named ?? makers).flatMap((maker) => {
    try {
      return [certificateOf(protocol, { ...request(maker), maker, grade })];
    } catch (error) {
      // A maker without this grade that nobody asked for by name.
      if (named === undefined && error instanceof GradeError) return [];
      throw error;
    }
  });
  if (certificates.length === 0) throw new RangeError(refusal('grade', `one that ${protocol.name} has`, grade));
  return certificates;
}

function certificateOf(
  protocol: AnyProtocol,
  request: PlainRequest & { readonly maker: string; readonly grade: Grade },
): CertificateDocument {
  const { make, name } = protocol;
  if (make === undefined) throw new RangeError(refusal('protocol', 'one that can be certified', name));
  const parameters = make(request);
  const { maker, grade } = request;
  // A maker that knows no grades must not pass for one that does.
  if ((parameters.grade ?? 'simulation') === grade) return certify(protocol, parameters, request);
  throw new GradeError(refusal('grade', `simulation for maker ${maker} of ${name}`, grade));
}
