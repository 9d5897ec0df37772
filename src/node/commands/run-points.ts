import { checkInteger, checkOpenUnit, checkPositive, refusal } from '../../check/number.ts';
import { weiszfeld } from '../../optimize/weiszfeld.ts';
import type { PointStudy } from '../../simulation/point-study.ts';
import { simulate } from '../../simulation/runner.ts';
import { discMap, loadDestinations, type MovedDestinations, moveDestinations } from '../airports.ts';
import { wholeNumber } from '../figures.ts';
import { jsonText, print, printJson } from '../print.ts';
import { checkFolder, writeTogether } from '../write-files.ts';
import { readGrade, readNumber, readNumbers, readWords } from './number-option.ts';
import { commandText, packageVersion } from './origin.ts';
import type { RunOptions } from './run-options.ts';

/** One run of a protocol on points: distances in km from the median of the points nobody moved. */
export interface PointRun {
  readonly variant: string;
  readonly epsilon: number;
  /** The share of players that was moved. */
  readonly moved: number;
  readonly repetition: number;
  /** Of the private median, of the private mean from the same reports, of Weiszfeld and the mean of the points as moved. */
  readonly median: number;
  readonly mean: number;
  readonly weiszfeld: number;
  readonly plainMean: number;
  /** Latitude and longitude of the private median. */
  readonly place: readonly [number, number];
  readonly degree: number;
  readonly risk: number;
  readonly standardError: number;
}

/** Degree collected for where none is asked for: the next one is for more players than there are flights. */
const DEGREE = 2;

/**
 * `ldpkit run` of a protocol on points: the destinations of the flights, as they are and with some players moved to the far
 * corner of the map.
 *
 * @throws TypeError or RangeError naming the option.
 */
export async function runPoints(study: PointStudy, options: RunOptions): Promise<void> {
  const settings = settingsOf(study, options);
  if (options.out !== undefined) await checkFolder('out', options.out);
  const map = discMap();
  const destinations = await loadDestinations(map);
  const runs: PointRun[] = [];
  for (const moved of settings.moved) {
    const move = moveDestinations(destinations, { players: settings.players, share: moved, to: map.farCorner });
    const reference = referenceOf(move);
    const kilometres = (a: ArrayLike<number>): number =>
      map.kilometres * Math.hypot(a[0] - reference.truth[0], a[1] - reference.truth[1]);
    for (const variant of settings.variants) {
      for (const epsilon of settings.epsilons) {
        const { delta, degree, grade, radius } = settings;
        const parameters = study.parameters({ variant, epsilon, delta, degree, grade, dimension: 2 });
        for (let repetition = 0; repetition < settings.repetitions; repetition++) {
          const seed = `${settings.seed} ${variant} ${epsilon} ${moved} ${repetition}`;
          const tally = simulate(study.protocol, parameters, move.population, { seed });
          const estimate = study.protocol.server.estimate(parameters, tally, study.query({ radius }));
          const { w, mean, risk, standardError } = estimate;
          runs.push({
            variant,
            epsilon,
            moved,
            repetition,
            median: kilometres(w),
            mean: kilometres(mean),
            weiszfeld: kilometres(reference.median),
            plainMean: kilometres(reference.mean),
            place: map.fromDisc(w),
            degree: estimate.degree,
            risk,
            standardError,
          });
        }
      }
    }
  }
  const players = settings.players ?? destinations.players.length;
  const origin = { version: packageVersion(), command: commandText(process.argv.slice(2)) };
  const json = jsonText({ protocol: study.protocol.name, players, unitKilometres: map.kilometres, ...origin, runs });
  const files = options.out === undefined ? [] : await writeTogether('out', options.out, { 'result.json': json });
  if (options.json === true) printJson(json);
  else print(tableOf(players, runs, files));
}

/** The median of the points nobody moved, and what the moved ones say without privacy. */
function referenceOf({ points, counts, trueCounts }: MovedDestinations): {
  readonly truth: Float64Array;
  readonly median: Float64Array;
  readonly mean: Float64Array;
} {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const mean = new Float64Array(2);
  counts.forEach((count, i) => {
    for (let j = 0; j < 2; j++) mean[j] += (count / total) * points[2 * i + j];
  });
  const median = (weights: Float64Array): Float64Array => weiszfeld({ dimension: 2, points, weights }).point;
  return { truth: median(trueCounts), median: median(counts), mean };
}

function tableOf(players: number, runs: readonly PointRun[], files: readonly string[]): string[] {
  const head = ['moved', 'variant', 'ε', 'private median', 'private mean', 'Weiszfeld', 'plain mean'];
  const cells = runs.map((run) => [
    `${run.moved}`,
    run.variant,
    `${run.epsilon}`,
    ...[run.median, run.mean, run.weiszfeld, run.plainMean].map((distance) => `${wholeNumber(distance)} km`),
  ]);
  const widths = head.map((title, i) => Math.max(title.length, ...cells.map((row) => row[i].length)));
  const line = (row: readonly string[]): string => row.map((cell, i) => cell.padStart(widths[i])).join('  ');
  return [
    `${wholeNumber(players)} players, destinations of flights; distance from the median of the points that nobody moved`,
    '',
    line(head),
    ...cells.map(line),
    ...(files.length > 0 ? ['', ...files.map((file) => `wrote ${file}`)] : []),
  ];
}

function settingsOf(study: PointStudy, options: RunOptions) {
  const variants = options.variant === undefined ? study.variants.slice(0, 1) : readWords('variant', options.variant);
  for (const word of variants) {
    if (!study.variants.includes(word))
      throw new RangeError(refusal('variant', `one of ${study.variants.join(', ')}`, word));
  }
  const epsilons = readNumbers('epsilon', options.epsilon ?? '1,2,4');
  for (const epsilon of epsilons) checkPositive('epsilon', epsilon);
  const moved = readNumbers('moved', options.moved ?? '0,0.2');
  for (const share of moved) {
    if (!(share >= 0 && share < 1)) throw new RangeError(refusal('moved', 'a share from 0 to below 1', share));
  }
  const whole = (name: 'players' | 'repetitions', text: string): number =>
    checkInteger(name, readNumber(name, text), 1);
  return {
    variants,
    epsilons,
    moved,
    delta: checkOpenUnit('delta', readNumber('delta', options.delta ?? '1e-6')),
    degree: checkInteger('degree', readNumber('degree', options.degree ?? String(DEGREE)), 0),
    grade: readGrade(options.grade),
    radius: checkPositive('radius', readNumber('radius', options.radius ?? '1')),
    repetitions: whole('repetitions', options.repetitions ?? '1'),
    players: options.players === undefined ? undefined : whole('players', options.players),
    seed: options.seed ?? 'ldpkit',
  };
}
