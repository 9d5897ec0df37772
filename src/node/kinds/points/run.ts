import { basename } from 'node:path';
import { weiszfeld } from '../../../optimize/weiszfeld.ts';
import { type SimulationOptions, simulate } from '../../../simulation/runner.ts';
import type { PointStudy } from '../../../simulation/study.ts';
import { blocksOf } from '../../../simulation/sum-law.ts';
import { knownVariants, type RunOptions } from '../../commands/options.ts';
import {
  type Destinations,
  discMap,
  loadDestinations,
  type MovedDestinations,
  moveDestinations,
} from '../../flights.ts';
import type { Workforce } from '../../jobs/jobs.ts';
import { createProgress, reading } from '../../progress.ts';
import { loadStream } from '../../records.ts';
import { inColumn, scaleOf } from '../../schema.ts';
import type { RunShown } from '../../study.ts';
import { closestToOne, sourceOf } from '../run.ts';
import type { PointRun, PointRunDocument } from './document.ts';

/** The options of such a run. */
interface PointRunOptions extends RunOptions {
  readonly epsilon: readonly number[];
  readonly degree: number;
  readonly radius: number;
  /** Shares of the players that are moved. */
  readonly moved: readonly number[];
  readonly repetitions: number;
}

/** The points of a run, and how texts describe them. */
interface Ground {
  readonly title: string;
  readonly who: string;
  readonly agreed: string;
  readonly unit: string;
  readonly destinations: Destinations;
  readonly dimension: number;
  readonly names: readonly string[];
  /** How many units of distance are 1 in the protocol. */
  readonly scale: number;
  /** The corner that some players are moved to. */
  readonly corner: readonly number[];
  /** A point of the protocol in the coordinates that texts show. */
  placeOf(point: Float64Array): readonly number[];
}

/**
 * `ldpkit run` of a protocol on points: those of a file or the destinations of the flights, both unchanged and with
 * some players moved to the far corner.
 *
 * @throws TypeError or RangeError naming the option, the file, the column or the row.
 */
export async function runPoints(
  study: PointStudy,
  options: PointRunOptions,
  workforce: Workforce,
): Promise<RunShown | undefined> {
  const { epsilon: epsilons, moved: shares, delta, degree, grade, radius, repetitions, seed } = options;
  const variants = knownVariants(options.variant ?? study.variants.slice(0, 1), study.variants);
  const ground = (await ownGround(options)) ?? (await flights());
  const { destinations, dimension, scale } = ground;
  const pairs = epsilons.flatMap((epsilon) => variants.map((variant) => ({ variant, epsilon })));
  const made = pairs.map((pair) => study.parameters({ ...pair, delta, degree, grade, dimension }));
  const runs: PointRun[] = [];
  let truth: Float64Array = new Float64Array(dimension);
  const moves = shares.map((share) =>
    moveDestinations(destinations, { players: options.players, share, to: ground.corner }),
  );
  const work = await workforce.open({
    reports: ({ turn, index, ...range }: { readonly turn: number; readonly index: number } & SimulationOptions) =>
      simulate(study.protocol, made[index], moves[turn].population, range),
  });
  if (work === undefined) return undefined;
  const progress = createProgress();
  const each = options.players ?? destinations.players.length;
  progress.begin(`playing ${study.protocol.name}`, shares.length * pairs.length * repetitions * each);
  const { server } = study.protocol;
  let played = 0;
  for (const [turn, moved] of shares.entries()) {
    const move = moves[turn];
    const reference = referenceOf(move, dimension);
    truth = reference.truth;
    const distance = (a: Float64Array): number => scale * Math.hypot(...a.map((entry, j) => entry - truth[j]));
    for (const [index, { variant, epsilon }] of pairs.entries()) {
      for (let repetition = 0; repetition < repetitions; repetition++) {
        const coins = `${seed} ${variant} ${epsilon} ${moved} ${repetition}`;
        const before = each * played++;
        const tally = server.empty(made[index]);
        await work.all({
          name: 'reports',
          common: { turn, index, seed: coins },
          given: blocksOf(move.population.players, 1).map(({ from, to }) => ({ from, to })),
          merge: (part: unknown) => server.merge(made[index], tally, part),
          size: ({ from, to }) => to - from,
          onProgress: (players, note) => progress.advance(before + players, note),
        });
        if (!work.whole) continue;
        const found = server.estimate(made[index], tally, study.query({ radius }));
        runs.push({
          ...{ variant, epsilon, moved, repetition },
          median: distance(found.w),
          mean: distance(found.mean),
          weiszfeld: distance(reference.median),
          plainMean: distance(reference.mean),
          centre: distance(new Float64Array(dimension)),
          place: ground.placeOf(found.w),
          degree: found.degree,
          risk: found.risk,
          standardError: found.standardError,
          uncertainty: study.uncertainty(made[index], tally, found),
        });
      }
    }
  }
  progress.end();
  if (!work.whole) return undefined;
  const { theory, name: protocol } = study.protocol;
  const closest = closestToOne(epsilons);
  const headline = runs.find((run) => run.variant === variants[0] && run.epsilon === closest)!;
  const { title, who, agreed, unit, names } = ground;
  const document: PointRunDocument = {
    protocol,
    variant: headline.variant,
    epsilon: headline.epsilon,
    players: each,
    ...{ dimension, names, unit, scale, degree, delta, grade, radius, repetitions, seed },
    ...{ title, who, agreed, summary: study.summary },
    guarantee: theory.guarantee(made[pairs.findIndex((pair) => pair.epsilon === closest)]),
    estimate: {
      place: headline.place,
      degree: headline.degree,
      risk: headline.risk,
      standardError: headline.standardError,
      uncertainty: headline.uncertainty,
    },
    metrics: { distance: headline.median },
    baselines: {
      nonPrivate: { place: ground.placeOf(truth), distance: headline.weiszfeld },
      mean: { distance: headline.mean },
      plainMean: { distance: headline.plainMean },
      centre: { distance: headline.centre },
    },
    runs,
    certificates: pairs.map(({ epsilon }, index) => ({ epsilon, certificate: theory.certificate(made[index]) })),
  };
  return {
    document,
    result: async () => (await import('./result.ts')).pointResult(document, sampleOf(ground)),
  };
}

/** The median of the points before moving, and the non-private result for the points as moved. */
function referenceOf({ points, counts, trueCounts }: MovedDestinations, dimension: number) {
  const total = counts.reduce((sum, some) => sum + some, 0);
  const mean = new Float64Array(dimension);
  counts.forEach((some, i) => {
    for (let j = 0; j < dimension; j++) mean[j] += (some / total) * points[dimension * i + j];
  });
  const median = (weights: Float64Array): Float64Array =>
    Float64Array.from(weiszfeld({ dimension, points, weights }).point);
  return { truth: median(trueCounts), median: median(counts), mean };
}

async function flights(): Promise<Ground> {
  const map = discMap();
  createProgress().begin('reading the flights');
  return {
    title: 'Destinations of three million US flights, January to June 2001 (vega-datasets)',
    who: 'destinations of flights',
    agreed:
      'Agreed beforehand: the map of the fifty states, Puerto Rico and the Virgin Islands, whose box lies in the unit disc; its ' +
      'north-western corner is where players are moved to.',
    unit: 'km',
    destinations: await loadDestinations(map),
    dimension: 2,
    names: ['latitude', 'longitude'],
    scale: map.kilometres,
    corner: map.farCorner,
    placeOf: map.fromDisc,
  };
}

/** The points of a file; undefined where none is named. */
async function ownGround(options: PointRunOptions): Promise<Ground | undefined> {
  const source = await sourceOf(options, 'points');
  if (source === undefined) return undefined;
  const { data, schema } = source;
  const { features: coordinates, dimension, names, title = basename(data), unit = names.join(', ') } = schema;
  const { players, features } = await reading(createProgress(), (onProgress) => loadStream(source, onProgress));
  const corner = coordinates.map((one) => ('range' in one ? one.range[1] : 0));
  return {
    title,
    who: 'points of the file',
    agreed:
      'Agreed beforehand: the bounds of the coordinates, beyond which they are cut off; the box becomes part of the unit ball by one ' +
      'scale for all of them, and its corner of the largest coordinates is where players are moved to.',
    unit,
    destinations: {
      places: Float64Array.from(features),
      dimension,
      codes: [],
      players: Uint32Array.from({ length: players }, (_, i) => i),
    },
    dimension,
    names,
    scale: scaleOf(coordinates[0]),
    corner,
    placeOf: (point) => coordinates.map((one, j) => inColumn(one, point[j])),
  };
}

/** Number of points in the picture of the plane: an evenly spread choice, so a frequent point is drawn repeatedly. */
const DRAWN = 2000;

/** A few of the points in the coordinates that texts show, for a picture. */
function sampleOf({
  destinations: { places, players, dimension = 2 },
  placeOf,
}: Ground): readonly (readonly number[])[] {
  const some = Math.min(DRAWN, players.length);
  return Array.from({ length: some }, (_, i) => {
    const place = players[Math.floor((i * players.length) / some)] * dimension;
    return placeOf(places.subarray(place, place + dimension));
  });
}
