import { transcriptTarget } from '../../src/audit/transcript.ts';
import type { PlainRequest } from '../../src/core/contract.ts';
import { normalCriticalValue } from '../../src/inference/critical-value.ts';
import { MODEL_LEVEL } from '../../src/inference/model-interval.ts';
import { fillSphere, uniform } from '../../src/random/random.ts';
import type { ModelRecords, ModelStudy, ModelStudyRequest } from '../../src/simulation/model-study.ts';
import { conduct, referenceRounds } from '../../src/simulation/runner.ts';
import { uncertaintyOf } from '../../src/simulation/uncertainty.ts';
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
import { gradientWaves } from './protocol.ts';

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
