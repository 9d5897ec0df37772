import { seededRandom } from 'ldpkit';
import { convexMixture, lossByName } from 'ldpkit/optimize';
import { evaluatePolynomial } from 'ldpkit/polynomial';
import {
  type MixtureDecoding,
  mixtureGradients,
  mixtureSlope,
  mixtureVariance,
  player,
  printed,
  type ReportTally,
  server,
  smoothedStepCoefficients,
} from 'ldpkit/protocols/generalized-linear';

/** Many reports of one record, each decoded by itself as in algorithm 2. */
export type MixtureSetting = {
  readonly loss: string;
  /** One s for a gradient (`shared`), or one for each factor, as printed (`independent`). */
  readonly decoding: MixtureDecoding;
  readonly reports: number;
};

/** Sums over reports of G, and of ‖G − m‖² and its square, m what the decoding expects. */
export type MixturePart = { readonly sums: readonly number[]; readonly squared: number; readonly squares: number };

const FEATURES = [0.6, -0.5];
const LABEL = -1;
const POINT = [-0.9, 0.4];
const MARGIN = 0.9 * 0.6 + 0.4 * 0.5;
/** Noise of the order of the record, so that E‖G‖² can be measured. Degree 3 is the first whose factors interact: c₂ = 0. */
const PARAMETERS = { epsilon: 300, delta: 1e-3, degree: 3, dimension: 2 };
const STEP_WIDTH = 0.1;

/** P(t)·v for what a decoding expects. */
export function meanOf(loss: string, decoding: MixtureDecoding): number[] {
  const step = smoothedStepCoefficients(PARAMETERS.degree, STEP_WIDTH);
  const slope = evaluatePolynomial(mixtureSlope(convexMixture(lossByName(loss)), step, decoding), MARGIN);
  return FEATURES.map((entry) => slope * LABEL * entry);
}

/** E‖G − E G‖² in closed form. */
export function statedVariance({ loss, decoding }: MixtureSetting): number {
  const step = smoothedStepCoefficients(PARAMETERS.degree, STEP_WIDTH);
  const at = { coefficients: step, w: POINT, features: FEATURES, label: LABEL };
  return mixtureVariance(printed(PARAMETERS), convexMixture(lossByName(loss)), decoding, at);
}

/** The gradient estimates of one part. */
export function mixturePart({ loss, decoding, reports }: MixtureSetting, index: number, seed: string): MixturePart {
  const parameters = printed(PARAMETERS);
  const step = smoothedStepCoefficients(PARAMETERS.degree, STEP_WIDTH);
  const random = seededRandom(`${seed}/mean/${loss}/${decoding}/${index}`);
  const tally = server.empty(parameters) as ReportTally;
  const record = { features: FEATURES, label: LABEL };
  const report = player.randomize(parameters, record, random);
  server.add(parameters, tally, report);
  const gradients = mixtureGradients(parameters, convexMixture(lossByName(loss)), step, decoding, tally, random);
  const m = meanOf(loss, decoding);
  const w = Float64Array.from(POINT);
  const gradient = new Float64Array(2);
  const sums = [0, 0];
  let [squared, squares] = [0, 0];
  for (let i = 0; i < reports; i++) {
    player.randomizeInto(parameters, record, random, report);
    tally.values.set(report.values);
    gradients.gradient(0, w, gradient);
    let square = 0;
    for (let j = 0; j < 2; j++) {
      sums[j] += gradient[j];
      square += (gradient[j] - m[j]) ** 2;
    }
    squared += square;
    squares += square * square;
  }
  return { sums, squared, squares };
}
