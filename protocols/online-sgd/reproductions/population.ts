import { normal } from '../../../src/random/normal.ts';
import { uniform } from '../../../src/random/uniform.ts';
import { sigmoid } from '../../../src/risk/binary-logistic.ts';
import type { StreamPopulation } from '../../../src/simulation/stream.ts';

/** A record that is written over for every player. */
export interface StreamRecord {
  readonly features: Float64Array;
  response: number;
}

/**
 * Records with independent standard normal features z and y = 1 + Σ z + noise: both papers' linear model, whose coefficients
 * are all 1, the intercept included.
 *
 * Source: inference paper, Section 5 (deviation 0.5); non-asymptotic paper, Section 5.1 (deviation 2).
 */
export function linearPopulation(features: number, deviation: number): StreamPopulation<StreamRecord> {
  return {
    create: () => ({ features: new Float64Array(features), response: 0 }),
    draw(record, random) {
      const { features: z } = record;
      let inner = 1;
      for (let i = 0; i < features; i++) inner += z[i] = normal(random);
      record.response = inner + deviation * normal(random);
    },
  };
}

/**
 * Records with the same features and y ∈ {0, 1}, P(y = 1) = 1/(1 + exp(−1 − Σ z)): both papers' logistic model.
 *
 * Source: non-asymptotic paper, Section 5.3.
 */
export function logisticPopulation(features: number): StreamPopulation<StreamRecord> {
  return {
    create: () => ({ features: new Float64Array(features), response: 0 }),
    draw(record, random) {
      const { features: z } = record;
      let inner = 1;
      for (let i = 0; i < features; i++) inner += z[i] = normal(random);
      record.response = uniform(random) < sigmoid(inner) ? 1 : 0;
    },
  };
}
