import { refusal } from '../../check/number.ts';
import { RefusedValue } from '../../check/refusal.ts';
import type { CertificateDocument } from '../../core/certify.ts';
import { certify } from '../../core/certify.ts';
import type { PlainRequest, Protocol, PublicParameters } from '../../core/contract.ts';
import { type Grade, GradeError } from '../../core/digest.ts';

type AnyProtocol = Pick<
  Protocol<PublicParameters, never, unknown, unknown, unknown, never>,
  'name' | 'theory' | 'make'
>;

/** The request for each variant, the default variants, and the named variants. */
export interface Asked {
  readonly variants: readonly string[];
  readonly named: readonly string[] | undefined;
  readonly grade: Grade;
  request(variant: string): PlainRequest;
}

/**
 * The certificates of the variants named, or of all that have the requested grade.
 *
 * @throws TypeError or RangeError naming the option.
 */
export function certificatesOf(
  protocol: AnyProtocol,
  { variants, named, grade, request }: Asked,
): readonly CertificateDocument[] {
  const certificates = (named ?? variants).flatMap((variant) => {
    try {
      return [certificateOf(protocol, { ...request(variant), variant, grade })];
    } catch (error) {
      // A variant without this grade, which was not requested by name.
      if (named === undefined && error instanceof GradeError) return [];
      throw error;
    }
  });
  if (certificates.length === 0) throw new RefusedValue(refusal('grade', `one that ${protocol.name} has`, grade));
  return certificates;
}

function certificateOf(
  { make, name, ...protocol }: AnyProtocol,
  request: PlainRequest & { readonly variant: string; readonly grade: Grade },
): CertificateDocument {
  if (make === undefined) throw new RefusedValue(refusal('protocol', 'one that can be certified', name));
  const parameters = make(request);
  const { variant, grade } = request;
  // A variant without grades must not look like one that has them.
  if ((parameters.grade ?? 'simulation') === grade) return certify({ name, make, ...protocol }, parameters, request);
  throw new GradeError(refusal('grade', `simulation for variant ${variant} of ${name}`, grade));
}
