import { describeGuarantee } from '../../../privacy/guarantee.ts';
import { plusMinus } from '../../../testing/claim.ts';
import { requestInWords } from '../../certificate/sentences.ts';
import { compact, counted, rounded, wholeNumber } from '../../figures.ts';
import type { Picture } from '../../report/figure.ts';
import { lineChart } from '../../report/line-chart.ts';
import type { RunResult } from '../../report/result.ts';
import { promiseInWords } from '../../report/verdict.ts';
import type { PlainRunDocument } from './document.ts';

/** The most numbers that the verdict names. */
const MOST = 4;

/** What came out of a run of a protocol of one's own on made-up players. */
export function plainResult(document: PlainRunDocument): RunResult {
  const { protocol, about, request, names, rows, repetitions, guarantee, certificate, slope, what } = document;
  const { players, estimate, truth, error, forecast } = rows[rows.length - 1];
  const budget = typeof request.epsilon === 'number' ? request.epsilon : 0;
  const shown = (values: readonly number[]): string => {
    const some = names.slice(0, MOST).map((name, j) => `${name} ${rounded(values[j], 4)}`);
    return `${some.join(', ')}${names.length > MOST ? ` and ${names.length - MOST} more` : ''}`;
  };
  const falls =
    slope === null
      ? 'Too few repetitions, or no error at all: how it falls cannot be said.'
      : `The mean square error falls like a power of the number of players, ${plusMinus(slope.slope, slope.error)}; −1 is the rate of a mean.`;
  return {
    verdict: {
      learnt: `From one report of each of ${counted(players, 'made-up player')} ${protocol} estimates ${shown(estimate)} (first run).`,
      distance: `The truth is ${shown(truth)}.`,
      cost:
        `An error of ${compact(error)}, the root mean square of ${counted(repetitions, 'run')}` +
        `${forecast === null ? '' : `; the forecast was ${compact(forecast)}`}.`,
      promise: promiseInWords(guarantee),
      certainty: [falls],
    },
    tiles: [
      { name: 'error', figure: compact(error), notes: [`root mean square of ${repetitions} runs`] },
      { name: 'players', figure: wholeNumber(players), notes: ['made up by the study of the module'] },
      { name: 'one player is promised', figure: describeGuarantee(guarantee), notes: [] },
    ],
    about: [
      `${counted(players, 'made-up player')}: ${about}. Each sends one randomized report.`,
      `Asked for: ${requestInWords(request)}.`,
    ],
    parts: [
      {
        heading: 'How the error falls',
        pictures: slope === null ? [] : [errorChart(document)],
        rows: [
          ['players', 'error', 'forecast'],
          ...rows.map(({ players, error, forecast }) => [
            ...[wholeNumber(players), compact(error)],
            forecast === null ? '' : compact(forecast),
          ]),
        ],
        right: 0,
        notes: [`Root mean square error of ${repetitions} runs${what === null ? '' : `; forecast: ${what}`}. ${falls}`],
      },
      {
        heading: 'What was estimated',
        rows: [
          ['', 'truth', 'first estimate'],
          ...names.map((name, j) => [name, rounded(truth[j], 4), rounded(estimate[j], 4)]),
        ],
        right: 1,
      },
    ],
    promised: { symbol: 'ε', budget, certificates: [{ budget, certificate, guarantee }] },
  };
}

/** The error against the number of players, measured and forecast. */
function errorChart({ rows }: PlainRunDocument): Picture {
  const curve = (name: string, style: number, of: (row: (typeof rows)[number]) => number) => ({
    name,
    style,
    points: rows.map((row) => ({
      x: row.players,
      mean: of(row),
      tip: `${counted(row.players, 'player')}: ${name} ${compact(of(row))}`,
    })),
  });
  const measured = curve('measured', 0, ({ error }) => error);
  const known = rows.every(({ forecast }) => forecast !== null);
  return lineChart({
    label: 'Error against the number of players',
    xLabel: 'players (logarithmic)',
    yLabel: 'error (logarithmic)',
    logarithmic: true,
    series: known ? [measured, curve('forecast', 1, ({ forecast }) => forecast!)] : [measured],
  });
}
