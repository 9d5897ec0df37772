import { counted, signed } from '../../figures.ts';
import { promiseInWords } from '../../report/promise.ts';
import { doubts, type Verdict } from '../../report/verdict.ts';
import type { PointRunDocument } from './document.ts';
import { averaged, distanceText, doubtNotes } from './text.ts';

/** A place in the coordinates that texts show. */
export function placeText(place: readonly number[], names: readonly string[]): string {
  return place.map((value, j) => `${names[j]} ${signed(Number(value.toFixed(2)))}`).join(', ');
}

/** What a run on points came to, in plain words. */
export function pointVerdict(document: PointRunDocument): Verdict {
  const { players, who, variant, epsilon, metrics, baselines, guarantee, estimate, names, runs, repetitions } =
    document;
  const text = (value: number): string => distanceText(value, document);
  const of = (moved: number) =>
    averaged(runs).find((run) => run.variant === variant && run.epsilon === epsilon && run.moved === moved);
  const share = runs[0].moved;
  const found = of(share)?.median ?? metrics.distance;
  const most = Math.max(...runs.map(({ moved }) => moved));
  const lied = most > share ? of(most) : undefined;
  const useless = found >= baselines.centre.distance;
  const several = repetitions > 1 ? `, the mean of ${repetitions} runs` : '';
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
    ...doubts(doubtNotes(document)),
  };
}
