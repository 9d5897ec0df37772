import { type Random, seededRandom } from 'ldpkit';
import { fillSphere, uniform } from 'ldpkit/mechanism';
import { weiszfeld } from 'ldpkit/optimize';
import {
  createMedianForecaster,
  euclideanMedian,
  euclideanMedianParameters,
  pointPopulation,
  pointRisk,
} from 'ldpkit/protocols/euclidean-median';

const { player, server } = euclideanMedian;

/** Collections of reports, each estimated from. */
export type CollectionSetting = {
  readonly variant: 'lifted' | 'gaussian' | 'printed';
  readonly epsilon: number;
  readonly dimension: number;
  readonly players: number;
  /** Collections of a chunk. */
  readonly runs: number;
};

/** What came of the collections of a chunk, and what was forecast. */
export type CollectionChunk = {
  /** Excess risk of every collection on the reference population. */
  readonly excess: readonly number[];
  readonly forecast: number;
  /** Standard deviation of the forecast excess from one collection to the next. */
  readonly deviation: number;
};

/** Draws of the noise that a forecast averages: 60 in two dimensions, 24 in five. */
export const forecastDraws = (dimension: number): number => (dimension <= 2 ? 60 : 24);

interface Reference {
  readonly population: ReturnType<typeof pointPopulation>;
  /** The least risk. */
  readonly best: number;
  readonly forecast: ReturnType<typeof createMedianForecaster>;
}

const references = new Map<number, Reference>();

/** What belongs to a dimension, made once. */
function referenceOf(dimension: number): Reference {
  const known = references.get(dimension);
  if (known !== undefined) return known;
  const population = pointPopulation(dimension);
  const { value } = weiszfeld({ dimension, points: population.points }, { tolerance: 1e-9 });
  const made = { population, best: value, forecast: createMedianForecaster(dimension) };
  references.set(dimension, made);
  return made;
}

/** A point of the law of the reference population: a fifth at −e₁, the others uniform in a ball of radius ¼ around 0.7e₁. */
function fillPoint(point: Float64Array, random: Random): void {
  const dimension = point.length;
  if (uniform(random) < 0.2) {
    point.fill(0);
    point[0] = -1;
    return;
  }
  fillSphere(point, random);
  const length = 0.25 * uniform(random) ** (1 / dimension);
  for (let i = 0; i < dimension; i++) point[i] *= length;
  point[0] += 0.7;
}

/** The collections of one chunk. */
export function collectionChunk(
  { variant, epsilon, dimension, players, runs }: CollectionSetting,
  index: number,
  seed: string,
): CollectionChunk {
  const request = { epsilon, degree: 1, dimension };
  const parameters = euclideanMedianParameters(
    variant === 'lifted' ? { variant, ...request } : { variant, delta: 1e-6, ...request },
  );
  const { population, best, forecast } = referenceOf(dimension);
  const random = seededRandom(`${seed}/table/${variant}/${epsilon}/${dimension}/${players}/${index}`);
  const point = new Float64Array(dimension);
  let report: ReturnType<typeof player.randomize> | undefined;
  const excess = Array.from({ length: runs }, (_, run) => {
    const tally = server.empty(parameters);
    for (let i = 0; i < players; i++) {
      fillPoint(point, random);
      if (report === undefined) report = player.randomize(parameters, { point }, random);
      else player.randomizeInto(parameters, { point }, random, report);
      server.add(parameters, tally, report);
    }
    // Directions of its own for every collection: those of the default are the same for all.
    const query = variant === 'printed' ? { seed: `${seed}/directions/${players}/${index}/${run}` } : {};
    return pointRisk(population, server.estimate(parameters, tally, query).w) - best;
  });
  const { excessRisk, deviation } = forecast(parameters, players);
  return { excess, forecast: excessRisk, deviation };
}
