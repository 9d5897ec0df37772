import { describeGuarantee } from '../../../privacy/guarantee.ts';
import { compact, counted, wholeNumber } from '../../figures.ts';
import { aligned } from '../../print.ts';
import { headlineFirst, uncertaintyNotes } from '../uncertainty.ts';
import type { ModelErrors, ModelRunDocument } from './document.ts';

/** The runs of one variant at one budget: their means, and the deviation of the distance between runs. */
export interface Summed {
  readonly variant: string;
  readonly budget: number;
  readonly distance: number;
  readonly deviation: number | null;
  readonly risk: number;
  readonly excessRisk: number;
  readonly coverage: number | null;
  readonly halfWidth: number | null;
  readonly seconds: number;
}

export function summed({ runs }: ModelRunDocument): readonly Summed[] {
  const names = new Map(runs.map((run) => [`${run.variant} ${run.budget}`, run]));
  return [...names.values()].map(({ variant, budget }) => {
    const of = runs.filter((run) => run.variant === variant && run.budget === budget);
    const mean = (value: (metrics: ModelErrors) => number): number =>
      of.reduce((sum, { metrics }) => sum + value(metrics), 0) / of.length;
    const known = (key: 'coverage' | 'halfWidth'): number | null =>
      of[0].metrics[key] === null ? null : mean((metrics) => metrics[key]!);
    const distance = mean((metrics) => metrics.distance);
    const squares = mean((metrics) => (metrics.distance - distance) ** 2);
    return {
      ...{ variant, budget, distance },
      deviation: of.length < 2 ? null : Math.sqrt((squares * of.length) / (of.length - 1)),
      risk: mean((metrics) => metrics.risk),
      excessRisk: mean((metrics) => metrics.excessRisk),
      coverage: known('coverage'),
      halfWidth: known('halfWidth'),
      seconds: of.reduce((sum, { seconds }) => sum + seconds, 0) / of.length,
    };
  });
}

/** A number of the document with a typographic minus sign; never a minus zero. */
export function figure(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return '0';
  return `${value < 0 ? '−' : ''}${size >= 1e-3 && size < 100 ? size.toPrecision(3) : compact(size)}`;
}

/** A sentence that says what was requested and from whom. */
export function playedText({ setting, players, records, samples, features, unit, scale }: ModelRunDocument): string {
  const who =
    setting === 'central'
      ? `a curator holds ${counted(players, 'record')}`
      : records === players
        ? `${counted(players, 'player')}, each with one record, answer in rounds`
        : `${counted(players, 'player')} with ${counted(records, 'record')}, each with ${wholeNumber(samples)} or more, answer in rounds`;
  const scaled = scale === 1 ? '' : ` in ${unit} (${scale} of them are 1 in the model)`;
  return `${who}; ${counted(features.length, 'coefficient')}${scaled}`;
}

/** Errors: a row for each answer without players, then one for each budget and variant. */
export function resultRows(document: ModelRunDocument): readonly (readonly string[])[] {
  const { baselines, symbol, runs } = document;
  const { nonPrivate, constant, zero } = baselines;
  const withIntervals = runs.some(({ estimate }) => estimate.intervals !== null);
  const blank = withIntervals ? ['', ''] : [];
  return [
    [
      symbol,
      'variant',
      'distance',
      'risk',
      'excess risk',
      ...(withIntervals ? ['inside', 'half an interval'] : []),
      'seconds',
    ],
    ['', 'fit in the clear', '0', nonPrivate.risk.toFixed(5), '0', ...blank, ''],
    ['', 'best constant', '', constant.risk.toFixed(5), figure(constant.excessRisk), ...blank, ''],
    ['', 'zero', figure(zero.distance), zero.risk.toFixed(5), figure(zero.excessRisk), ...blank, ''],
    ...summed(document).map(
      ({ budget, variant, distance, deviation, risk, excessRisk, coverage, halfWidth, seconds }) => [
        String(budget),
        variant,
        `${figure(distance)}${deviation === null ? '' : ` ± ${figure(deviation)}`}`,
        risk.toFixed(5),
        figure(excessRisk),
        ...(withIntervals
          ? [
              coverage === null ? '–' : `${Math.round(100 * coverage)} %`,
              halfWidth === null ? '–' : `± ${figure(halfWidth)}`,
            ]
          : []),
        seconds.toFixed(3),
      ],
    ),
  ];
}

/** Coefficients: one row each, with the non-private fit beside the first run of the headline. */
export function coefficientRows({
  features,
  estimate,
  baselines,
  variant,
}: ModelRunDocument): readonly (readonly string[])[] {
  const { intervals, theta } = estimate;
  return [
    ['', variant, ...(intervals === null ? [] : ['interval']), 'fit in the clear'],
    ...features.map((name, i) => [
      name,
      figure(theta[i]),
      ...(intervals === null ? [] : [`[${intervals[i].map(figure).join(', ')}]`]),
      figure(baselines.nonPrivate.theta[i]),
    ]),
  ];
}

/** The total guarantee, or why there is none. */
export function promiseText({
  guarantee,
  refuted = [],
  variant,
  symbol,
  budget,
  setting,
}: ModelRunDocument): readonly string[] {
  if (guarantee !== null) {
    const whom = setting === 'central' ? 'one record' : 'one player';
    return [`${variant} at ${symbol} = ${budget}: ${describeGuarantee(guarantee)} for ${whom}, all releases together`];
  }
  return refuted.map(
    (one) =>
      `${one.variant}: nothing is guaranteed; claimed is ${describeGuarantee(one.claimed)}, refuted: ${one.because}`,
  );
}

/** The document as lines of text. */
export function formatModelRun(document: ModelRunDocument): readonly string[] {
  const { protocol, title, repetitions, notes, symbol, variant, budget } = document;
  return [
    `${protocol}: ${title}`,
    playedText(document),
    ...notes,
    `distance to the fit in the clear, mean${repetitions > 1 ? ' ± standard deviation' : ''} of ${counted(repetitions, 'run')}`,
    '',
    ...aligned(resultRows(document), 2),
    '',
    `coefficients of the first run at ${symbol} = ${budget}`,
    ...aligned(coefficientRows(document), 1),
    '',
    'best constant: ignores the features; zero: all coefficients are 0, and nobody is asked',
    ...promiseText({ ...document, variant }),
  ];
}

/** What is left open about the first run of every variant at every budget, run by run with the headline first, and where players or records are too few. */
export function doubtNotes(document: ModelRunDocument): readonly (readonly string[])[] {
  const { runs, players, symbol, setting } = document;
  return headlineFirst(
    runs.filter(({ repetition }) => repetition === 1),
    ({ variant, budget }) => variant === document.variant && budget === document.budget,
  ).map(({ variant, budget, uncertainty }) =>
    uncertaintyNotes({
      ...{ name: `${variant} at ${symbol} = ${budget}, first run`, players, uncertainty, figure },
      who: setting === 'central' ? 'records' : 'players',
    }),
  );
}
