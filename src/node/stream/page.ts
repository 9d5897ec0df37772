import { describeGuarantee } from '../../privacy/guarantee.ts';
import { wholeNumber } from '../figures.ts';
import { BAND_STYLE } from '../report/band-chart.ts';
import { element, escapeText, type Markup } from '../report/markup.ts';
import { pageFrame, paragraph, section } from '../report/page-frame.ts';
import { table } from '../report/page-tables.ts';
import { coordinateCharts, widthChart } from './charts.ts';
import type { StreamRunDocument } from './document.ts';
import { checkpointTable, coordinateTable, fixed, insideText, intervalText, playedText } from './text.ts';

/** One HTML page about a document: what was done, charts, tables, guarantee. It loads nothing and runs nothing. */
export function streamPage(document: StreamRunDocument): string {
  const { protocol, title, summary, agreed, command, seed, version, estimate } = document;
  const heading = `${protocol}: ${title}`;
  const body = element(
    'main',
    {},
    element('h1', {}, escapeText(heading)),
    paragraph(
      `${summary.charAt(0).toUpperCase()}${summary.slice(1)}. A player answers once, about the estimate at its moment; ` +
        'whatever the server computes from the answers, at whatever moment, costs nothing more.',
    ),
    paragraph(`${playedText(document)}.`),
    paragraph(agreed),
    tiles(document),
    section(
      'Along the stream',
      coordinateCharts(document),
      paragraph(`Intervals: ${intervalText(estimate)}. Early ones are cut off above and below.`, 'soft'),
    ),
    section('How intervals shrink', widthChart(document)),
    section('At the end', tableOf(coordinateTable(document)), paragraph(NOTE, 'soft')),
    section('At every checkpoint', tableOf(checkpointTable(document), 0), paragraph(CHECKPOINTS, 'soft')),
    section('What one player is promised', promise(document)),
    section(
      'How this page was made',
      element('pre', {}, escapeText(command)),
      paragraph(
        `ldpkit ${version}, seed “${seed}”: the same command gives the same numbers, except for the times. Seeded coins ` +
          'protect nobody: this is a simulation.',
        'soft',
      ),
    ),
  );
  return pageFrame(heading, body, BAND_STYLE);
}

const NOTE =
  'An interval speaks of one coordinate, and of a population that players are drawn from independently. Players who come in the ' +
  'order of their time are not: what they say drifts and clusters. Then the fit in the clear is a check, not the truth. The ' +
  'fit, the distances and the stream without privacy are computed from the records in the clear; only the reports are private.';

const CHECKPOINTS =
  'Interval: half its length, the mean over coordinates. Distance: ℓ₂, of the estimate to the fit to all records. Inside: how many ' +
  'intervals hold the fit. Intervals come from a limit law: until the steps have forgotten where they began, they hold less often ' +
  'than they say.';

function tableOf(rows: readonly (readonly string[])[], right: number = 1): Markup {
  const [head, ...body] = rows;
  return table(
    head,
    body.map((cells) => ({ cells, opens: false })),
    { right },
  );
}

function tiles(document: StreamRunDocument): Markup {
  const { metrics, baselines, players, seconds, reportsPerSecond, guarantee, variant, unit, grade, estimate } =
    document;
  const half = (width: number | null): string => (width === null ? '–' : `± ${fixed(width)}`);
  const open = baselines.stream.metrics;
  const figures: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'half an interval, mean over coordinates',
      half(metrics.halfWidth),
      [unit, `without privacy ${half(open.halfWidth)}`],
    ],
    [
      'distance to the fit in the clear',
      fixed(metrics.distance),
      [`${unit}, ℓ₂`, `without privacy ${fixed(open.distance)}`],
    ],
    [
      'intervals that hold the fit',
      insideText(metrics.inside),
      [`level ${estimate.level}`, `without privacy ${insideText(open.inside)}`],
    ],
    ['players', wholeNumber(players), [`${seconds.toFixed(2)} s`, `${wholeNumber(reportsPerSecond)} reports a second`]],
    ['one player is promised', describeGuarantee(guarantee), [`variant ${variant}`, `grade ${grade}`]],
  ];
  const boxes = figures.map(([name, figure, notes]) =>
    element(
      'div',
      {},
      element('dt', {}, escapeText(name)),
      element('dd', { class: 'figure' }, escapeText(figure)),
      ...notes.map((note) => element('dd', { class: 'soft' }, escapeText(note))),
    ),
  );
  return element('dl', { class: 'tiles' }, ...boxes);
}

function promise({ certificate, digest }: StreamRunDocument): Markup {
  const { releases, totals, neighbouring } = certificate;
  const sent = releases.map(({ what, mechanism, guarantee }) => ({
    cells: [what, mechanism, describeGuarantee(guarantee)],
    opens: false,
  }));
  const summed = totals.map(({ accounting, guarantee }) => ({
    cells: [accounting, describeGuarantee(guarantee)],
    opens: false,
  }));
  return [
    table(['what one player sends', 'mechanism', 'guarantees'], sent, { right: 3 }),
    paragraph('In total, by every accounting that applies:', 'soft'),
    table(['accounting', 'one player’s whole transcript'], summed, { right: 2 }),
    paragraph(
      `Neighbouring inputs, ${neighbouring}. Digest of the plan, which every report carries: ${digest}.`,
      'soft',
    ),
  ].join('');
}
