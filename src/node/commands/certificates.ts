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

/** What each variant is asked for, and which variants are meant where none is named. */
export interface Asked {
  readonly variants: readonly string[];
  request(variant: string): PlainRequest;
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
 * The certificates of the variants named, or of all that have the grade asked for.
 *
 * @throws TypeError or RangeError naming the option.
 */
export function certificatesOf(
  protocol: AnyProtocol,
  { variants, request }: Asked,
  options: CertifyOptions,
): readonly CertificateDocument[] {
  const grade = readGrade(options.grade);
  const named = options.variant === undefined ? undefined : readWords('variant', options.variant);
  const certificates = (named ?? variants).flatMap((variant) => {
    try {
      return [certificateOf(protocol, { ...request(variant), variant, grade })];
    } catch (error) {
      // A variant without this grade that nobody asked for by name.
      if (named === undefined && error instanceof GradeError) return [];
      throw error;
    }
  });
  if (certificates.length === 0) throw new RangeError(refusal('grade', `one that ${protocol.name} has`, grade));
  return certificates;
}

function certificateOf(
  protocol: AnyProtocol,
  request: PlainRequest & { readonly variant: string; readonly grade: Grade },
): CertificateDocument {
  const { make, name } = protocol;
  if (make === undefined) throw new RangeError(refusal('protocol', 'one that can be certified', name));
  const parameters = make(request);
  const { variant, grade } = request;
  // A variant that knows no grades must not pass for one that does.
  if ((parameters.grade ?? 'simulation') === grade) return certify(protocol, parameters, request);
  throw new GradeError(refusal('grade', `simulation for variant ${variant} of ${name}`, grade));
}
