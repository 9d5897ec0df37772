import type { StreamPopulation } from '../../protocols/online-sgd/streams.ts';
import { fillNormal, uniform } from '../../src/random/random.ts';
import type { OnlineDatum } from '../../src/risk/regression/record.ts';

interface Written extends OnlineDatum {
  readonly features: Float64Array;
  response: number;
}

/** The linear model of both papers: y = 1 + Σ x_j + σe with standard normal features. */
export function linearPopulation(features: number, deviation: number): StreamPopulation<OnlineDatum> {
  const drawn = new Float64Array(features + 1);
  return {
    create: (): Written => ({ features: new Float64Array(features), response: 0 }),
    draw(datum, random) {
      const written = datum as Written;
      fillNormal(drawn, random);
      let y = 1 + deviation * drawn[features];
      for (let j = 0; j < features; j++) {
        written.features[j] = drawn[j];
        y += drawn[j];
      }
      written.response = y;
    },
  };
}

/** y ∈ {0, 1} with probability 1/(1 + e^(−t)), t = 1 + Σ x_j. */
export function logisticPopulation(features: number): StreamPopulation<OnlineDatum> {
  const drawn = new Float64Array(features);
  return {
    create: (): Written => ({ features: new Float64Array(features), response: 0 }),
    draw(datum, random) {
      const written = datum as Written;
      fillNormal(drawn, random);
      let t = 1;
      for (let j = 0; j < features; j++) t += written.features[j] = drawn[j];
      written.response = uniform(random) < 1 / (1 + Math.exp(-t)) ? 1 : 0;
    },
  };
}
