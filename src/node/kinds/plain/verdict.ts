import { compact, counted, rounded } from '../../figures.ts';
import { promiseInWords } from '../../report/promise.ts';
import type { Verdict } from '../../report/verdict.ts';
import type { PlainRunDocument } from './document.ts';
import { slopeSentence } from './text.ts';

/** The most numbers that the verdict names. */
const MOST = 4;

/** What a run of a protocol of one's own on made-up players came to, in plain words. */
export function plainVerdict(document: PlainRunDocument): Verdict {
  const { protocol, names, rows, repetitions, guarantee } = document;
  const { players, estimate, truth, error, forecast } = rows[rows.length - 1];
  const shown = (values: readonly number[]): string => {
    const some = names.slice(0, MOST).map((name, j) => `${name} ${rounded(values[j], 4)}`);
    return `${some.join(', ')}${names.length > MOST ? ` and ${names.length - MOST} more` : ''}`;
  };
  return {
    learnt: `From one report of each of ${counted(players, 'made-up player')} ${protocol} estimates ${shown(estimate)} (first run).`,
    distance: `The truth is ${shown(truth)}.`,
    cost:
      `An error of ${compact(error)}, the root mean square of ${counted(repetitions, 'run')}` +
      `${forecast === null ? '' : `; the forecast was ${compact(forecast)}`}.`,
    promise: promiseInWords(guarantee),
    certainty: [slopeSentence(document)],
  };
}
