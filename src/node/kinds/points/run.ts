import { weiszfeld } from '../../../optimize/weiszfeld.ts';
import { type SimulationOptions, simulate } from '../../../simulation/runner.ts';
import type { PointStudy } from '../../../simulation/study.ts';
import { closestToOne, knownVariants, type PlayedRun, type RunOptions } from '../../commands/options.ts';
import {
  type Destinations,
  discMap,
  loadDestinations,
  type MovedDestinations,
  moveDestinations,
} from '../../flights.ts';
import { tallyReports, type Workforce } from '../../jobs/jobs.ts';
import { counted, wholeNumber } from '../../print.ts';
import { createProgress, reading } from '../../progress.ts';
import { fileTitle, loadStream, sourceOf } from '../../records.ts';
import { lineChart } from '../../report/charts.ts';
import { STYLES } from '../../report/markup.ts';
import { capital, promisedBy, promiseTile, type ResultPart, type RunResult, type Tile } from '../../report/result.ts';
import { doubtsOf, promiseInWords, type Verdict } from '../../report/verdict.ts';
import { inColumn, scaleOf } from '../../schema.ts';
import { distanceText, type Place, type PointRun, type PointRunDocument, placeText, planePicture } from './plane.ts';

interface PointRunOptions extends RunOptions {
  readonly epsilon: readonly number[];
  readonly degree: number;
  readonly radius: number;
  /** Shares of the players that are moved. */
  readonly moved: readonly number[];
  readonly repetitions: number;
}

/** The points of a run, and how texts describe them. */
interface Ground extends Pick<PointRunDocument, 'title' | 'who' | 'agreed' | 'unit' | 'dimension' | 'names' | 'scale'> {
  /** Whether its picture is drawn on the map of the states. */
  readonly onMap: boolean;
  readonly destinations: Destinations;
  /** The corner that some players are moved to. */
  readonly corner: readonly number[];
  /** A point of the protocol in the coordinates that texts show. */
  placeOf(point: Float64Array): readonly number[];
}

/** `ldpkit run` of a protocol on points: those of a file or the destinations of the flights, also with players moved to the far corner. */
export async function runPoints(study: PointStudy, options: PointRunOptions, workforce: Workforce): PlayedRun {
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
        const { tally } = await tallyReports(work, server, made[index], {
          players: move.population.players,
          common: { turn, index, seed: coins },
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
  const { variant, epsilon, place, degree: used, risk, standardError, uncertainty } = headline;
  const { title, who, agreed, unit, names, onMap } = ground;
  const document: PointRunDocument = {
    ...{ protocol, variant, epsilon, players: each },
    ...{ dimension, names, unit, scale, degree, delta, grade, radius, repetitions, seed },
    ...{ title, who, agreed, summary: study.summary },
    guarantee: theory.guarantee(made[pairs.findIndex((pair) => pair.epsilon === closest)]),
    estimate: { place, degree: used, risk, standardError, uncertainty },
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
  return { document, result: () => pointResult(document, sampleOf(ground), onMap) };
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
    ...{ unit: 'km', onMap: true, destinations: await loadDestinations(map) },
    ...{ dimension: 2, names: ['latitude', 'longitude'] },
    ...{ scale: map.kilometres, corner: map.farCorner, placeOf: map.fromDisc },
  };
}

/** The points of a file; undefined where none is named. */
async function ownGround(options: PointRunOptions): Promise<Ground | undefined> {
  const source = await sourceOf(options, 'points');
  if (source === undefined) return undefined;
  const { schema } = source;
  const { features: coordinates, dimension, names, unit = names.join(', ') } = schema;
  const { players, features } = await reading(createProgress(), (onProgress) => loadStream(source, onProgress));
  const corner = coordinates.map((one) => ('range' in one ? one.range[1] : 0));
  const places = Float64Array.from(features);
  return {
    title: fileTitle(source),
    who: 'points of the file',
    agreed:
      'Agreed beforehand: the bounds of the coordinates, beyond which they are cut off; the box becomes part of the unit ball by one ' +
      'scale for all of them, and its corner of the largest coordinates is where players are moved to.',
    ...{ unit, onMap: false, dimension, names, scale: scaleOf(coordinates[0]), corner },
    destinations: { places, dimension, players: Uint32Array.from({ length: players }, (_, i) => i) },
    placeOf: (point) => coordinates.map((one, j) => inColumn(one, point[j])),
  };
}

/** Number of points in the picture of the plane: an evenly spread choice, so a frequent point is drawn repeatedly. */
const DRAWN = 2000;

/** A few of the points in the coordinates that texts show, for a picture. */
function sampleOf({ destinations: { places, players, dimension = 2 }, placeOf }: Ground) {
  const some = Math.min(DRAWN, players.length);
  return Array.from({ length: some }, (_, i) => {
    const place = players[Math.floor((i * players.length) / some)] * dimension;
    return placeOf(places.subarray(place, place + dimension));
  });
}

const NOTE =
  'Distances are from the median of the points that nobody moved. Weiszfeld: the median of the points as moved, in the clear; plain ' +
  'mean: their mean, in the clear. The private mean comes from the same reports as the private median.';

async function pointResult(document: PointRunDocument, points: readonly Place[], onMap: boolean): Promise<RunResult> {
  const { summary, agreed, players, who, repetitions, runs } = document;
  const means = averaged(runs);
  const shares = [...new Set(runs.map(({ moved }) => moved))];
  const distances = (run: PointRun) => [run.median, run.mean, run.weiszfeld, run.plainMean];
  return {
    verdict: verdictOf(document, means),
    tiles: tilesOf(document),
    about: [
      `${capital(summary)}. Each of ${counted(players, 'player')} (${who}) sends one randomized report of its point.`,
      agreed,
    ],
    parts: [
      ...(document.dimension === 2 ? [await planePart(document, points, onMap)] : []),
      {
        heading: 'Distance from the median against ε',
        pictures: shares.map((moved) => distancePicture(document, means, moved, shares.length === 1)),
        notes: ['In the clear the median is 0 off where nobody is moved: it is what distances are from.'],
      },
      {
        heading: 'Results',
        rows: [
          ['moved', 'variant', 'ε', 'private median', 'private mean', 'Weiszfeld', 'plain mean'],
          ...means.map((run) => [
            ...[`${run.moved}`, run.variant, `${run.epsilon}`],
            ...distances(run).map((distance) => distanceText(distance, document)),
          ]),
        ],
        right: 2,
        grouped: true,
        notes: [`${NOTE}${repetitions > 1 ? ` Means of ${repetitions} runs.` : ''}`],
      },
    ],
    promised: promisedBy(document),
  };
}

/** All runs at one share, variant and ε, as their mean. */
function averaged(runs: readonly PointRun[]): readonly PointRun[] {
  const firsts = runs.filter(({ repetition }) => repetition === 0);
  return firsts.map((first) => {
    const { moved, variant, epsilon } = first;
    const group = runs.filter((run) => run.moved === moved && run.variant === variant && run.epsilon === epsilon);
    const mean = (key: 'median' | 'mean'): number => group.reduce((sum, run) => sum + run[key], 0) / group.length;
    return { ...first, median: mean('median'), mean: mean('mean') };
  });
}

function verdictOf(document: PointRunDocument, means: readonly PointRun[]): Verdict {
  const { players, who, variant, epsilon, baselines, guarantee, estimate, names, runs, scale } = document;
  const text = (value: number): string => distanceText(value, document);
  const of = (moved: number) =>
    means.find((run) => run.variant === variant && run.epsilon === epsilon && run.moved === moved);
  const share = runs[0].moved;
  const found = of(share)!.median;
  const most = Math.max(...runs.map(({ moved }) => moved));
  const lied = most > share ? of(most) : undefined;
  const useless = found >= baselines.centre.distance;
  const several = document.repetitions > 1 ? `, the mean of ${document.repetitions} runs` : '';
  const lying = share === 0 ? '' : `, although ${100 * share} % of the players reported a place far away`;
  const middle = `the middle of ${counted(players, 'point')} (${who}), each told in one randomized report (${variant}, ε = ${epsilon})`;
  return {
    open: useless,
    learnt: useless
      ? `Nothing useful was learnt: ${middle}, was not found.`
      : `The server found ${middle}, at ${placeText(estimate.place, names)}: ${text(found)} from the true median${several}${lying}.`,
    distance:
      `The median of all points in the clear is at ${placeText(baselines.nonPrivate.place, names)}. Without any player one would guess the ` +
      `middle of the bounds, ${text(baselines.centre.distance)} off; the plain mean of the points, in the clear, is ${text(baselines.plainMean.distance)} off.`,
    cost:
      `${text(found)}, with ${counted(players, 'player')} who answered once.` +
      (lied === undefined
        ? ''
        : ` Where ${100 * most} % of the players report a place far away, the private median is ${text(lied.median)} off, the median in the ` +
          `clear ${text(lied.weiszfeld)}, the mean in the clear ${text(lied.plainMean)}.`),
    promise: promiseInWords(guarantee),
    ...doubtsOf(
      runs.filter(({ repetition }) => repetition === 0),
      (run) => run.moved === share && run.variant === variant && run.epsilon === epsilon,
      (run) => ({
        name: `${run.variant} at ε = ${run.epsilon}${run.moved === 0 ? '' : `, ${run.moved} moved`}`,
        ...{ who: 'players', players },
        figure: (value) => (value < 0 ? `−${text(-value * scale)}` : text(value * scale)),
      }),
    ),
  };
}

function tilesOf(document: PointRunDocument): readonly Tile[] {
  const { variant, epsilon, metrics, baselines, players, scale, unit } = document;
  const text = (value: number): string => distanceText(value, document);
  return [
    {
      name: `distance in ${unit}, ${variant} at ε = ${epsilon}`,
      figure: text(metrics.distance),
      notes: [
        `private mean ${text(baselines.mean.distance)}`,
        `plain mean ${text(baselines.plainMean.distance)}`,
        `middle of the bounds ${text(baselines.centre.distance)}`,
      ],
    },
    { name: 'players', figure: wholeNumber(players), notes: [`${text(scale)} are 1 in the protocol`] },
    promiseTile(document),
  ];
}

async function planePart(document: PointRunDocument, points: readonly Place[], onMap: boolean): Promise<ResultPart> {
  const { repetitions, variant } = document;
  const runs = repetitions > 1 ? `all ${counted(repetitions, 'run')} of its kind` : 'the run';
  const note =
    `Grey: some of the points, the darker the more. Coloured: the first private median under ${variant}, in the middle of a ` +
    `circle whose radius is the error of ${runs} (root mean square).`;
  const land = onMap
    ? ' Players who fly to Alaska, Hawaii or the islands take part beyond the edge. Lines: boundaries of the U.S. Census Bureau.'
    : '';
  return { heading: 'Where it is', pictures: [await planePicture(document, points, onMap)], notes: [note + land] };
}

/** Distance against ε: the private median and mean of each variant; levels show what is possible without privacy. */
function distancePicture(document: PointRunDocument, means: readonly PointRun[], share: number, wide: boolean) {
  const runs = means.filter(({ moved }) => moved === share);
  const variants = [...new Set(runs.map(({ variant }) => variant))];
  const curves = variants.flatMap((variant, index) =>
    (['median', 'mean'] as const).map((what, place) => ({
      name: `private ${what}, ${variant}`,
      style: (2 * index + place) % STYLES,
      points: runs
        .filter((run) => run.variant === variant)
        .map((run) => ({
          x: run.epsilon,
          mean: run[what],
          tip: `${variant}, ε = ${run.epsilon}: private ${what} ${distanceText(run[what], document)} off`,
        })),
    })),
  );
  const levels = [
    { kind: 'solid' as const, value: runs[0].weiszfeld, name: 'median in the clear' },
    { kind: 'dashed' as const, value: runs[0].plainMean, name: 'mean in the clear' },
  ].filter(({ value }) => value > 1e-6 * document.scale);
  const moved = share === 0 ? 'nobody moved' : `${100 * share} % moved`;
  return lineChart({
    label: `Distance from the median, ${moved}`,
    caption: capital(moved),
    wide,
    yLabel: `distance, ${document.unit} (logarithmic)`,
    logarithmic: true,
    series: curves,
    levels: levels.map((level) => ({ ...level, tip: `${level.name}: ${distanceText(level.value, document)}` })),
  });
}
