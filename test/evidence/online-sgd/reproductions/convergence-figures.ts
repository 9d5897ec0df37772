import { type Figure, type FigureCurve, measuredPoints } from 'ldpkit/testing';
import { type MeasuredRate, printed, type RateCell, SYMBOLS, type Which } from './convergence-measures.ts';

/** Errors of one estimator along the stream, a curve for every α. */
export function errorFigure(
  measured: readonly MeasuredRate[],
  model: RateCell['model'],
  which: Which,
  checkpoints: readonly number[],
): Figure {
  const curves = measured
    .filter((one) => one.model === model)
    .map(
      ({ text, means }, style): FigureCurve => ({
        name: `α = ${text}`,
        style,
        dashed: false,
        points: measuredPoints(checkpoints, means[which]),
      }),
    );
  const what = model === 'linear' ? 'squared parameter error' : 'excess loss';
  const symbol = SYMBOLS[model][which];
  return {
    kind: 'curves',
    name: `errors-${model}-${which}`,
    title: `${model === 'linear' ? 'Linear' : 'Logistic'}: ${symbol}, ${which === 'last' ? 'last iterate' : 'average'}`,
    x: { label: 'players n', logarithmic: true },
    y: { label: `mean ${what}`, logarithmic: true },
    curves,
    levels: [],
  };
}

/** Relative orders r and R of Figure 3: how much faster the average falls. */
export function orderFigure(measured: readonly MeasuredRate[]): Figure {
  const lines = (['linear', 'logistic'] as const).flatMap((model, index): FigureCurve[] => {
    const ones = measured.filter((one) => one.model === model && one.decay < 1);
    const name = model === 'linear' ? 'r, parameters of a linear model' : 'R, loss of a logistic model';
    return [
      {
        name: `${name}: measured`,
        style: index,
        dashed: false,
        points: ones.map(({ decay, order: { slope, error } }) => ({
          x: decay,
          y: slope,
          low: slope - 2 * error,
          high: slope + 2 * error,
        })),
      },
      {
        name: `${name}: printed`,
        style: index,
        dashed: true,
        points: ones.map((one) => {
          const { last = 0, average = 0 } = printed(one);
          return { x: one.decay, y: average - last };
        }),
      },
    ];
  });
  return {
    kind: 'curves',
    name: 'figure-3',
    title: 'Relative order of the average against the last iterate',
    x: { label: 'α', logarithmic: false },
    y: { label: 'relative order', logarithmic: false },
    curves: lines,
    levels: [],
  };
}
