import type { PlainRequest } from '../../../core/contract.ts';
import type { Certificate } from '../../../privacy/certificate.ts';
import { describeGuarantee, type Guarantee } from '../../../privacy/guarantee.ts';
import { plusMinus } from '../../../testing/claim.ts';
import { requestInWords } from '../../certificate/sentences.ts';
import { compact, counted, rounded, wholeNumber } from '../../print.ts';
import { lineChart } from '../../report/charts.ts';
import type { Picture } from '../../report/markup.ts';
import type { RunResult } from '../../report/result.ts';
import { promiseInWords } from '../../report/verdict.ts';
import type { RunHead } from '../run.ts';

/** What a run with so many of the players came to, over all repetitions. */
export interface PlainRunRow {
  readonly players: number;
  /** The numbers that are true of these players. */
  readonly truth: readonly number[];
  /** Their estimates in the first repetition. */
  readonly estimate: readonly number[];
  /** Mean estimates less the truth. */
  readonly bias: readonly number[];
  /** The mean square error of a number, on average over the numbers, and its standard error. */
  readonly squared: { readonly mean: number; readonly error: number };
  /** Its root. */
  readonly error: number;
  /** What the protocol forecasts for so many players; null where it has no forecast. */
  readonly forecast: number | null;
}

/** The document of a run of a protocol on made-up players. */
export interface PlainRunDocument extends RunHead {
  readonly request: PlainRequest;
  /** The players in words. */
  readonly about: string;
  readonly names: readonly string[];
  readonly guarantee: Guarantee;
  readonly certificate: Certificate;
  /** What the forecast is of; null without one. */
  readonly what: string | null;
  /** Ascending in the number of players; the last row is all of them. */
  readonly rows: readonly PlainRunRow[];
  /** The power of the number of players with which the mean square error falls; null where an error is 0. */
  readonly slope: { readonly slope: number; readonly error: number } | null;
  readonly repetitions: number;
  readonly seconds: number;
}

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
