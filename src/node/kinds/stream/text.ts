import { describeGuarantee } from '../../../privacy/guarantee.ts';
import { counted, rounded, wholeNumber } from '../../figures.ts';
import { aligned } from '../../print.ts';
import { uncertaintyNotes } from '../uncertainty.ts';
import type { StreamEstimateRecord, StreamRunDocument } from './document.ts';

/** A number of the document with two digits, or three if it is small; never a minus zero. */
export function fixed(value: number): string {
  return rounded(value, Math.abs(value) < 0.1 ? 3 : 2);
}

/** A share as a number of coordinates: 5 of 6. */
export function insideText(inside: readonly boolean[] | null): string {
  return inside === null ? '–' : `${inside.filter(Boolean).length} of ${inside.length}`;
}

/** The coordinates: one row each, with the fit and the non-private stream beside the private estimate. */
export function coordinateTable(document: StreamRunDocument): readonly (readonly string[])[] {
  const { features, estimate, baselines, metrics, variant } = document;
  const { nonPrivate, stream } = baselines;
  const interval = (range: readonly [number, number] | undefined): string =>
    range === undefined ? '–' : `[${fixed(range[0])}, ${fixed(range[1])}]`;
  return [
    ['', variant, 'interval', 'fit in the clear', 'inside', 'stream without privacy', 'its interval'],
    ...features.map((name, i) => [
      name,
      fixed(estimate.theta[i]),
      interval(estimate.intervals?.[i]),
      fixed(nonPrivate.theta[i]),
      metrics.inside === null ? '–' : metrics.inside[i] ? 'yes' : 'no',
      fixed(stream.estimate.theta[i]),
      interval(stream.estimate.intervals?.[i]),
    ]),
  ];
}

/** The checkpoints of the stream: one row each. */
export function checkpointTable(document: StreamRunDocument): readonly (readonly string[])[] {
  const { checkpoints, baselines } = document;
  const dated = checkpoints.some(({ until }) => until !== undefined);
  const widths = new Map(baselines.stream.checkpoints.map(({ players, errors }) => [players, errors.halfWidth]));
  const half = (width: number | null | undefined): string => (width == null ? '–' : `± ${fixed(width)}`);
  return [
    ['players', ...(dated ? ['until'] : []), 'interval', 'distance', 'inside', 'interval without privacy'],
    ...checkpoints.map(({ players, until, errors: { halfWidth, distance, inside } }) => [
      wholeNumber(players),
      ...(dated ? [(until ?? '').replace('T', ' ')] : []),
      half(halfWidth),
      fixed(distance),
      insideText(inside),
      half(widths.get(players)),
    ]),
  ];
}

/** What was run, in a line or two. */
export function playedText(document: StreamRunDocument): string {
  const { players, dimension, unit, scale, step, resumedFrom, sorted, model } = document;
  const { rate, decay, burnIn, average } = step;
  const left = burnIn === 0 ? '' : `, the first ${wholeNumber(burnIn)} left out of the average`;
  const weighted =
    average === undefined
      ? ''
      : average.kind === 'suffix'
        ? `, the last ${100 * average.share} % of them averaged`
        : `, averaged with weights i^${average.power}`;
  const from = resumedFrom === 0 ? '' : `, going on from a saved state of ${wholeNumber(resumedFrom)}`;
  const scaled = scale === 1 ? '' : ` (${scale} of them are 1 in the model)`;
  const fitted = model.kind === 'huber' ? '' : `, ${modelText(model)}`;
  const order = sorted ? ', sorted by time' : '';
  return (
    `${counted(players, 'player')} one after the other${order}${from}; ${counted(dimension, 'coordinate')}, in ${unit}${scaled}, ` +
    `step size ${rate}·i^−${decay}${left}${weighted}${fitted}`
  );
}

/** The fitted model, if it is not Huber regression. */
function modelText({ kind, ...numbers }: StreamRunDocument['model']): string {
  const said = Object.entries(numbers).map(([name, value]) => `${name} ${value}`);
  const words = [`model ${kind}`, ...said].join(', ');
  return kind === 'linear'
    ? `${words}; clipped gradients lead elsewhere than the fit, which is by least squares`
    : words;
}

/** How intervals were made. */
export function intervalText({ method, level, raisedHessian }: StreamEstimateRecord): string {
  const rests =
    raisedHessian === undefined || raisedHessian === 0
      ? ''
      : `; ${counted(raisedHessian, 'eigenvalue')} raised to the floor, on which lengths rest`;
  return `${method}, level ${level}${rests}`;
}

/** The document as lines of text. */
export function formatStreamRun(document: StreamRunDocument): string[] {
  const { protocol, title, agreed, estimate, metrics, baselines, variant, guarantee, seconds, reportsPerSecond, unit } =
    document;
  const { stream, constant, nonPrivate } = baselines;
  const excess = (value: number): string => value.toExponential(2).replace('-', '−').replace('e', '·10^');
  return [
    `${protocol}: ${title}`,
    playedText(document),
    agreed,
    `intervals: ${intervalText(estimate)}`,
    '',
    ...aligned(coordinateTable(document), 1),
    '',
    ...aligned(checkpointTable(document), 0),
    '',
    `distance to the fit in the clear: ${fixed(metrics.distance)} ${unit}; without privacy ${fixed(stream.metrics.distance)}`,
    `excess risk: ${excess(metrics.excessRisk)}; without privacy ${excess(stream.metrics.excessRisk)}; best constant ` +
      `${excess(constant.excessRisk)} (risk of the fit ${nonPrivate.risk.toFixed(5)})`,
    `${variant}: ${describeGuarantee(guarantee)}; ${seconds.toFixed(2)} s, ${wholeNumber(reportsPerSecond)} reports a second`,
  ];
}

/** What the intervals leave open at the end, and whether players are too few. */
export function doubtNotes({ uncertainty, estimate, players, variant, unit }: StreamRunDocument): readonly string[] {
  if (uncertainty === null)
    return [
      `${variant}: no intervals (${estimate.reason ?? 'method none'}), so that nothing is said of what the noise leaves open`,
    ];
  return uncertaintyNotes({
    ...{ name: variant, who: 'players', players, uncertainty },
    figure: (value) => `${fixed(value)} ${unit}`,
  });
}
