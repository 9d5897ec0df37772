import { describeGuarantee } from '../../../privacy/guarantee.ts';
import { plusMinus } from '../../../testing/claim.ts';
import { compact, counted, rounded, wholeNumber } from '../../figures.ts';
import { aligned } from '../../print.ts';
import type { PlainRunDocument } from './document.ts';

/** The errors: a row for each number of players. */
export function errorTable({ rows }: PlainRunDocument): readonly (readonly string[])[] {
  return [
    ['players', 'error', 'forecast'],
    ...rows.map(({ players, error, forecast }) => [
      wholeNumber(players),
      compact(error),
      forecast === null ? '' : compact(forecast),
    ]),
  ];
}

/** The numbers of the last row, that of all players. */
export function numberTable({ names, rows }: PlainRunDocument): readonly (readonly string[])[] {
  const { truth, estimate } = rows[rows.length - 1];
  return [
    ['', 'truth', 'first estimate'],
    ...names.map((name, j) => [name, rounded(truth[j], 4), rounded(estimate[j], 4)]),
  ];
}

/** How the error falls, in a sentence. */
export function slopeSentence({ slope }: PlainRunDocument): string {
  return slope === null
    ? 'Too few repetitions, or no error at all: how it falls cannot be said.'
    : `The mean square error falls like players^(${plusMinus(slope.slope, slope.error)}); −1 is the rate of a mean.`;
}

/** The document as lines of text. */
export function formatPlainRun(document: PlainRunDocument): readonly string[] {
  const { protocol, request, about, guarantee, rows, repetitions, what } = document;
  return [
    `${protocol}: ${JSON.stringify(request)}; ${describeGuarantee(guarantee)}`,
    `${counted(rows[rows.length - 1].players, 'made-up player')}: ${about}`,
    '',
    ...aligned(numberTable(document), 1),
    '',
    `root mean square error of ${repetitions} runs${what === null ? '' : `; forecast: ${what}`}`,
    ...aligned(errorTable(document), 0),
    slopeSentence(document),
  ];
}
