import type { Player } from '../../src/core/contract.ts';
import type { Random } from '../../src/random/random.ts';
import { type MarginDatum, marginPlayer } from './margin/player.ts';
import { clipRecord } from './margin/record.ts';
import { sphericalPlayer } from './margin/spherical-player.ts';
import type { GeneralizedLinearParameters } from './parameters.ts';
import type { GeneralizedLinearReport } from './report.ts';

export { randomizeLifted } from './margin/lifted-player.ts';

/** One player's private record: for a regression `label` is the response y in [−1, 1]. */
export type GeneralizedLinearDatum = MarginDatum;

/**
 * One player's randomized report.
 *
 * @throws TypeError or RangeError for a record outside the domain; the message never contains its values.
 */
export function randomize(
  parameters: GeneralizedLinearParameters,
  datum: GeneralizedLinearDatum,
  random: Random,
): GeneralizedLinearReport {
  if (parameters.maker === 'sphericalLaplace') return sphericalPlayer.randomize(parameters, datum, random);
  return marginPlayer.randomize(parameters, datum, random);
}

/**
 * {@link randomize} over a report made before; the same coins, the same report.
 *
 * @throws RangeError besides for a report of another length.
 */
export function randomizeInto(
  parameters: GeneralizedLinearParameters,
  datum: GeneralizedLinearDatum,
  random: Random,
  report: GeneralizedLinearReport,
): void {
  if (parameters.maker === 'sphericalLaplace') sphericalPlayer.randomizeInto(parameters, datum, random, report);
  else marginPlayer.randomizeInto(parameters, datum, random, report);
}

/** The player of the generalized-linear protocol. */
export const player: Player<GeneralizedLinearParameters, GeneralizedLinearDatum, GeneralizedLinearReport> = {
  randomize,
  randomizeInto,
  clip: clipRecord,
};
