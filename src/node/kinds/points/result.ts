import { describeGuarantee } from '../../../privacy/guarantee.ts';
import { counted, wholeNumber } from '../../print.ts';
import { lineChart } from '../../report/charts.ts';
import { type Picture, STYLES } from '../../report/markup.ts';
import { capital, promisedBy, type ResultPart, type RunResult, type Tile } from '../../report/result.ts';
import { doubtsOf, promiseInWords, type Verdict } from '../../report/verdict.ts';
import type { PointRun, PointRunDocument } from './document.ts';
import { distanceText, placeText, planePicture } from './plane.ts';

const NOTE =
  'Distances are from the median of the points that nobody moved. Weiszfeld: the median of the points as moved, in the clear; plain ' +
  'mean: their mean, in the clear. The private mean comes from the same reports as the private median.';

/** What came out of a run on points; `points` are some of them. */
export async function pointResult(
  document: PointRunDocument,
  points: readonly (readonly number[])[],
): Promise<RunResult> {
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
      ...(document.dimension === 2 ? [await planePart(document, points)] : []),
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
  return firsts.map(({ moved, variant, epsilon }, index) => {
    const group = runs.filter((run) => run.moved === moved && run.variant === variant && run.epsilon === epsilon);
    const mean = (key: 'median' | 'mean'): number => group.reduce((sum, run) => sum + run[key], 0) / group.length;
    return { ...firsts[index], median: mean('median'), mean: mean('mean') };
  });
}

function verdictOf(document: PointRunDocument, means: readonly PointRun[]): Verdict {
  const { players, who, variant, epsilon, metrics, baselines, guarantee, estimate, names, runs, scale } = document;
  const text = (value: number): string => distanceText(value, document);
  const of = (moved: number) =>
    means.find((run) => run.variant === variant && run.epsilon === epsilon && run.moved === moved);
  const share = runs[0].moved;
  const found = of(share)?.median ?? metrics.distance;
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
  const { variant, epsilon, metrics, baselines, players, scale, guarantee, grade, unit } = document;
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
    {
      name: 'one player is promised',
      figure: describeGuarantee(guarantee),
      notes: [`variant ${variant}`, `grade ${grade}`],
    },
  ];
}

async function planePart(document: PointRunDocument, points: readonly (readonly number[])[]): Promise<ResultPart> {
  const { unit, repetitions, variant } = document;
  const runs = repetitions > 1 ? `all ${counted(repetitions, 'run')} of its kind` : 'the run';
  const note =
    `Grey: some of the points, the darker the more. Coloured: the first private median under ${variant}, in the middle of a ` +
    `circle whose radius is the error of ${runs} (root mean square).`;
  const land =
    unit === 'km'
      ? ' Players who fly to Alaska, Hawaii or the islands take part beyond the edge. Lines: boundaries of the U.S. Census Bureau.'
      : '';
  return { heading: 'Where it is', pictures: [await planePicture(document, points)], notes: [note + land] };
}

/** Distance against ε: the private median and mean of each variant; levels show what is possible without privacy. */
function distancePicture(
  document: PointRunDocument,
  means: readonly PointRun[],
  share: number,
  wide: boolean,
): Picture {
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
