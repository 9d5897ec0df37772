import { logGamma } from '../../../src/numeric/gamma.ts';
import { bernoulli } from '../../../src/random/bernoulli.ts';
import type { Random } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { fillSphere } from '../../../src/random/sphere.ts';
import { type HingeParameters, lifted } from '../parameters.ts';
import { player } from '../player.ts';
import type { HingeReport } from '../report.ts';
import { type HingeTally, server } from '../server.ts';

/** Collections of lifted reports of degree 0. */
export type ExcessSetting = {
  readonly dimension: number;
  readonly players: number;
  readonly epsilon: number;
  /** Collections of a part. */
  readonly runs: number;
};

/** Excess risk of every collection. */
export type ExcessPart = { readonly excess: readonly number[] };

/** P(right label) − P(wrong label). */
const SIGNAL = 0.8;

/** R. No margin reaches the kink, so that the hinge risk is ½ − ⟨w, E v⟩ exactly, and the best w is R·e₁. */
const RADIUS = 0.5;

/** ‖E v‖ = signal·E|x₁| for x uniform on the sphere. */
export const meanLength = (p: number): number =>
  (SIGNAL * Math.exp(logGamma(p / 2) - logGamma((p + 1) / 2))) / Math.sqrt(Math.PI);

/**
 * A tally of so many players, x uniform on the sphere and y the sign of x₁, right with probability (1 + signal)/2. People and
 * coins are drawn one after the other from the source.
 */
export function collect(parameters: HingeParameters, players: number, signal: number, random: Random): HingeTally {
  const features = new Float64Array(parameters.dimension);
  const datum = { features, label: 1 };
  const tally = server.empty(parameters);
  let report: HingeReport | undefined;
  for (let i = 0; i < players; i++) {
    fillSphere(features, random);
    datum.label = features[0] > 0 === bernoulli((1 + signal) / 2, random) ? 1 : -1;
    if (report === undefined) report = player.randomize(parameters, datum, random);
    else player.randomizeInto(parameters, datum, random, report);
    server.add(parameters, tally, report);
  }
  return tally;
}

/** Excess population risks of the collections of one part. */
export function excessPart(
  { dimension, players, epsilon, runs }: ExcessSetting,
  part: number,
  seed: string,
): ExcessPart {
  const parameters = lifted({ epsilon, degree: 0, dimension });
  const random = seededRandom(`${seed}/excess/${dimension}/${players}/${epsilon}/${part}`);
  const excess = Array.from({ length: runs }, () => {
    const { w } = server.estimate(parameters, collect(parameters, players, SIGNAL, random), { radius: RADIUS });
    return meanLength(dimension) * (RADIUS - w[0]);
  });
  return { excess };
}

/**
 * R(p − 1)(c_ε + 1/p)/(2‖E v‖n) to first order in 1/n.
 *
 * Law: the direction of E v + noise misses e₁ by the noise across; excess = R·m(1 − cos) ≈ R·‖noise across‖²/(2m), p − 1
 * coordinates of variance (c_ε + 1/p)/n each, report and sample together.
 */
export function predictedExcess({ dimension, players, epsilon }: ExcessSetting): number {
  const { mechanism } = lifted({ epsilon, degree: 0, dimension });
  const variance = (mechanism.coordinateVariance + 1 / dimension) / players;
  return (RADIUS * (dimension - 1) * variance) / (2 * meanLength(dimension));
}

/** The ratio of noise across to ‖E v‖, squared: the relative size of what the prediction leaves out is of this order. */
export const relativeNoise = (setting: ExcessSetting): number =>
  (2 * predictedExcess(setting)) / (RADIUS * meanLength(setting.dimension));
