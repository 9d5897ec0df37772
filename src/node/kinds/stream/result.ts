import { describeGuarantee } from '../../../privacy/guarantee.ts';
import { counted, perCent, rounded, wholeNumber } from '../../print.ts';
import { type ChartPoint, lineChart } from '../../report/charts.ts';
import type { Picture } from '../../report/markup.ts';
import { capital, promiseTile, type ResultPart, type RunResult, type Tile } from '../../report/result.ts';
import { promiseInWords, sentences, uncertaintyNotes, type Verdict } from '../../report/verdict.ts';
import type { MeasuredCheckpoint, StreamEstimateRecord, StreamRunDocument } from './request.ts';

const NOTE =
  'An interval speaks of one coordinate, and of a population that players are drawn from independently. Players who come in the ' +
  'order of their time are not: what they say drifts and clusters. Then the fit in the clear is a check, not the truth. The ' +
  'fit, the distances and the stream without privacy are computed from the records in the clear; only the reports are private.';

const CHECKPOINTS =
  'Interval: half its length, the mean over coordinates. Distance: ℓ₂, of the estimate to the fit to all records. Inside: how many ' +
  'intervals hold the fit. Intervals come from a limit law: until the steps have forgotten where they began, they hold less often ' +
  'than they say.';

export function streamResult(document: StreamRunDocument): RunResult {
  const { summary, agreed, estimate, metrics, baselines } = document;
  const { stream, constant, nonPrivate } = baselines;
  const excess = (value: number): string => value.toExponential(2).replace('-', '−').replace('e', '·10^');
  return {
    verdict: verdictOf(document),
    tiles: tilesOf(document),
    about: [
      `${capital(summary)}. A player answers once, about the estimate at its moment; whatever the server computes from the ` +
        'answers, at whatever moment, costs nothing more.',
      `${playedText(document)}.`,
      agreed,
    ],
    parts: [
      {
        heading: 'Along the stream',
        pictures: coordinateCharts(document),
        notes: [`Intervals: ${intervalText(estimate)}. Early ones are cut off above and below.`],
      },
      { heading: 'How intervals shrink', pictures: [widthChart(document)] },
      {
        heading: 'At the end',
        rows: coordinateRows(document),
        right: 1,
        notes: [
          `Intervals: ${intervalText(estimate)}.`,
          `Excess risk: ${excess(metrics.excessRisk)}; without privacy ${excess(stream.metrics.excessRisk)}; best constant ` +
            `${excess(constant.excessRisk)} (risk of the fit ${nonPrivate.risk.toFixed(5)}).`,
          `${document.seconds.toFixed(2)} s, ${wholeNumber(document.reportsPerSecond)} reports a second.`,
          NOTE,
        ],
      },
      {
        heading: 'At every checkpoint',
        rows: checkpointRows(document),
        right: 0,
        notes: [`${CHECKPOINTS}${earlyText(document)}`],
      },
      ...promiseParts(document),
    ],
  };
}

function fixed(value: number): string {
  return rounded(value, Math.abs(value) < 0.1 ? 3 : 2);
}

function half(width: number | null | undefined): string {
  return width == null ? '–' : `± ${fixed(width)}`;
}

function insideText(inside: readonly boolean[] | null): string {
  return inside === null ? '–' : `${inside.filter(Boolean).length} of ${inside.length}`;
}

function coordinateRows({ features, estimate, baselines, metrics, variant }: StreamRunDocument) {
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

function checkpointRows({ checkpoints, baselines }: StreamRunDocument) {
  const dated = checkpoints.some(({ until }) => until !== undefined);
  const widths = new Map(baselines.stream.checkpoints.map(({ players, errors }) => [players, errors.halfWidth]));
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

function playedText(document: StreamRunDocument): string {
  const { players, dimension, unit, scale, step, resumedFrom, sorted, model } = document;
  const { rate, decay, burnIn, average } = step;
  const left = burnIn === 0 ? '' : `, the first ${wholeNumber(burnIn)} left out of the average`;
  const suffix = average?.kind === 'suffix' ? `, the last ${100 * average.share} % of them averaged` : '';
  const weighted = average?.kind === 'polynomial' ? `, averaged with weights i^${average.power}` : suffix;
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

function intervalText({ method, level, raisedHessian = 0 }: StreamEstimateRecord): string {
  const raised = `; ${counted(raisedHessian, 'eigenvalue')} raised to the floor, on which lengths rest`;
  return `${method}, level ${level}${raisedHessian === 0 ? '' : raised}`;
}

/** Up to which checkpoint the intervals are of no use. */
function earlyText({ checkpoints }: StreamRunDocument): string {
  const early = checkpoints.find(({ estimate }) => estimate.stepsNeeded !== undefined)?.estimate.stepsNeeded;
  return early === undefined ? '' : ` Before ${wholeNumber(early)} players they do not, whatever the population is.`;
}

/** What the intervals at the end tell, or why they tell nothing. */
function intervalsTell({ estimate, features, unit, model }: StreamRunDocument): string {
  const { intervals, stepsNeeded, noiseShift, fewBatches, theta, level } = estimate;
  if (intervals === null) return 'no intervals could be given';
  if (stepsNeeded !== undefined) return 'these are too few for intervals that hold as often as they say';
  if (noiseShift !== undefined) return 'with this step size intervals hold less often than they say';
  if (fewBatches !== undefined) return 'intervals of so few batches hold less often than they say';
  // Each class but the first has coefficients of its own, and an intercept before them.
  const width = features.length / ((model.classes ?? 2) - 1);
  const sure = features.flatMap((name, i) =>
    i % width > 0 && intervals[i][0] * intervals[i][1] > 0 ? [`${name} ${fixed(theta[i])}`] : [],
  );
  return sure.length === 0
    ? 'no interval of a coefficient leaves out zero'
    : `the effects whose ${perCent(level)} intervals leave out zero are ${sure.join(', ')} (${unit})`;
}

function verdictOf(document: StreamRunDocument): Verdict {
  const { players, variant, metrics, baselines, guarantee, unit, uncertainty } = document;
  const { stream, constant } = baselines;
  const useless = metrics.excessRisk >= constant.excessRisk;
  const who = `${counted(players, 'player')} who answered one after the other, each once and with noise (${variant})`;
  const known = intervalsTell(document);
  const length = (width: number | null): string => (width === null ? 'none' : `${half(width)} ${unit}`);
  return {
    open: useless,
    learnt: useless
      ? `From ${who} no useful model came: a constant that ignores the features predicts as well.`
      : uncertainty?.enough === true
        ? `From ${who} the server learnt a model with intervals at every moment: ${known}.`
        : `From ${who} came a model, and nothing tells that noise alone has not made it: ${known}.`,
    distance:
      `The estimate is ${fixed(metrics.distance)} ${unit} (ℓ₂) from the fit to all records in the clear, ` +
      `${metrics.inside === null ? 'without intervals' : `and ${insideText(metrics.inside)} intervals hold it`}; the same stream without privacy ends ${fixed(stream.metrics.distance)} from it.`,
    cost:
      `Intervals of ${length(metrics.halfWidth)} on average, where the same stream without privacy has ${length(stream.metrics.halfWidth)}; ` +
      `${counted(players, 'player')}.`,
    promise: promiseInWords(guarantee),
    certainty: sentences(doubtNotes(document)),
  };
}

/** What the intervals leave open at the end, and whether players are too few. */
function doubtNotes({ uncertainty, estimate, players, variant, unit }: StreamRunDocument): readonly string[] {
  const { stepsNeeded, noiseShift, fewBatches, method, level } = estimate;
  if (stepsNeeded !== undefined)
    return [
      `${variant}: ${counted(players, 'player')} ${players === 1 ? 'is' : 'are'} too few for intervals, which hold less often than in ${perCent(level)}; at least ${wholeNumber(stepsNeeded)} are needed for the steps to forget where they were, and more where the risk is flat; fewer with a smaller α`,
    ];
  if (noiseShift !== undefined)
    return [
      `${variant}: the noise moves the average by about ${fixed(noiseShift)} of its standard errors, since the risk bends, and intervals hold less often than in ${perCent(level)}; an average that forgets the start with plug-in intervals (--average suffix --method plug-in) or a larger budget helps, a smaller γ where the sum of the step sizes stays far above 10`,
    ];
  if (fewBatches !== undefined)
    return [
      `${variant}: ${method} have ${fewBatches} batches here, and with fewer than 100 intervals come out short and hold less often than in ${perCent(level)}; those of random scaling and of the plug-in come nearer`,
    ];
  if (uncertainty === null)
    return [
      `${variant}: no intervals (${estimate.reason ?? 'method none'}), so that nothing is said of what the noise leaves open`,
    ];
  return uncertaintyNotes({
    ...{ name: variant, who: 'players', players, uncertainty },
    figure: (value) => `${fixed(value)} ${unit}`,
  });
}

function tilesOf(document: StreamRunDocument): readonly Tile[] {
  const { metrics, baselines, players, seconds, reportsPerSecond, unit, estimate } = document;
  const open = baselines.stream.metrics;
  return [
    {
      name: 'half an interval, mean over coordinates',
      figure: half(metrics.halfWidth),
      notes: [unit, `without privacy ${half(open.halfWidth)}`],
    },
    {
      name: 'distance to the fit in the clear',
      figure: fixed(metrics.distance),
      notes: [`${unit}, ℓ₂`, `without privacy ${fixed(open.distance)}`],
    },
    {
      name: 'intervals that hold the fit',
      figure: insideText(metrics.inside),
      notes: [`level ${estimate.level}`, `without privacy ${insideText(open.inside)}`],
    },
    {
      name: 'players',
      figure: wholeNumber(players),
      notes: [`${seconds.toFixed(2)} s`, `${wholeNumber(reportsPerSecond)} reports a second`],
    },
    promiseTile(document),
  ];
}

/** What one player sends, and its whole transcript by every accounting that applies. */
function promiseParts({ certificate, digest }: StreamRunDocument): readonly ResultPart[] {
  const { releases, totals, neighbouring } = certificate;
  return [
    {
      heading: 'What one player is promised',
      rows: [
        ['what one player sends', 'mechanism', 'guarantees'],
        ...releases.map(({ what, mechanism, guarantee }) => [what, mechanism, describeGuarantee(guarantee)]),
      ],
    },
    {
      heading: 'In total, by every accounting that applies',
      rows: [
        ['accounting', 'one player’s whole transcript'],
        ...totals.map(({ accounting, guarantee }) => [accounting, describeGuarantee(guarantee)]),
      ],
      notes: [`Neighbouring inputs, ${neighbouring}. Digest of the plan, which every report carries: ${digest}.`],
    },
  ];
}

const AXIS = 'players (logarithmic)';

/** Styles of the private stream, and of that without privacy. */
const [PRIVATE, OPEN] = [0, 1];

/** Share of the stream after which nothing is cut off in a chart. */
const SETTLED = 1 / 30;

/** A chart for each coordinate: estimate and interval along the stream, and the fit that they approach. */
function coordinateCharts(document: StreamRunDocument): readonly Picture[] {
  const { features, variant, baselines, checkpoints, unit } = document;
  const { nonPrivate, stream } = baselines;
  return features.map((name, index) => {
    const value = nonPrivate.theta[index];
    const open = stream.checkpoints.map((one) => ({ ...pointOf(one, index, 'without privacy'), band: null }));
    const points = checkpoints.map((one) => pointOf(one, index, variant));
    return lineChart({
      label: `${name} along the stream`,
      caption: name,
      xLabel: AXIS,
      yLabel: unit,
      window: windowOf(checkpoints, value, index),
      levels: [
        { name: 'fit to all records in the clear', kind: 'solid', value, tip: `fit to all records: ${fixed(value)}` },
      ],
      series: [
        { name: 'without privacy', style: OPEN, points: open },
        { name: `${variant}, with intervals`, style: PRIVATE, points },
      ],
    });
  });
}

function pointOf({ players, until, estimate }: MeasuredCheckpoint, index: number, name: string): ChartPoint {
  const mean = estimate.theta[index];
  const band = estimate.intervals?.[index] ?? null;
  const range = band === null ? '' : ` [${fixed(band[0])}, ${fixed(band[1])}]`;
  const when = until === undefined ? '' : `, until ${until.replace('T', ' ')}`;
  return { x: players, mean, band, tip: `${wholeNumber(players)} players${when}: ${name} ${fixed(mean)}${range}` };
}

// The range that the later part of the stream needs: intervals at the beginning are hundreds of times longer.
function windowOf(checkpoints: readonly MeasuredCheckpoint[], fit: number, index: number): [number, number] {
  const { players } = checkpoints[checkpoints.length - 1];
  const late = checkpoints.filter((one) => one.players >= SETTLED * players);
  const values = late.flatMap(({ estimate: { theta, intervals } }) => [theta[index], ...(intervals?.[index] ?? [])]);
  const [low, high] = [Math.min(fit, ...values), Math.max(fit, ...values)];
  const air = 0.08 * (high - low) || 0.05 * Math.abs(high) || 1;
  return [low - air, high + air];
}

/** Mean half length of the intervals along the stream, and the distance to the fit; both logarithmic. */
function widthChart({ checkpoints, baselines, variant, unit }: StreamRunDocument): Picture {
  const widths = (list: readonly MeasuredCheckpoint[], name: string) =>
    list.flatMap(({ players, errors: { halfWidth } }): readonly ChartPoint[] => {
      const tip = `${wholeNumber(players)} players, ${name}: ± ${fixed(halfWidth ?? 0)} ${unit}`;
      return halfWidth === null ? [] : [{ x: players, mean: halfWidth, tip }];
    });
  const distances = checkpoints.map(({ players, errors: { distance } }) => ({
    x: players,
    mean: distance,
    tip: `${wholeNumber(players)} players: ${fixed(distance)} ${unit} from the fit`,
  }));
  const points = widths(checkpoints, variant);
  const open = widths(baselines.stream.checkpoints, 'without privacy');
  const series = [
    { name: `${variant}: half an interval, mean over coordinates`, style: PRIVATE, points },
    { name: 'the same without privacy', style: OPEN, points: open },
    { name: `${variant}: distance of the estimate to the fit, all coordinates`, style: 2, points: distances },
  ].filter(({ points }) => points.length > 0);
  const values = series.flatMap(({ points }) => points.map(({ mean }) => mean)).filter((mean) => mean > 0);
  return lineChart({
    label: 'Length of intervals along the stream',
    wide: true,
    xLabel: AXIS,
    yLabel: `${unit} (logarithmic)`,
    window: [Math.min(...values) / 1.25, Math.max(...values) * 1.25],
    logarithmic: true,
    series,
  });
}
