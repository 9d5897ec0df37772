import { checkInteger, checkOpenUnit, checkPositive, checkWord } from '../../src/check/number.ts';
import { normalCriticalValue } from '../../src/inference/critical-value.ts';
import { normalCdf } from '../../src/numeric/normal.ts';
import type { PlainRequest } from '../../src/protocol/contract.ts';
import type { OnlineReport } from '../../src/protocol/online/report.ts';
import type { OnlineState } from '../../src/protocol/online/state.ts';
import { fillNormal } from '../../src/random/normal.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { mallowsWeight } from '../../src/risk/huber.ts';
import { fitRegression, regressionRisk } from '../../src/simulation/regression-fit.ts';
import {
  type StreamForecast,
  type StreamPlan,
  type StreamSetting,
  type StreamStudy,
  type StreamStudyRequest,
  streamPlan,
} from '../../src/simulation/stream-study.ts';
import { MAKERS, type OnlineSgdRequest, onlineSgdPlan } from './parameters.ts';
import { onlineSgd } from './protocol.ts';
import { asymptoticCovariance } from './theory.ts';

const { exp, PI, sqrt } = Math;

const PURE: readonly string[] = ['privUnit', 'laplace'];
const GAUSSIAN: readonly string[] = ['gdp', 'printedGdp'];

/** Records drawn for the moments of a forecast. */
const DRAWN = 20_000;

function request(asked: StreamStudyRequest): PlainRequest {
  const { maker: word, features, mu, epsilon, delta, hessianMu, rate, decay, burnIn, grade } = asked;
  const maker = checkWord('maker', word, MAKERS);
  const numbers = { rate, decay, burnIn, grade };
  const given = Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined));
  const own: { readonly [name: string]: number | undefined } =
    maker === 'nonPrivate'
      ? {}
      : GAUSSIAN.includes(maker)
        ? { mu, ...(maker === 'gdp' && hessianMu !== undefined ? { hessianMu } : {}) }
        : PURE.includes(maker)
          ? { epsilon }
          : { epsilon, delta };
  // A budget that is missing is refused by the maker, by its name.
  return { maker, model: { kind: 'huber', features }, ...own, ...given } as PlainRequest;
}

const plan = (asked: StreamStudyRequest): StreamPlan =>
  streamPlan(onlineSgdPlan(request(asked) as unknown as OnlineSgdRequest));

/**
 * By the limit law of the average: √n(θ̄ − θ₀) → N(0, A⁻¹(S + v)A⁻¹). Features are independent standard normal, the response is
 * normal around the model; E w(x)xxᵀ and E w(x)²xxᵀ are means over records drawn by fixed coins.
 */
function forecast(asked: StreamStudyRequest, setting: StreamSetting): StreamForecast {
  const players = checkInteger('players', setting.players, 1);
  const spread = checkPositive('spread', setting.spread);
  const factor = normalCriticalValue(checkOpenUnit('level', setting.level));
  const made = plan(asked);
  const moments = referenceMoments(made, spread);
  const error = sqrt(meanDiagonal(asymptoticCovariance(made, moments)) / players);
  const without = plan({ maker: 'nonPrivate', features: asked.features });
  const floor = sqrt(meanDiagonal(asymptoticCovariance(without, moments)) / players);
  return { error, floor, half: factor * error };
}

function referenceMoments({ model }: StreamPlan, spread: number) {
  const { dimension, loss } = model;
  const threshold = loss.kind === 'huber' ? loss.threshold / spread : 0;
  const within = 2 * normalCdf(threshold) - 1;
  const density = exp((-threshold * threshold) / 2) / sqrt(2 * PI);
  // E ψ² of a normal residual: its second moment within the threshold, and the square of the threshold beyond.
  const square = spread * spread * (within - 2 * threshold * density + threshold * threshold * (1 - within));
  const hessian = new Float64Array(dimension * dimension);
  const gradient = new Float64Array(dimension * dimension);
  const random = seededRandom('reference');
  const x = new Float64Array(dimension);
  for (let i = 0; i < DRAWN; i++) {
    fillNormal(x, random, 0, dimension);
    x[0] = 1;
    const weight = mallowsWeight(x.reduce((sum, entry) => sum + entry * entry, 0));
    for (let j = 0; j < dimension; j++) {
      for (let k = 0; k < dimension; k++) {
        const product = (x[j] * x[k]) / DRAWN;
        hessian[j * dimension + k] += weight * within * product;
        gradient[j * dimension + k] += weight * weight * square * product;
      }
    }
  }
  return { hessian, gradient };
}

function meanDiagonal(matrix: Float64Array): number {
  const size = sqrt(matrix.length);
  let sum = 0;
  for (let i = 0; i < size; i++) sum += matrix[i * (size + 1)] / size;
  return sum;
}

/** Online gradient descent as the command line and the simulator try it: robust linear regression. */
export const study: StreamStudy<OnlineReport, OnlineState> = {
  kind: 'stream',
  protocol: onlineSgd,
  summary: 'robust linear regression of a stream, with intervals at every moment, one noisy gradient per player',
  makers: MAKERS.filter((maker) => maker !== 'nonPrivate'),
  pureMakers: PURE,
  reference: 'nonPrivate',
  budget: (maker) => (GAUSSIAN.includes(maker) ? 'mu' : 'epsilon'),
  request,
  plan,
  fit: ({ model }, records, choice) => fitRegression(model, records, choice),
  risk: ({ model }, records, theta) => regressionRisk(model, records, theta),
  assumption: 'features and residuals independent and normal, features of variance 1',
  forecast,
};
