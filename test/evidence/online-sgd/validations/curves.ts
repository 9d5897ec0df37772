import type { Measured, Slope } from 'ldpkit/testing';
import { claimedCurve, type FigureCurve, meanCurve } from '../../experiment/figure.ts';
import { columnMeans, jackknifeSlope } from '../../experiment/statistics.ts';

const { ceil } = Math;

/** α as claims name it: `α = 1/2`. */
export function decayName(decay: number): string {
  const names: { readonly [decay: number]: string } = {
    [1 / 4]: '1/4',
    [1 / 3]: '1/3',
    [1 / 2]: '1/2',
    [2 / 3]: '2/3',
  };
  return `α = ${names[decay] ?? decay}`;
}

/** Everything that is said of the replications of one error: rows by replication and checkpoint. */
export interface MeasuredErrors {
  readonly means: readonly Measured[];
  readonly slope: Slope;
}

/** Means at the checkpoints and the log-log slope from `from` on. */
export function measure(
  checkpoints: readonly number[],
  rows: readonly (readonly number[])[],
  from: number,
): MeasuredErrors {
  return { means: columnMeans(rows), slope: jackknifeSlope(checkpoints, rows, from) };
}

/** Most points of a drawn curve. */
const DRAWN = 14;

/** Of so many entries by checkpoint those that are drawn: evenly many, the last among them. */
function drawn<Entry>(entries: readonly Entry[]): readonly Entry[] {
  const stride = ceil(entries.length / DRAWN);
  return entries.filter((_, k) => (entries.length - 1 - k) % stride === 0);
}

/** What was measured along streams, with bars of two standard errors. */
export function streamCurve(
  name: string,
  style: number,
  checkpoints: readonly number[],
  means: readonly Measured[],
): FigureCurve {
  return meanCurve(name, style, drawn(checkpoints), drawn(means));
}

/** What is claimed of them, dashed. */
export function streamLaw(
  name: string,
  style: number,
  checkpoints: readonly number[],
  law: (x: number) => number,
): FigureCurve {
  return claimedCurve(name, style, drawn(checkpoints), law);
}
