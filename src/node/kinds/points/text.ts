import { describeGuarantee } from '../../../privacy/guarantee.ts';
import { compact, counted, wholeNumber } from '../../figures.ts';
import { aligned } from '../../print.ts';
import { headlineFirst, uncertaintyNotes } from '../uncertainty.ts';
import type { PointRun, PointRunDocument } from './document.ts';

/** A distance in the unit of the document. */
export function distanceText(value: number, { unit }: Pick<PointRunDocument, 'unit'>): string {
  return unit === 'km' ? `${wholeNumber(value)} km` : value === 0 ? '0' : compact(value);
}

/** All runs at one share, variant and ε, as their mean. */
export function averaged(runs: readonly PointRun[]): readonly PointRun[] {
  const groups = new Map<string, PointRun[]>();
  for (const run of runs) {
    const key = `${run.moved} ${run.variant} ${run.epsilon}`;
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()].map((group) => {
    const mean = (of: (run: PointRun) => number): number => group.reduce((sum, run) => sum + of(run), 0) / group.length;
    return { ...group[0], median: mean((run) => run.median), mean: mean((run) => run.mean) };
  });
}

/** Distances: a row for each share, variant and ε. */
export function pointTable(document: PointRunDocument): readonly (readonly string[])[] {
  return [
    ['moved', 'variant', 'ε', 'private median', 'private mean', 'Weiszfeld', 'plain mean'],
    ...averaged(document.runs).map((run) => [
      `${run.moved}`,
      run.variant,
      `${run.epsilon}`,
      ...[run.median, run.mean, run.weiszfeld, run.plainMean].map((distance) => distanceText(distance, document)),
    ]),
  ];
}

/** The document as lines of text. */
export function formatPointRun(document: PointRunDocument): readonly string[] {
  const { players, who, agreed, repetitions, runs, epsilon, variant, guarantee, estimate, names, baselines } = document;
  const place = (at: readonly number[]): string => at.map((value, j) => `${names[j]} ${value.toFixed(2)}`).join(', ');
  const several = repetitions > 1 ? `; mean of ${repetitions} runs` : '';
  return [
    `${counted(players, 'player')}, ${who}; distance from the median of the points that nobody moved${several}`,
    '',
    ...aligned(pointTable(document), 0),
    '',
    agreed,
    `centre: the middle of the bounds, guessed, ${distanceText(runs[0].centre, document)} off`,
    `non-private median: ${place(baselines.nonPrivate.place)}`,
    `${variant} at ε = ${epsilon}: ${describeGuarantee(guarantee)}; first median ${place(estimate.place)}`,
  ];
}

/** What the noise leaves open about the first run of every share, variant and ε, run by run with the headline first, and where players are too few. */
export function doubtNotes(document: PointRunDocument): readonly (readonly string[])[] {
  const { runs, players, scale } = document;
  return headlineFirst(
    runs.filter(({ repetition }) => repetition === 0),
    ({ moved, variant, epsilon }) =>
      moved === runs[0].moved && variant === document.variant && epsilon === document.epsilon,
  ).map(({ moved, variant, epsilon, uncertainty }) =>
    uncertaintyNotes({
      name: `${variant} at ε = ${epsilon}${moved === 0 ? '' : `, ${moved} moved`}`,
      ...{ who: 'players', players, uncertainty },
      figure: (value) =>
        value < 0 ? `−${distanceText(-value * scale, document)}` : distanceText(value * scale, document),
    }),
  );
}
