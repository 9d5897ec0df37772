import type { Random } from 'ldpkit';
import { normalCdf, normalDensity } from 'ldpkit/inference';
import { fillNormal, normal, uniform } from 'ldpkit/mechanism';

const { max, min, sqrt } = Math;

/** Where samples come from. */
export type Source = 'uniform' | 'clipped' | 'departures';

/** How many players, and how they are drawn. */
export interface PopulationRequest {
  readonly source: Source;
  readonly dimension: number;
  readonly players: number;
  readonly samples: number;
  /** s of a coordinate of a sample; of `departures` it follows from the profile. */
  readonly spread: number;
}

/** Local means, player after player, and what is to be estimated. */
export interface DrawnPlayers {
  readonly local: Float64Array;
  readonly truth: Float64Array;
}

/** The players of one run. */
export function drawPlayers(request: PopulationRequest, random: Random): DrawnPlayers {
  if (request.source === 'departures') return drawDepartures(request, random);
  return request.source === 'uniform' ? drawUniform(request, random) : drawClipped(request, random);
}

/** Means anywhere in [−½, ½]^d; the mean of m samples that are uniform around is drawn as a normal one, which at m = 5 it nearly is. */
function drawUniform({ dimension: d, players, samples, spread }: PopulationRequest, random: Random): DrawnPlayers {
  const truth = Float64Array.from({ length: d }, () => uniform(random) - 0.5);
  const local = new Float64Array(players * d);
  fillNormal(local, random);
  const deviation = spread / sqrt(samples);
  for (let i = 0; i < local.length; i++) local[i] = max(-1, min(1, truth[i % d] + deviation * local[i]));
  return { local, truth };
}

/** Normal samples clipped to [−1, 1] around centres anywhere in it: the mean of what is clipped is estimated. */
function drawClipped({ dimension: d, players, samples, spread }: PopulationRequest, random: Random): DrawnPlayers {
  const centre = Float64Array.from({ length: d }, () => 2 * uniform(random) - 1);
  const local = new Float64Array(players * d);
  for (let i = 0; i < local.length; i++) {
    for (let k = 0; k < samples; k++) {
      local[i] += max(-1, min(1, centre[i % d] + spread * normal(random))) / samples;
    }
  }
  return { local, truth: centre.map((c) => clippedMean(c, spread)) };
}

/** E of a normal variable clipped to [−1, 1]. */
export function clippedMean(centre: number, spread: number): number {
  const [low, high] = [(-1 - centre) / spread, (1 - centre) / spread];
  const inside = centre * (normalCdf(high) - normalCdf(low)) + spread * (normalDensity(low) - normalDensity(high));
  return inside + 1 - normalCdf(high) - normalCdf(low);
}

/**
 * Shares of the departures in the hours of a day, in 1/10,000, over 39,952 airport-days of the flights of vega-datasets, each counted
 * once; and twenty quantiles of how many departures an airport-day has.
 */
const DEPARTURES: readonly number[] = [
  18, 9, 2, 0, 5, 348, 1191, 689, 554, 476, 628, 554, 620, 788, 541, 637, 618, 623, 644, 503, 276, 165, 83, 30,
];
const FLIGHTS: readonly number[] = [1, 2, 3, 4, 4, 5, 6, 7, 9, 12, 16, 20, 30, 46, 61, 98, 142, 183, 304, 457];

/** Profiles of departures: each player has one of the numbers of flights, whose hours are drawn independently. */
function drawDepartures({ dimension: d, players }: PopulationRequest, random: Random): DrawnPlayers {
  const total = DEPARTURES.reduce((sum, share) => sum + share, 0);
  // One entry for each ten-thousandth of the flights, so that an hour is one look-up.
  const hours = Uint8Array.from(DEPARTURES.flatMap((share, hour) => new Array<number>(share).fill(hour)));
  const local = new Float64Array(players * d);
  for (let i = 0; i < players; i++) {
    const flights = FLIGHTS[i % FLIGHTS.length];
    for (let k = 0; k < flights; k++) local[i * d + hours[Math.floor(uniform(random) * total)]] += 1 / flights;
    // Rounding of the sum must not lead out of the ball.
    for (let j = i * d; j < (i + 1) * d; j++) local[j] = min(1, local[j]);
  }
  return { local, truth: Float64Array.from(DEPARTURES, (share) => share / total) };
}
