import { seededRandom } from 'ldpkit';
import { gdpDelta } from 'ldpkit/privacy';
import {
  type CentralRecords,
  descendNoisily,
  empiricalRisk,
  fillMeanGradient,
  type GradientPerturbation,
  gradientPerturbation,
} from 'ldpkit/protocols/influence-sgd';
import { BUDGET } from './descent.ts';
import { drawRecords } from './logistic-records.ts';
import { meanModel } from './mean-model.ts';

const { ceil, log, sqrt } = Math;

/** m. */
export const DIMENSION = 8;
const model = meanModel(DIMENSION);

/** Descents for n records. */
export type IsotropicSetting = { readonly records: number; readonly runs: number };

/** What came of them. */
export type IsotropicPart = {
  /** The mean of L(θ_T; D) − L*. */
  readonly excess: number;
  /** By how much the mean gradient of two data sets differs that differ in one record, at its largest. */
  readonly sensitivity: number;
};

/** T = ⌈log n⌉ steps of 1/L along the mean gradient of all records. */
export function isotropicDescent(records: number): GradientPerturbation {
  return gradientPerturbation({
    accountant: 'gdp',
    ...BUDGET,
    records,
    batch: records,
    lipschitz: 1,
    steps: ceil(log(records)),
    step: 1,
  });
}

/** The noise that T such steps need, from sensitivity and budget and not from the parameters: Gaussian composition by bisection. */
export function neededSigma(sensitivity: number, steps: number): number {
  let [below, above] = [1e-3, 10];
  for (let i = 0; i < 200; i++) {
    const middle = (below + above) / 2;
    if (gdpDelta(middle, BUDGET.epsilon) > BUDGET.delta) above = middle;
    else below = middle;
  }
  return (sensitivity * sqrt(steps)) / below;
}

/** The mean gradients at the origin with record 0 at e₁ and at −e₁ are as far apart as any of two records can make them. */
function sensitivityOf(records: number): number {
  const [plus, minus] = [1, -1].map((sign) => {
    const features = new Float64Array(records * DIMENSION);
    features[0] = sign;
    const data: CentralRecords = { records, dimension: DIMENSION, features, labels: new Int8Array(records).fill(1) };
    const target = new Float64Array(DIMENSION);
    fillMeanGradient(model, new Float64Array(DIMENSION), data, target);
    return target[0];
  });
  return minus - plus;
}

/** Descents on one data set. */
export function descend({ records, runs }: IsotropicSetting, index: number, seed: string): IsotropicPart {
  const random = seededRandom(`${seed} isotropic ${records} ${index}`);
  const data = drawRecords(records, DIMENSION, random);
  const parameters = isotropicDescent(records);
  const theta = new Float64Array(DIMENSION);
  fillMeanGradient(model, theta, data, theta);
  const risk = empiricalRisk(
    model,
    theta.map((value) => -value),
    data,
  );
  let excess = 0;
  for (let run = 0; run < runs; run++) {
    excess += (empiricalRisk(model, descendNoisily(parameters, model, data, random), data) - risk) / runs;
  }
  return { excess, sensitivity: sensitivityOf(records) };
}
