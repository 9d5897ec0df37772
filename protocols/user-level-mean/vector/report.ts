import { ReportError } from '../../../src/check/report-error.ts';
import type { Wire } from '../../../src/core/contract.ts';
import { decodeValues, encodeValues, type Values } from '../../../src/core/frame.ts';
import { checkNorm, gaussianNormLimit, HONEST_REFUSAL, squaredNorm, unitLimits } from '../../../src/core/influence.ts';
import type { UserLevelReport } from '../scalar/types.ts';
import { checkCoordinates } from './coordinate-round.ts';
import type { VectorRound } from './round.ts';

/** The report as bytes: see the frame in src/core. */
function encode(round: VectorRound, { values }: UserLevelReport): Uint8Array {
  return encodeValues(round, round.precision, round.length, values);
}

/**
 * The report in the bytes.
 *
 * @throws ReportError for anything that this round cannot have produced, and for a norm that it produces but once in 10¹²
 * reports.
 */
function decode(round: VectorRound, bytes: Uint8Array): UserLevelReport {
  const values = decodeValues(round, round.precision, round.length, bytes);
  checkVectorReport(round, values);
  return { values };
}

/**
 * Refuses what no player of a round can have sent.
 *
 * @throws ReportError.
 */
export function checkVectorReport(round: VectorRound, values: Values): void {
  if (round.kind === 'sign') {
    const outputs = round.answers === 'one' ? 4 * round.size : 4;
    for (let i = 0; i < values.length; i++) {
      if (!(values[i] < outputs)) throw new ReportError(`"report" expected whole numbers below ${outputs}`);
    }
  } else if (round.kind === 'coordinate') {
    checkCoordinates(round, values);
  } else if (round.mechanism !== undefined) {
    unitLimits(round.mechanism).check(values);
  } else {
    const { length, sigma = 0, noise } = round;
    const limit =
      noise === undefined
        ? gaussianNormLimit(1, sigma, length, HONEST_REFUSAL)
        : gaussianNormLimit(noise.radius, noise.sigma, length, HONEST_REFUSAL);
    checkNorm(squaredNorm(values, 0, length), limit);
  }
}

/** The wire of vector plans. */
export const vectorReport: Wire<VectorRound, UserLevelReport> = { encode, decode };
