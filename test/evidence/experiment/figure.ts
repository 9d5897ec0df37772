import type { Measured, RatePoint } from 'ldpkit/testing';

const { max } = Math;

/** One axis of a figure. */
export interface FigureAxis {
  readonly label: string;
  /** Whether it is logarithmic; then everything on it is positive. */
  readonly logarithmic: boolean;
}

/** One value, with the ends of its error bar. */
export interface FigurePoint {
  readonly x: number;
  readonly y: number;
  readonly low?: number;
  readonly high?: number;
}

/** Points that belong together. */
export interface FigureCurve {
  readonly name: string;
  /** Number of its colour and, where it has marks, of their form. */
  readonly style: number;
  /** A dashed line without marks, as for what is printed or predicted; else a solid one. */
  readonly dashed: boolean;
  readonly points: readonly FigurePoint[];
}

/** A value to compare with, drawn across the figure. */
export interface FigureLevel {
  readonly name: string;
  readonly value: number;
}

/** Curves against a number. Plain data: whoever draws it needs nothing else. */
export interface CurveFigure {
  readonly kind: 'curves';
  /** What its file is called, without an ending. */
  readonly name: string;
  readonly title: string;
  readonly x: FigureAxis;
  readonly y: FigureAxis;
  readonly curves: readonly FigureCurve[];
  readonly levels: readonly FigureLevel[];
}

/** A sample in five numbers: the 5 %, 25 %, 50 %, 75 % and 95 % points. */
export type FiveNumbers = readonly [number, number, number, number, number];

/** One box of a box plot. */
export interface FigureBox {
  readonly name: string;
  readonly style: number;
  readonly five: FiveNumbers;
}

/** Boxes that stand together. */
export interface BoxGroup {
  readonly name: string;
  readonly boxes: readonly FigureBox[];
}

/** A box plot. Plain data. */
export interface BoxFigure {
  readonly kind: 'boxes';
  readonly name: string;
  readonly title: string;
  readonly y: FigureAxis;
  readonly groups: readonly BoxGroup[];
  readonly levels: readonly FigureLevel[];
}

/** Any figure. */
export type Figure = CurveFigure | BoxFigure;

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

/** Numbers without error bars as a curve. */
export function plainCurve(name: string, style: number, x: readonly number[], y: readonly number[]): FigureCurve {
  return { name, style, dashed: false, points: plainPoints(x, y) };
}

/** Numbers that are printed or predicted, as a dashed curve. */
export function dashedCurve(name: string, style: number, x: readonly number[], y: readonly number[]): FigureCurve {
  return { name, style, dashed: true, points: plainPoints(x, y) };
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
  const ys = xs.map((x) => law(x));
  return dashedCurve(name, style, xs, ys);
}

/** A figure of curves, with the labels of its axes. */
interface LabelledFigure extends Pick<CurveFigure, 'name' | 'title' | 'curves'> {
  readonly x: string;
  readonly y: string;
  readonly levels?: readonly FigureLevel[];
}

/** A figure of curves on logarithmic axes, which are given by their labels. */
export function logFigure(figure: LabelledFigure): CurveFigure {
  const { x, y, levels = [], ...rest } = figure;
  return {
    kind: 'curves',
    ...rest,
    x: { label: x, logarithmic: true },
    y: { label: y, logarithmic: true },
    levels,
  };
}

/** The same on linear axes, but for one that is named. */
export function linearFigure(figure: LabelledFigure & { readonly logarithmic?: 'x' | 'y' }): CurveFigure {
  const { name, title, x, y, curves, levels = [], logarithmic } = figure;
  return {
    kind: 'curves',
    name,
    title,
    x: { label: x, logarithmic: logarithmic === 'x' },
    y: { label: y, logarithmic: logarithmic === 'y' },
    curves,
    levels,
  };
}
