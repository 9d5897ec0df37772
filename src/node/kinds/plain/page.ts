import { describeGuarantee } from '../../../privacy/guarantee.ts';
import { compact, counted, wholeNumber } from '../../figures.ts';
import { figures } from '../../report/figure.ts';
import { lineChart } from '../../report/line-chart.ts';
import { type Markup, paragraph, section, textTable } from '../../report/markup.ts';
import { guaranteeSection, runPage } from '../../report/page.ts';
import type { PlainRunDocument } from './document.ts';
import { errorTable, numberTable, slopeSentence } from './text.ts';
import { plainVerdict } from './verdict.ts';

/** One HTML page about a run on made-up players. */
export function plainPage(document: PlainRunDocument): string {
  const { protocol, about, request, rows, repetitions, guarantee, certificate, command, version, seed } = document;
  const all = rows[rows.length - 1];
  const budget = typeof request.epsilon === 'number' ? request.epsilon : 0;
  return runPage({
    ...{ protocol, title: 'made-up players', command, version, seed },
    verdict: plainVerdict(document),
    about: [
      `${counted(all.players, 'made-up player')}: ${about}. Each sends one randomized report.`,
      `Asked for: ${JSON.stringify(request)}.`,
    ],
    tiles: [
      { name: 'error', figure: compact(all.error), notes: [`root mean square of ${repetitions} runs`] },
      { name: 'players', figure: wholeNumber(all.players), notes: ['made up by the study of the module'] },
      { name: 'one player is promised', figure: describeGuarantee(guarantee), notes: [] },
    ],
    sections: [
      section(
        'How the error falls',
        document.slope === null ? '' : errorChart(document),
        paragraph(slopeSentence(document), 'soft'),
      ),
      section('Errors', textTable(errorTable(document), { right: 0 })),
      section('What was estimated', textTable(numberTable(document), { right: 1 })),
      guaranteeSection({ symbol: 'ε' }, [{ budget, guarantee, certificate }]),
    ],
  });
}

/** The error against the number of players, measured and forecast. */
function errorChart({ rows }: PlainRunDocument): Markup {
  const curve = (name: string, style: number, of: (row: (typeof rows)[number]) => number) => ({
    name,
    style,
    points: rows.map((row) => ({
      x: row.players,
      mean: of(row),
      deviation: null,
      tip: `${counted(row.players, 'player')}: ${name} ${compact(of(row))}`,
    })),
  });
  const measured = curve('measured', 0, ({ error }) => error);
  const curves = rows.some(({ forecast }) => forecast === null)
    ? [measured]
    : [measured, curve('forecast', 1, ({ forecast }) => forecast!)];
  const picture = lineChart({
    label: 'Error against the number of players',
    xLabel: 'players (logarithmic)',
    yLabel: 'error (logarithmic)',
    limits: [0, Infinity],
    logarithmic: true,
    series: curves,
    levels: [],
  });
  return figures(picture);
}
