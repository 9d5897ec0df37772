import { checkNorms, HONEST_REFUSAL, type NormLimit, sphericalNormLimit } from '../../../src/core/influence.ts';
import { sphericalLogRatio } from '../../../src/core/likelihood.ts';
import { GAUSSIAN_THEOREM, type ReportLimits } from '../../../src/core/report-limits.ts';
import type { SphericalLaplace } from '../../../src/mechanism/spherical-laplace.ts';
import { certificate } from '../../../src/privacy/certificate.ts';
import { pure } from '../../../src/privacy/guarantee.ts';
import { asTheyAre, type MarginChannel } from './channel.ts';
import { NEIGHBOUR_DISTANCE } from './parameters.ts';
import { signed } from './signed-vector.ts';
import type { SphericalParameters } from './spherical.ts';

/** The signed record with spherical Laplace noise: pure ε, and a tally of the reports. */
export function sphericalChannel({ protocol, variant, epsilon, mechanism }: SphericalParameters): MarginChannel {
  return {
    guarantee: () => pure(epsilon),
    /** The one release. Its scale is 1/κ. */
    certificate() {
      const { sensitivity, rate, guarantee, name } = mechanism;
      const release = { what: 'v = y·x', count: 1, mechanism: name, sensitivity, scale: 1 / rate, guarantee };
      return certificate({ protocol, variant, releases: [release], claimed: pure(epsilon) });
    },
    neighbourDistance: () => NEIGHBOUR_DISTANCE,
    limits: () => sphericalLimits(mechanism),
    view: asTheyAre,
    logRatio: (first, second) => sphericalLogRatio(mechanism, signed(first), signed(second)),
    // That of its exact decoding needs the loss: see `sphericalVariance`.
    variance: () => undefined,
  };
}

function sphericalLimits(mechanism: SphericalLaplace): ReportLimits {
  const norm = sphericalNormLimit(mechanism, HONEST_REFUSAL);
  const limits: NormLimit[] = [{ from: 0, to: mechanism.dimension, norm }];
  return {
    influence: {
      reportNorm: norm,
      bound: norm,
      honestNorm: Math.sqrt(1 + mechanism.squaredError),
      honestRefusal: HONEST_REFUSAL,
      theorem: `${GAUSSIAN_THEOREM}, of twice a gamma variable`,
    },
    check: (values) => checkNorms(limits, values),
  };
}
