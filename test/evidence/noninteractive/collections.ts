import { seededRandom } from 'ldpkit';
import { fillNormal } from 'ldpkit/mechanism';
import { liftSize } from 'ldpkit/polynomial';
import {
  type MarginParameters,
  momentsOf,
  populationMoments,
  publicPopulation,
} from 'ldpkit/protocols/generalized-linear';
import { type HingeRequest, hinge, hingeParameters, plannedRequest } from 'ldpkit/protocols/hinge';
import { type Dataset, datasetPopulation, simulate } from 'ldpkit/simulate';

const { round, sqrt } = Math;

/** What may be collected from a file: by the plan, for the mean alone, and for each degree. */
export const CANDIDATES = ['default', 'mean', 'degree 1', 'degree 2', 'degree 3', 'degree 4'] as const;

/** One of {@link CANDIDATES}. */
export type Candidate = (typeof CANDIDATES)[number];

/** What is asked of a file. */
export interface Question {
  readonly file: Dataset;
  readonly epsilon: number;
  readonly radius: number;
  /** n: each record is held by n/10,000 players. */
  readonly players: number;
}

/** The most numbers of a lift that is tried: what a plan allows itself. */
const MOST_NUMBERS = 8192;

/** The most reports of `direct` that are made. */
const MOST_MADE = 1e6;

/** The parameters of a candidate; undefined where a report would be larger than a plan allows. */
export function parametersOf(
  candidate: Candidate,
  { file, epsilon, radius, players }: Question,
): MarginParameters | undefined {
  const { dimension } = file;
  const degree = CANDIDATES.indexOf(candidate) - 1;
  const request: HingeRequest =
    candidate === 'default'
      ? plannedRequest({ players, dimension, epsilon, radius, unitNorm: true })
      : { variant: 'lifted', degree, dimension, epsilon };
  return liftSize(dimension, request.degree + 1) > MOST_NUMBERS ? undefined : hingeParameters(request);
}

/** The model of one collection. */
export function modelOf(
  candidate: Candidate,
  parameters: MarginParameters,
  question: Question,
  seed: string,
): Float64Array {
  const { file, radius, players } = question;
  const made = players <= (parameters.variant === 'direct' ? MOST_MADE : file.players);
  const tally = made
    ? simulate(hinge, parameters, repeated(file, players), { seed })
    : normalTally(parameters, question, seed);
  const fit = candidate === 'default' ? { intercept: 0 } : { degree: parameters.degree };
  // All records are on the unit sphere.
  return hinge.server.estimate(parameters, tally, { radius, unitNorm: true, ...fit }).w;
}

/** Players who hold the records of a file in turn. */
function repeated(file: Dataset, players: number): ReturnType<typeof datasetPopulation> {
  const { datum } = datasetPopulation(file);
  return { players, datum: (index) => datum(index % file.players) };
}

// The mean lift of a file: the same for all collections of a degree.
const means = new WeakMap<Dataset, Map<number, Float64Array>>();

function meanLift(lift: Parameters<typeof populationMoments>[1], file: Dataset): Float64Array {
  const known = means.get(file) ?? new Map<number, Float64Array>();
  means.set(file, known);
  let mean = known.get(lift.degree);
  if (mean === undefined) {
    mean = populationMoments(publicPopulation(file, file.players), lift);
    known.set(lift.degree, mean);
  }
  return mean;
}

/**
 * A tally with the mean of the reports and normal noise of their covariance, which for PrivUnitG is a multiple of the identity
 * whatever the records are, and for products of `direct` so on average. It stands for the sum of 100,000 reports and more, of
 * `direct` for more than a million; fewer are really made.
 */
export function normalTally(parameters: MarginParameters, { file, players }: Question, seed: string) {
  const { variant } = parameters;
  if (variant !== 'direct' && variant !== 'lifted' && variant !== 'sampled') {
    throw new RangeError(`"variant" expected direct, lifted or sampled, got ${variant}`);
  }
  const { lift, digest } = parameters;
  const { size, degree, offsets } = lift;
  const counts = variant === 'lifted' ? [] : parameters.shares.map((share) => round(players * share));
  const sums = new Float64Array(size + counts.length).fill(1);
  sums.set(counts, size);
  const counted = variant === 'lifted' ? players : counts.reduce((sum, count) => sum + count, 0);
  const tally = { kind: 'moments' as const, digest, players: counted, sums };
  // What a sum of 1 says of each moment, and with what noise.
  const { values: units, noise: variances } = momentsOf(parameters, tally);
  const mean = meanLift(lift, file);
  const noise = new Float64Array(size);
  fillNormal(noise, seededRandom(seed));
  for (let block = 0; block < degree; block++) {
    const deviation = sqrt(variances[block]);
    for (let entry = offsets[block]; entry < offsets[block + 1]; entry++) {
      sums[entry] = (mean[entry] + deviation * noise[entry]) / units[entry];
    }
  }
  return tally;
}
