import { checkWord } from '../../src/check/number.ts';
import type { Playable } from '../../src/core/device.ts';
import { encodeReport, type ValuesReport } from '../../src/core/frame.ts';
import { exactChoice } from '../../src/mechanism/exact-coin.ts';
import { type KClosest, randomizeKClosest } from '../../src/mechanism/k-closest.ts';
import { pure } from '../../src/privacy/guarantee.ts';
import type { Random } from '../../src/random/random.ts';
import {
  deployedLifted,
  type LiftedParameters,
  type MarginFamily,
  type MarginLiftedRequest,
  type SampledParameters,
} from './margin/parameters.ts';
import { deployedSampled } from './margin/sampled-parameters.ts';
import { checkRecord, clipRecord, liftedVector, type MarginDatum, powerVector } from './record.ts';

/**
 * The part of a protocol on signed records that a device needs to report under `lifted` in the grade `deployment`. It
 * makes the same reports and the same checks as the full protocol, in a fraction of its size. It refuses requests for
 * anything else.
 */
export function liftedDevice(family: MarginFamily): Playable<LiftedParameters, MarginDatum, ValuesReport> {
  const make = (request: MarginLiftedRequest) => deployedLifted(family, request);
  return deviceOf(family, { variant: 'lifted', make }, (parameters, datum, values, random) => {
    randomizeKClosest(parameters.mechanism as KClosest, liftedVector(parameters, datum), values, random);
  });
}

/**
 * The same for `sampled`: what a device needs to report under it in the grade `deployment`. It refuses requests for
 * anything else.
 */
export function sampledDevice(family: MarginFamily): Playable<SampledParameters, MarginDatum, ValuesReport> {
  const make = (request: MarginLiftedRequest) => deployedSampled(family, request);
  return deviceOf(family, { variant: 'sampled', make }, (parameters, datum, values, random) => {
    const power = exactChoice(parameters.limits, random) + 1;
    const mechanism = parameters.mechanisms[power - 1] as KClosest;
    randomizeKClosest(mechanism, powerVector(parameters, power, datum), values, random);
    values[parameters.length - 1] = power;
  });
}

/** A device of one variant in the grade `deployment`; `fill` draws the whole numbers of a report on a checked record. */
function deviceOf<Parameters extends LiftedParameters | SampledParameters>(
  family: MarginFamily,
  { variant, make }: { readonly variant: string; make(request: MarginLiftedRequest): Parameters },
  fill: (parameters: Parameters, datum: MarginDatum, values: Uint32Array, random: Random) => void,
): Playable<Parameters, MarginDatum, ValuesReport> {
  return {
    name: family.protocol,
    player: {
      randomize(parameters, datum, random) {
        checkRecord(parameters, datum);
        // The grade is that of `make` below: k-closest encoding, as whole numbers.
        const values = new Uint32Array(parameters.length);
        fill(parameters, datum, values, random);
        return { values };
      },
      clip: clipRecord,
    },
    report: { encode: encodeReport },
    theory: { guarantee: ({ epsilon }) => pure(epsilon) },
    make(request) {
      checkWord('variant', request.variant, [variant]);
      checkWord('grade', request.grade, ['deployment']);
      if (request.task !== undefined) checkWord('task', request.task, ['classification']);
      // The variant checks every other field, whatever its type.
      return make(request as unknown as MarginLiftedRequest);
    },
  };
}
