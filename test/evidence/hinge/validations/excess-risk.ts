import { type Random, seededRandom } from 'ldpkit';
import { logGamma } from 'ldpkit/inference';
import { bernoulli, fillSphere } from 'ldpkit/mechanism';
import { type HingeParameters, hinge, lifted } from 'ldpkit/protocols/hinge';
import { COORDINATE_VARIANCE } from '../../shared/coordinate-variance.ts';

const { player, server } = hinge;

/** Collections of lifted reports of degree 0. */
export type ExcessSetting = {
  readonly dimension: number;
  readonly players: number;
  readonly epsilon: number;
  /** Collections of a chunk. */
  readonly runs: number;
};

/** Excess risk of every collection. */
export type ExcessChunk = { readonly excess: readonly number[] };

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
export function collect(parameters: HingeParameters, players: number, signal: number, random: Random) {
  const features = new Float64Array(parameters.dimension);
  const datum = { features, label: 1 };
  const tally = server.empty(parameters);
  let report: ReturnType<typeof player.randomize> | undefined;
  for (let i = 0; i < players; i++) {
    fillSphere(features, random);
    datum.label = features[0] > 0 === bernoulli((1 + signal) / 2, random) ? 1 : -1;
    if (report === undefined) report = player.randomize(parameters, datum, random);
    else player.randomizeInto(parameters, datum, random, report);
    server.add(parameters, tally, report);
  }
  return tally;
}

/** Excess population risks of the collections of one chunk. */
export function excessChunk(
  { dimension, players, epsilon, runs }: ExcessSetting,
  chunk: number,
  seed: string,
): ExcessChunk {
  const parameters = lifted({ epsilon, degree: 0, dimension });
  const random = seededRandom(`${seed}/excess/${dimension}/${players}/${epsilon}/${chunk}`);
  const excess = Array.from({ length: runs }, () => {
    const { w } = server.estimate(parameters, collect(parameters, players, SIGNAL, random), { radius: RADIUS });
    return meanLength(dimension) * (RADIUS - w[0]);
  });
  return { excess };
}

/** (c_ε + 1/p)/(n‖E v‖²): the variance of a coordinate of the mean report relative to its squared length. */
const coordinateNoise = ({ dimension, players, epsilon }: ExcessSetting): number =>
  (COORDINATE_VARIANCE[epsilon] + 1 / dimension) / players / meanLength(dimension) ** 2;

/**
 * R(p − 1)(c_ε + 1/p)/(2‖E v‖n)·(1 + (3 − ¾(p + 1))ρ), ρ = (c_ε + 1/p)/(n‖E v‖²): to second order in 1/n.
 *
 * Law: the direction of E v + noise misses e₁ by the noise across; excess = R·m(1 − cos), 1 − cos = s/2 − 3s²/8 + …, where s is the
 * squared ratio of the noise across, p − 1 coordinates of variance (c_ε + 1/p)/n each, to m + noise along; E s = (p − 1)ρ(1 + 3ρ),
 * E s² = (p² − 1)ρ² but for higher orders.
 */
export function predictedExcess(setting: ExcessSetting): number {
  const { dimension } = setting;
  const rho = coordinateNoise(setting);
  const first = (RADIUS * meanLength(dimension) * (dimension - 1) * rho) / 2;
  return first * (1 + (3 - 0.75 * (dimension + 1)) * rho);
}

/** The relative size of what the prediction leaves out: of the order of the square of the noise across over the mean. */
export const leftOut = (setting: ExcessSetting): number => ((setting.dimension + 1) * coordinateNoise(setting)) ** 2;

/** The excess of a collection is nearly a multiple of a χ² with p − 1 degrees of freedom: relative standard error of so many. */
export const relativeError = ({ dimension }: ExcessSetting, collections: number): number =>
  Math.sqrt(2 / ((dimension - 1) * collections));
