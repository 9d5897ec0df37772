import { type OnlineStep, onlinePlayer } from '../../src/protocol/online/player.ts';
import type { OnlineDatum } from '../../src/protocol/online/record.ts';
import type { SequentialPlayer } from '../../src/protocol/sequential.ts';
import type { OnlineReport } from './report.ts';

export type { OnlineStep } from '../../src/protocol/online/player.ts';
export type { OnlineDatum } from '../../src/protocol/online/record.ts';

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
