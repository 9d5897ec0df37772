import { unitLogRatio } from '../../../src/core/likelihood.ts';
import { unitRelease } from '../../../src/core/releases.ts';
import { unitLimits } from '../../../src/core/report-limits.ts';
import { addUnitReport } from '../../../src/core/unit-report.ts';
import { expandKClosest } from '../../../src/mechanism/k-closest.ts';
import { fillLift } from '../../../src/polynomial/lift.ts';
import { liftedNoiseNorm } from '../../../src/polynomial/lifted-polynomial.ts';
import { certificate } from '../../../src/privacy/certificate.ts';
import { pure } from '../../../src/privacy/guarantee.ts';
import { asTheyAre, type MarginChannel } from './channel.ts';
import { type LiftedParameters, NEIGHBOUR_DISTANCE } from './parameters.ts';
import type { MarginDatum } from './shape.ts';
import { nameOfVector, vectorOf } from './signed-vector.ts';

const { sqrt } = Math;

/** Reports of the lifted vector: pure ε, and a tally that is the sum of the reports. */
export function liftedChannel(parameters: LiftedParameters): MarginChannel {
  const { protocol, variant, epsilon, task, lift, scales, mechanism, dimension } = parameters;
  return {
    guarantee: () => pure(epsilon),
    certificate() {
      const release = unitRelease(`lifted vector of ${nameOfVector(task)}`, mechanism);
      return certificate({ protocol, variant, releases: [release], claimed: pure(epsilon) });
    },
    neighbourDistance: () => NEIGHBOUR_DISTANCE,
    limits: () => unitLimits(mechanism),
    moments: lift.size,
    add: (values, sums) => addUnitReport(mechanism, values, sums),
    view: viewOf(parameters),
    logRatio: (first, second) => unitLogRatio(mechanism, liftedUnit(parameters, first), liftedUnit(parameters, second)),
    variance(decoder, { coefficients, norm, mean }) {
      if (decoder !== 'lifted') return undefined;
      let squares = 0;
      for (let k = 0; k < coefficients.length; k++) {
        squares += (coefficients[k] / scales[k]) ** 2 * liftedNoiseNorm(dimension, k, norm);
      }
      const { coordinateVariance, alongVariance } = mechanism;
      // The map sends the unit vector itself to the mean gradient.
      return coordinateVariance * squares + (alongVariance - coordinateVariance) * mean * mean;
    },
  };
}

function viewOf({ mechanism }: LiftedParameters): MarginChannel['view'] {
  if (mechanism.name !== 'k-closest') return asTheyAre;
  let expanded: Float64Array | undefined;
  return (values) => {
    // The seed is public and says nothing; with the index it is a codeword.
    expanded ??= new Float64Array(mechanism.dimension);
    expandKClosest(mechanism, values, expanded);
    return expanded;
  };
}

/** The lifted vector with its padding, a unit vector. */
function liftedUnit({ lift, weights, task }: LiftedParameters, datum: MarginDatum): Float64Array {
  const unit = new Float64Array(lift.size + 1);
  fillLift(lift, weights, vectorOf(task, datum), unit);
  const squared = unit.reduce((sum, entry) => sum + entry * entry, 0);
  unit[lift.size] = squared < 1 ? sqrt(1 - squared) : 0;
  return unit;
}
