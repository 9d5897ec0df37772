import { transcriptTarget } from '../../src/audit/transcript.ts';
import { type Auditing, auditVectors } from '../../src/core/auditing.ts';
import { channelAuditing } from '../../src/core/channel.ts';
import type { PlainRequest } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import type { RoundsProtocol } from '../../src/core/rounds.ts';
import { normalCriticalValue } from '../../src/inference/critical-value.ts';
import { MODEL_LEVEL, uncertaintyOf } from '../../src/inference/model-interval.ts';
import { fillSphere, uniform } from '../../src/random/random.ts';
import type { ModelRecords, ModelStudy, ModelStudyRequest } from '../../src/simulation/model-study.ts';
import { conduct, referenceRounds } from '../../src/simulation/runner.ts';
import { type ClearRecords, leastModel, riskOf, theory } from './forecast.ts';
import {
  type GradientWavesPlan,
  type GradientWavesRequest,
  gradientWavesPlan,
  LOSSES,
  type Wave,
  type WaveDatum,
  type WaveLoss,
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

function request({ variant, epsilon, dimension, radius, waves, grade }: ModelStudyRequest): PlainRequest {
  const chosen = { radius, waves, grade };
  const given = Object.entries(chosen).filter(([, value]) => value !== undefined);
  return { variant, epsilon, dimension, ...(Object.fromEntries(given) as PlainRequest) };
}

const planOf = (asked: ModelStudyRequest): GradientWavesPlan =>
  gradientWavesPlan(request(asked) as unknown as GradientWavesRequest);

const lossOf = ({ variant }: ModelStudyRequest): WaveLoss => variant as WaveLoss;

/** The records as the baselines read them. */
const clear = (records: ModelRecords): ClearRecords => ({ ...records, labels: records.responses });

/** The waves of an attacked plan, after the answers of others with records on the sphere. */
function wavesOf(plan: GradientWavesPlan, players: number): readonly Wave[] {
  const features = new Float64Array(plan.dimension);
  return referenceRounds(gradientWaves, plan, players, (random): WaveDatum => {
    fillSphere(features, random);
    return { features, label: uniform(random) < 0.5 + 0.4 * features[0] ? 1 : -1 };
  });
}

/** The waves as the command line tries them. */
export const study: ModelStudy = {
  kind: 'model',
  setting: 'rounds',
  protocol: gradientWaves as unknown as ModelStudy['protocol'],
  summary:
    'linear model or median from one report a player: in each of a few waves fresh players report gradients at one public point',
  variants: LOSSES,
  budget: 'epsilon',
  waves: true,
  defaults: {
    certify: { players: 1_000_000, samples: 1, dimension: 10 },
    audit: { players: 1_000_000, samples: 1, dimension: 10 },
  },
  request,
  forecast(asked) {
    const { what, error, floor, assumption } = theory.forecast!(planOf(asked), asked);
    return { what, error, without: floor, assumed: assumption };
  },
  target(asked) {
    const plan = planOf(asked);
    return transcriptTarget(gradientWaves, plan, wavesOf(plan, asked.players)) as unknown as ReturnType<
      ModelStudy['target']
    >;
  },
  // All waves at once: a player answers in one of them, and no other reveals more.
  parts: () => ['transcript'],
  play: {
    records: 'sides',
    intercept: false,
    fit(asked, records, seed) {
      const { players, dimension, features, responses } = records;
      const held = { features: new Float64Array(dimension), label: 0 };
      const datum = (index: number): WaveDatum => {
        for (let j = 0, from = index * dimension; j < dimension; j++) held.features[j] = features[from + j];
        held.label = responses[index];
        return held;
      };
      const { w, gain } = conduct(gradientWaves, planOf(asked), { players, datum }, { seed }).estimate;
      const half = normalCriticalValue(MODEL_LEVEL) * gain.standardError;
      const what = 'the risk of the last public point is below that of w = 0 by at least';
      const effect = [gain.value - half, gain.value + half] as const;
      return { theta: w, uncertainty: uncertaintyOf(players, { risk: null, effect, what }) };
    },
    optimum: (records, asked) => leastModel(lossOf(asked), clear(records), planOf(asked).radius),
    risk: (records, theta, asked) => riskOf(lossOf(asked), clear(records), theta),
    constantRisk: (records, asked) => constantRisk(lossOf(asked), records, planOf(asked).radius),
    notes(asked) {
      const { waves, radius } = planOf(asked);
      return [`${waves} waves of fresh players; ‖w‖ ≤ ${radius}.`];
    },
  },
};

/** The risk of the best score in [−R, R] that is the same for every record; for points, that of the centre. */
function constantRisk(variant: WaveLoss, records: ModelRecords, radius: number): number {
  if (variant === 'median') return riskOf(variant, clear(records), new Float64Array(records.dimension));
  const { players, responses } = records;
  const features = new Float32Array(players).fill(1);
  const scores: ClearRecords = { players, dimension: 1, features, labels: responses };
  return riskOf(variant, scores, leastModel(variant, scores, radius));
}
