import { checkWord } from '../../../src/check/number.ts';
import type { Playable } from '../../../src/core/device.ts';
import { type KClosest, randomizeKClosest } from '../../../src/mechanism/k-closest.ts';
import { pure } from '../../../src/privacy/guarantee.ts';
import { liftedVector } from './lifted-player.ts';
import { deployedLifted, type LiftedParameters, type MarginFamily } from './parameters.ts';
import { checkRecord, clipRecord, type MarginDatum } from './record.ts';
import { createMarginReport, encodeMarginReport, type MarginReport } from './report.ts';
import type { MarginLiftedRequest } from './request.ts';

/**
 * What a device needs of a protocol on signed records to answer under `lifted` in the grade `deployment`, and nothing else: the same
 * reports and the same checks as the whole protocol, in a fraction of its size. Requests for anything else are refused.
 */
export function liftedDevice(family: MarginFamily): Playable<LiftedParameters, MarginDatum, MarginReport> {
  return {
    name: family.protocol,
    player: {
      randomize(parameters, datum, random) {
        const report = createMarginReport(parameters);
        checkRecord(parameters, datum, report);
        // The grade is that of `make` below: k-closest encoding, as whole numbers.
        const { values } = report as { readonly values: Uint32Array };
        randomizeKClosest(parameters.mechanism as KClosest, liftedVector(parameters, datum), values, random);
        return report;
      },
      clip: clipRecord,
    },
    report: { encode: encodeMarginReport },
    theory: { guarantee: ({ epsilon }) => pure(epsilon) },
    make(request) {
      checkWord('variant', request.variant, ['lifted']);
      checkWord('grade', request.grade, ['deployment']);
      if (request.task !== undefined) checkWord('task', request.task, ['classification']);
      // The variant checks every other field, of whatever kind.
      return deployedLifted(family, request as unknown as MarginLiftedRequest);
    },
  };
}
