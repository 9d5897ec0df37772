import type { CurveFigure, FigureCurve, FigureLevel } from '../experiment/figure.ts';

/** A figure of curves on logarithmic axes, which are given by their labels. */
export function logFigure(figure: {
  readonly name: string;
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly curves: readonly FigureCurve[];
  readonly levels?: readonly FigureLevel[];
}): CurveFigure {
  const { x, y, levels = [], ...rest } = figure;
  return {
    kind: 'curves',
    ...rest,
    x: { label: x, logarithmic: true },
    y: { label: y, logarithmic: true },
    levels,
  };
}
