import { type Auditing, auditVectors } from '../../src/core/auditing.ts';
import { channelAuditing } from '../../src/core/channel-auditing.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import type { RoundsProtocol } from '../../src/core/rounds.ts';
import { theory } from './forecast.ts';
import {
  type GradientWavesPlan,
  type GradientWavesRequest,
  gradientWavesPlan,
  type Wave,
  type WaveDatum,
} from './parameters.ts';
import { fillAnswer, player } from './player.ts';
import { channelOf, type GradientWavesEstimate, report, rounds, server, type WaveTally } from './server.ts';

/**
 * What an audit may use against a player of a wave: records whose gradients point away from each other, from w or
 * across it, and the exact density ratio.
 */
export const auditing: Auditing<Wave, WaveDatum, ValuesReport> = channelAuditing<Wave, WaveDatum>(channelOf, {
  pairs({ dimension, w }, random) {
    const { unit, opposite, orthogonal, axis, zero, inside } = auditVectors(dimension, random);
    const norm = Math.hypot(...w);
    // Along w the margins of the two are furthest apart; at w = 0 the axis does as well.
    const along = norm > 0 ? w.map((entry) => entry / (norm * (1 + 1e-12))) : axis[0];
    const against = along.map((entry) => 0 - entry);
    return [
      { name: 'antipodal', first: { features: unit, label: 1 }, second: { features: opposite, label: 1 } },
      { name: 'opposite labels', first: { features: axis[0], label: 1 }, second: { features: axis[0], label: -1 } },
      { name: 'along w and against it', first: { features: along, label: 1 }, second: { features: against, label: 1 } },
      ...(orthogonal === undefined
        ? []
        : [{ name: 'orthogonal', first: { features: unit, label: 1 }, second: { features: orthogonal, label: 1 } }]),
      { name: 'zero and edge', first: { features: zero, label: 0 }, second: { features: unit, label: 1 } },
      {
        name: 'random',
        first: { features: inside[0].subarray(0, dimension), label: inside[0][dimension] },
        second: { features: inside[1].subarray(0, dimension), label: inside[1][dimension] },
      },
    ];
  },
  vectorOf(wave, datum) {
    const answer = new Float64Array(wave.dimension);
    fillAnswer(wave, datum, answer);
    return answer;
  },
});

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
