import type { ValuesReport } from '../../src/core/frame.ts';
import type { RoundsProtocol } from '../../src/core/rounds.ts';
import { auditing } from './auditing.ts';
import { report } from './channel.ts';
import { theory } from './forecast.ts';
import type { WaveDatum } from './loss.ts';
import { type GradientWavesPlan, type GradientWavesRequest, gradientWavesPlan, type Wave } from './parameters.ts';
import { player } from './player.ts';
import { type GradientWavesEstimate, rounds, server, type WaveTally } from './server.ts';

/**
 * Sequentially interactive learning from one report per player. A wave is a group of fresh players who answer at one
 * public point: each reports the gradient of its own loss there. The point is made from the waves before. So every
 * player is protected with pure ε, whatever the number of waves, and no polynomial takes the place of the loss.
 *
 * Source: Smith, Thakurta, Upadhyay 2017 (few rounds); Duchi, Jordan, Wainwright 2018 (stochastic gradients under local
 * privacy, and R√(p/(nε²)) as the best possible order).
 */
export const gradientWaves: RoundsProtocol<
  GradientWavesPlan,
  Wave,
  WaveDatum,
  ValuesReport,
  WaveTally,
  GradientWavesEstimate
> = {
  name: 'gradient-waves',
  player,
  report,
  server,
  rounds,
  theory,
  // The maker of plans checks every field, whatever its type.
  make: (request) => gradientWavesPlan(request as unknown as GradientWavesRequest),
  auditing,
};
