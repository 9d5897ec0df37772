import { seededRandom } from 'ldpkit';
import { descendNoisily, empiricalRisk, type Model, optimum } from 'ldpkit/protocols/influence-sgd';
import { descentModel, descentOf, RIDGE } from './descent.ts';
import { drawRecords } from './logistic-records.ts';
import { populationOptimum, populationRisk } from './population.ts';

const DIMENSION = 3;
/** The regression whose population risk is known. */
export const model: Model = descentModel(DIMENSION);
const best = populationOptimum(RIDGE);

/** Whose risk is measured. */
export type Kind = 'private' | 'optimum';
/** What they are, in words. */
export const LABELS: Readonly<Record<Kind, string>> = {
  private: 'DP-SGD along mean gradients',
  optimum: 'the minimiser, no noise',
};

/** Models of data sets of n records. */
export type PopulationSetting = { readonly kind: Kind; readonly records: number; readonly sets: number };

/** Means over data sets. */
export type PopulationPart = {
  /** L_P(θ) − L(θ; D). */
  readonly generalization: number;
  /** L_P(θ) − min L_P. */
  readonly population: number;
  /** L(θ; D) − L*. */
  readonly excess: number;
  /** L*. */
  readonly least: number;
};

/** Means over so many data sets. */
export function populationExcess(
  { kind, records, sets }: PopulationSetting,
  index: number,
  seed: string,
): PopulationPart {
  const random = seededRandom(`${seed} theorem 3 ${kind} ${records} ${index}`);
  const parameters = descentOf(model, records, 'mean');
  let [generalization, population, excess, least] = [0, 0, 0, 0];
  for (let s = 0; s < sets; s++) {
    const data = drawRecords(records, DIMENSION, random);
    const found = optimum(model, data);
    const theta = kind === 'optimum' ? found.theta : descendNoisily(parameters, model, data, random);
    const risk = empiricalRisk(model, theta, data);
    const here = populationRisk(theta, RIDGE) - best.risk;
    // L_P − L at the fixed minimiser of L_P has mean 0: leaving it out changes no mean and takes most of the variance.
    generalization += (here - (risk - empiricalRisk(model, best.theta, data))) / sets;
    population += here / sets;
    excess += (risk - found.risk) / sets;
    least += found.risk / sets;
  }
  return { generalization, population, excess, least };
}
