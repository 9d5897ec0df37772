import { refusal } from '../../../src/check/number.ts';
import type { Server } from '../../../src/core/contract.ts';
import { addUnitReport } from '../../../src/core/unit-report.ts';
import type { MeanEstimate, UserLevelReport } from '../scalar/types.ts';
import { addCoordinates, coordinateSums } from './coordinate-round.ts';
import type { VectorRound, VectorTally } from './round.ts';

/** The tally of no reports. */
function empty(round: VectorRound): VectorTally {
  return { digest: round.digest, players: 0, sums: new Float64Array(lengthOf(round)) };
}

function lengthOf(round: VectorRound): number {
  if (round.kind === 'sign') return 4 * round.size;
  return round.kind === 'residual' ? round.dimension : coordinateSums(round);
}

/**
 * Adds one report. Signs are counted, so that sums are whole numbers and no order of additions changes them.
 *
 * @throws RangeError for a tally of another round.
 */
function add(round: VectorRound, tally: VectorTally, { values }: UserLevelReport): void {
  checkVectorTally('tally', round, tally);
  const { sums } = tally;
  if (round.kind === 'sign') {
    if (round.answers === 'one') sums[values[0]]++;
    else for (let j = 0; j < round.size; j++) sums[4 * j + values[j]]++;
  } else if (round.kind === 'coordinate') {
    addCoordinates(round, sums, values);
  } else if (round.mechanism !== undefined) {
    addUnitReport(round.mechanism, values, sums);
  } else {
    const step = round.noise === undefined ? 1 : round.noise.step;
    for (let i = 0; i < sums.length; i++) sums[i] += step * values[i];
  }
  tally.players++;
}

/**
 * Adds everything in `other`.
 *
 * @throws RangeError for a tally of another round.
 */
function merge(round: VectorRound, tally: VectorTally, other: VectorTally): void {
  checkVectorTally('tally', round, tally);
  checkVectorTally('other', round, other);
  for (let i = 0; i < tally.sums.length; i++) tally.sums[i] += other.sums[i];
  tally.players += other.players;
}

/**
 * Refuses a tally of reports of another round or plan.
 *
 * @throws RangeError.
 */
export function checkVectorTally(name: string, { digest }: VectorRound, tally: VectorTally): void {
  if (tally.digest !== digest) {
    throw new RangeError(refusal(`${name}.digest`, `the digest of this round, ${digest}`, tally.digest));
  }
}

/** The tally of vector plans. */
export const vectorServer: Omit<
  Server<VectorRound, UserLevelReport, VectorTally, MeanEstimate, undefined>,
  'estimate'
> = {
  empty,
  add,
  merge,
};
