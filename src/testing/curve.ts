import type { FigureCurve, FigurePoint } from './figure.ts';
import type { Measured } from './mean.ts';
import type { RatePoint } from './rate.ts';

const { max } = Math;

/** Means as points of a curve, with error bars of two standard errors that stay positive. */
export function measuredPoints(x: readonly number[], means: readonly Measured[]): readonly FigurePoint[] {
  return means.map(({ mean, error }, i) => ({
    x: x[i],
    y: mean,
    low: max(mean - 2 * error, mean / 3),
    high: mean + 2 * error,
  }));
}

/** Points of a curve without error bars. */
export function plainPoints(x: readonly number[], y: readonly number[]): readonly FigurePoint[] {
  return y.map((value, i) => ({ x: x[i], y: value }));
}

/** Means as a curve. */
export function meanCurve(name: string, style: number, x: readonly number[], means: readonly Measured[]): FigureCurve {
  return { name, style, dashed: false, points: measuredPoints(x, means) };
}

/** Measured points as a curve. */
export function measuredCurve(name: string, style: number, points: readonly RatePoint[]): FigureCurve {
  return meanCurve(
    name,
    style,
    points.map(({ x }) => x),
    points.map(({ y, relative }) => ({ mean: y, error: y * relative })),
  );
}

/** What is claimed, as a dashed curve through these x. */
export function claimedCurve(
  name: string,
  style: number,
  xs: readonly number[],
  law: (x: number) => number,
): FigureCurve {
  return {
    name,
    style,
    dashed: true,
    points: plainPoints(
      xs,
      xs.map((x) => law(x)),
    ),
  };
}
