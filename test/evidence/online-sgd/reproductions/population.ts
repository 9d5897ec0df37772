import { normalCdf, normalDensity } from 'ldpkit/inference';
import { normal, uniform } from 'ldpkit/mechanism';
import { sigmoid } from 'ldpkit/optimize';
import type { StreamPopulation } from 'ldpkit/protocols/online-sgd';

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
  return correlatedPopulation('linear', { features, correlation: 0, deviation });
}

/**
 * Records with the same features and y ∈ {0, 1}, P(y = 1) = 1/(1 + exp(−1 − Σ z)): both papers' logistic model.
 *
 * Source: non-asymptotic paper, Section 5.3.
 */
export function logisticPopulation(features: number): StreamPopulation<StreamRecord> {
  return correlatedPopulation('logistic', { features, correlation: 0, deviation: 0 });
}

/** What is drawn by {@link correlatedPopulation}. Expectile regression has the records of linear regression. */
export type StreamModel = 'linear' | 'logistic' | 'expectile';

/** Features, their correlation ρ^|j − k|, and the deviation of the noise of a linear model. */
export interface CorrelatedDesign {
  readonly features: number;
  readonly correlation: number;
  readonly deviation: number;
}

/**
 * The same models with features of variance 1 and correlation ρ^|j − k|, drawn one after the other as an autoregression.
 *
 * Source: inference paper, Section 5.
 */
export function correlatedPopulation(
  model: StreamModel,
  { features, correlation, deviation }: CorrelatedDesign,
): StreamPopulation<StreamRecord> {
  const fresh = Math.sqrt(1 - correlation * correlation);
  return {
    create: () => ({ features: new Float64Array(features), response: 0 }),
    draw(record, random) {
      const { features: z } = record;
      let inner = 1;
      for (let i = 0; i < features; i++) {
        z[i] = i === 0 ? normal(random) : correlation * z[i - 1] + fresh * normal(random);
        inner += z[i];
      }
      if (model === 'logistic') record.response = uniform(random) < sigmoid(inner) ? 1 : 0;
      else record.response = inner + deviation * normal(random);
    },
  };
}

/**
 * The robust τ-expectile of N(0, deviation²): the e with E[|τ − 1(u < 0)|·ψ_c(u)] = 0, u = ε − e, to 1e-10, by bisection. Both halves
 * have closed forms: E min(u, c)₊ and its mirror image.
 */
export function expectileOfNormal(tau: number, deviation: number, threshold: number): number {
  // E(ε − a)₊.
  const above = (a: number): number => deviation * normalDensity(a / deviation) - a * normalCdf(-a / deviation);
  const score = (e: number): number =>
    tau * (above(e) - above(e + threshold)) - (1 - tau) * (above(-e) - above(threshold - e));
  let [low, high] = [-10 * deviation, 10 * deviation];
  while (high - low > 1e-10) {
    const middle = (low + high) / 2;
    if (score(middle) > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
