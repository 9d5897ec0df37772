import type { SequentialPlayer } from '../../src/core/sequential.ts';
import type { OnlineDatum } from '../../src/risk/regression/record.ts';
import type { OnlineReport } from './report.ts';
import { type OnlineStep, onlinePlayer } from './stream/player.ts';

export type { OnlineDatum } from '../../src/risk/regression/record.ts';
export type { OnlineStep } from './stream/player.ts';

/** The player of the protocol. */
export const player: SequentialPlayer<OnlineStep, OnlineDatum, OnlineReport> = onlinePlayer;

/**
 * One player's randomized gradient at the iterate of the step.
 *
 * @throws TypeError or RangeError for a record outside the domain, without its values, or an iterate the plan cannot have.
 * @theorem online-inference (2.3)
 * @theorem online-rates (3.2)
 */
export const randomize: SequentialPlayer<OnlineStep, OnlineDatum, OnlineReport>['randomize'] = onlinePlayer.randomize;

/** {@link randomize} over a report made before; the same coins, the same report. */
export const randomizeInto: SequentialPlayer<OnlineStep, OnlineDatum, OnlineReport>['randomizeInto'] =
  onlinePlayer.randomizeInto;
