import { type PlainRequest, seededRandom } from 'ldpkit';
import { normal } from 'ldpkit/mechanism';
import { binaryLogisticLoss, fillGradient, mallowsWeight } from 'ldpkit/optimize';
import { type OnlineSgdRequest, onlineAuditing, onlineSgdPlan } from 'ldpkit/protocols/online-sgd';
import { logisticPopulation } from '../reproductions/population.ts';

const { hypot, max } = Math;

/** Gradients of one example: of records, at multiples of the truth, or of pairs of records that are as far apart as any. */
export type ExampleSetting = { readonly model: PlainRequest; readonly count: number };

/** Sums over records of the gradient along the truth, by multiple and labels; and the largest distance of a pair. */
export type ExamplePart = {
  readonly records: number;
  readonly sums: { readonly [name in Labels]: readonly number[] };
  readonly squares: { readonly [name in Labels]: readonly number[] };
  readonly distance: number;
};

/** Labels 0 and 1 in the update; −1 and 1 in the same update, as printed; −1 and 1 in the loss of a margin. */
export type Labels = 'binary' | 'printed' | 'margin';

/** Names of the three. */
export const LABELS: readonly { readonly name: Labels; readonly label: string }[] = [
  { name: 'binary', label: 'y ∈ {0, 1}' },
  { name: 'printed', label: 'as printed, Y ∈ {−1, 1} in the same update' },
  { name: 'margin', label: 'Y ∈ {−1, 1} in the loss of a margin' },
];

/** Features of all examples. */
export const FEATURES = 3;

/** Multiples of the true parameter. */
export const MULTIPLES: readonly number[] = [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75];

/** One part of the records and pairs. */
export function examplePart({ model, count }: ExampleSetting, index: number, seed: string): ExamplePart {
  const random = seededRandom(`${seed}/examples/${index}`);
  const asked = { maker: 'gdp', mu: 1, model: { ...model, features: FEATURES }, inference: [] };
  const plan = onlineSgdPlan(asked as unknown as OnlineSgdRequest);
  const { dimension } = plan.model;
  const [first, second] = [new Float64Array(dimension), new Float64Array(dimension)];
  const theta = new Float64Array(dimension);
  let distance = 0;
  for (let round = 0; round < 60; round++) {
    // Close to 0, where the worst pairs have their scores at both ends, and far away.
    const spread = [1e-9, 1, 30][round % 3];
    for (let i = 0; i < dimension; i++) theta[i] = spread * normal(random);
    for (const pair of onlineAuditing.pairs({ plan, index: 1, place: 1, iterate: theta }, random)) {
      fillGradient(plan.model, theta, pair.first, first);
      fillGradient(plan.model, theta, pair.second, second);
      distance = max(distance, hypot(...first.map((entry, i) => entry - second[i])));
    }
  }
  const empty = (): { readonly [name in Labels]: number[] } => ({ binary: [], printed: [], margin: [] });
  const [sums, squares] = [empty(), empty()];
  if (model.kind !== 'logistic') return { records: 0, sums, squares, distance };
  for (const { name } of LABELS) {
    sums[name].push(...MULTIPLES.map(() => 0));
    squares[name].push(...MULTIPLES.map(() => 0));
  }
  const margin = onlineSgdPlan({
    ...asked,
    model: { kind: 'margin', loss: 'logistic', features: FEATURES },
  } as unknown as OnlineSgdRequest).model;
  const { derivative } = binaryLogisticLoss();
  const population = logisticPopulation(FEATURES);
  const record = population.create();
  const add = (name: Labels, k: number, value: number): void => {
    sums[name][k] += value;
    squares[name][k] += value * value;
  };
  for (let n = 0; n < count; n++) {
    population.draw(record, random);
    const { features, response } = record;
    const sign = 2 * response - 1;
    let inner = 1;
    let squared = 1;
    for (const z of features) {
      inner += z;
      squared += z * z;
    }
    const weight = mallowsWeight(squared);
    for (const [k, multiple] of MULTIPLES.entries()) {
      theta.fill(multiple);
      fillGradient(plan.model, theta, record, first);
      add('binary', k, first[0]);
      fillGradient(margin, theta, { features, response: sign }, first);
      add('margin', k, first[0]);
      // The first coordinate is the intercept's.
      add('printed', k, derivative(multiple * inner, sign) * weight);
    }
  }
  return { records: count, sums, squares, distance };
}
