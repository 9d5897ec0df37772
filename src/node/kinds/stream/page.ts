import { describeGuarantee } from '../../../privacy/guarantee.ts';
import { wholeNumber } from '../../figures.ts';
import { bandChart } from '../../report/band-chart.ts';
import { figures } from '../../report/figure.ts';
import { type Markup, paragraph, section, textTable } from '../../report/markup.ts';
import { capital, runPage, type Tile } from '../../report/page.ts';
import type { MeasuredCheckpoint, StreamRunDocument } from './document.ts';
import { checkpointTable, coordinateTable, fixed, insideText, intervalText, playedText } from './text.ts';
import { streamVerdict } from './verdict.ts';

/** One HTML page about a document: what was done, charts, tables, guarantee. */
export function streamPage(document: StreamRunDocument): string {
  const { protocol, title, summary, agreed, command, seed, version, estimate } = document;
  return runPage({
    ...{ protocol, title, command, version, seed },
    verdict: streamVerdict(document),
    about: [
      `${capital(summary)}. A player answers once, about the estimate at its moment; whatever the server computes from the ` +
        'answers, at whatever moment, costs nothing more.',
      `${playedText(document)}.`,
      agreed,
    ],
    tiles: tilesOf(document),
    sections: [
      section(
        'Along the stream',
        coordinateCharts(document),
        paragraph(`Intervals: ${intervalText(estimate)}. Early ones are cut off above and below.`, 'soft'),
      ),
      section('How intervals shrink', widthChart(document)),
      section('At the end', textTable(coordinateTable(document), { right: 1 }), paragraph(NOTE, 'soft')),
      section(
        'At every checkpoint',
        textTable(checkpointTable(document), { right: 0 }),
        paragraph(CHECKPOINTS, 'soft'),
      ),
      section('What one player is promised', promise(document)),
    ],
  });
}

const NOTE =
  'An interval speaks of one coordinate, and of a population that players are drawn from independently. Players who come in the ' +
  'order of their time are not: what they say drifts and clusters. Then the fit in the clear is a check, not the truth. The ' +
  'fit, the distances and the stream without privacy are computed from the records in the clear; only the reports are private.';

const CHECKPOINTS =
  'Interval: half its length, the mean over coordinates. Distance: ℓ₂, of the estimate to the fit to all records. Inside: how many ' +
  'intervals hold the fit. Intervals come from a limit law: until the steps have forgotten where they began, they hold less often ' +
  'than they say.';

function tilesOf(document: StreamRunDocument): readonly Tile[] {
  const { metrics, baselines, players, seconds, reportsPerSecond, guarantee, variant, unit, grade, estimate } =
    document;
  const half = (width: number | null): string => (width === null ? '–' : `± ${fixed(width)}`);
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
    {
      name: 'one player is promised',
      figure: describeGuarantee(guarantee),
      notes: [`variant ${variant}`, `grade ${grade}`],
    },
  ];
}

function promise({ certificate, digest }: StreamRunDocument): Markup {
  const { releases, totals, neighbouring } = certificate;
  const sent = releases.map(({ what, mechanism, guarantee }) => [what, mechanism, describeGuarantee(guarantee)]);
  const summed = totals.map(({ accounting, guarantee }) => [accounting, describeGuarantee(guarantee)]);
  return [
    textTable([['what one player sends', 'mechanism', 'guarantees'], ...sent], { right: 3 }),
    paragraph('In total, by every accounting that applies:', 'soft'),
    textTable([['accounting', 'one player’s whole transcript'], ...summed], { right: 2 }),
    paragraph(
      `Neighbouring inputs, ${neighbouring}. Digest of the plan, which every report carries: ${digest}.`,
      'soft',
    ),
  ].join('');
}

const AXIS = 'players (logarithmic)';

/** Styles of the private stream and of the non-private stream. */
const PRIVATE = 0;
const OPEN = 1;

/** Share of the stream after which nothing is cut off in a chart. */
const SETTLED = 1 / 30;

/** A chart for each coordinate: estimate and interval along the stream, and the fit that they approach. */
function coordinateCharts(document: StreamRunDocument): Markup {
  const { features, variant, baselines, checkpoints, unit } = document;
  const { theta } = baselines.nonPrivate;
  const charts = features.map((name, index) => {
    return bandChart({
      label: `${name} along the stream`,
      caption: name,
      xLabel: AXIS,
      yLabel: unit,
      window: windowOf(checkpoints, theta[index], index),
      level: {
        name: 'fit to all records in the clear',
        value: theta[index],
        tip: `fit to all records: ${fixed(theta[index])}`,
      },
      series: [
        {
          name: 'without privacy',
          style: OPEN,
          points: baselines.stream.checkpoints.map((one) => ({
            ...pointOf(one, index, 'without privacy'),
            band: null,
          })),
        },
        {
          name: `${variant}, with intervals`,
          style: PRIVATE,
          points: checkpoints.map((one) => pointOf(one, index, variant)),
        },
      ],
    });
  });
  return figures(...charts);
}

function pointOf({ players, until, estimate }: MeasuredCheckpoint, index: number, name: string) {
  const value = estimate.theta[index];
  const band = estimate.intervals?.[index] ?? null;
  const range = band === null ? '' : ` [${fixed(band[0])}, ${fixed(band[1])}]`;
  const when = until === undefined ? '' : `, until ${until.replace('T', ' ')}`;
  return { x: players, value, band, tip: `${wholeNumber(players)} players${when}: ${name} ${fixed(value)}${range}` };
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
function widthChart(document: StreamRunDocument): Markup {
  const { checkpoints, baselines, variant, unit } = document;
  const widths = (list: readonly MeasuredCheckpoint[], name: string) =>
    list.flatMap(({ players, errors: { halfWidth } }) =>
      halfWidth === null
        ? []
        : [
            {
              x: players,
              value: halfWidth,
              band: null,
              tip: `${wholeNumber(players)} players, ${name}: ± ${fixed(halfWidth)} ${unit}`,
            },
          ],
    );
  const distances = checkpoints.map(({ players, errors: { distance } }) => ({
    x: players,
    value: distance,
    band: null,
    tip: `${wholeNumber(players)} players: ${fixed(distance)} ${unit} from the fit`,
  }));
  const series = [
    {
      name: `${variant}: half an interval, mean over coordinates`,
      style: PRIVATE,
      points: widths(checkpoints, variant),
    },
    {
      name: 'the same without privacy',
      style: OPEN,
      points: widths(baselines.stream.checkpoints, 'without privacy'),
    },
    { name: `${variant}: distance of the estimate to the fit, all coordinates`, style: 2, points: distances },
  ].filter(({ points }) => points.length > 0);
  const values = series.flatMap(({ points }) => points.map(({ value }) => value)).filter((value) => value > 0);
  const picture = bandChart({
    label: 'Length of intervals along the stream',
    wide: true,
    xLabel: AXIS,
    yLabel: `${unit} (logarithmic)`,
    window: [Math.min(...values) / 1.25, Math.max(...values) * 1.25],
    logarithmic: true,
    series,
  });
  return figures(picture);
}
