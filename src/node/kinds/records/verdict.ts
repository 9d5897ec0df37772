import { counted, rounded } from '../../figures.ts';
import { promiseInWords } from '../../report/promise.ts';
import { doubts, type Verdict } from '../../report/verdict.ts';
import type { RunDocument } from './document.ts';
import { doubtNotes, type SummaryRow, summarize } from './text.ts';

/** The headline variant at the headline ε, as the mean over its repetitions, beside what is possible without privacy. */
export function headlineRows(document: RunDocument): {
  readonly found: SummaryRow;
  readonly optimum: SummaryRow;
  readonly constant: SummaryRow;
} {
  const { epsilon, variant } = document;
  const { nonPrivate, constant, variants } = summarize(document);
  const { rows } = variants.find((one) => one.variant === variant)!;
  return { found: rows.find((one) => one.epsilon === epsilon)!, optimum: nonPrivate, constant };
}

/** How much of the way from the best constant to the optimum a measure went; undefined where there is no such way. */
export function shareOf(document: RunDocument, key: 'risk' | 'auc' | 'accuracy'): number | undefined {
  const { found, optimum, constant } = headlineRows(document);
  const [reached, best, least] = [found, optimum, constant].map((row) => row[key].mean);
  if (reached == null || best == null || least == null || best === least) return undefined;
  return (reached - least) / (best - least);
}

/** A share as per cent. */
const percent = (value: number): string => `${rounded(100 * value, 1)} %`;

/** What a run on labelled records came to, in plain words. */
export function recordVerdict(document: RunDocument): Verdict {
  const { players, variant, epsilon, guarantee, loss, repetitions } = document;
  const { found, optimum, constant } = headlineRows(document);
  const { auc, accuracy, risk } = found;
  const ranked = auc.mean !== null && optimum.auc.mean !== null;
  const share = shareOf(document, ranked ? 'auc' : 'accuracy');
  const useless = (share === undefined || share < 0.25) && risk.mean! >= constant.risk.mean!;
  const made = document.runs.some(({ law }) => law === 'reports');
  const who = `${counted(players, 'player')} who ${made ? 'sent' : 'would send'} one randomized report each (${variant}, ε = ${epsilon})`;
  const runs = repetitions > 1 ? `, the mean of ${repetitions} runs` : '';
  const skill = ranked
    ? `of two records with different labels its model ranks the right one higher in ${percent(auc.mean!)} of cases${runs}; guessing does in 50 %`
    : `its model finds the label of ${percent(accuracy.mean!)} of the records${runs}; a constant finds ${percent(constant.accuracy.mean!)}`;
  const above = risk.mean! - optimum.risk.mean!;
  const guess = constant.risk.mean! - optimum.risk.mean!;
  return {
    open: useless,
    learnt: useless
      ? `Hardly anything was learnt from ${who}: ${skill}.`
      : `From ${who} the server learnt to predict labels: ${skill}.`,
    distance: ranked
      ? `The model of least ${loss} risk on the players’ records in the clear ranks ${percent(optimum.auc.mean!)} of such pairs right. It finds the label of ` +
        `${percent(optimum.accuracy.mean!)} of the records, the private model of ${percent(accuracy.mean!)}, a constant of ${percent(constant.accuracy.mean!)}.`
      : `The model of least ${loss} risk on the players’ records in the clear finds ${percent(optimum.accuracy.mean!)}.`,
    cost:
      `${rounded(above, 4)} of ${loss} risk above the ${rounded(optimum.risk.mean!, 4)} of that model; the best constant, which ignores all ` +
      `features, is ${rounded(guess, 4)} above it${above < guess ? '' : ', so that by this measure the private model does not beat it yet'}. ${counted(players, 'player')} ${made ? 'answered' : 'would answer'} once.`,
    promise: promiseInWords(guarantee),
    ...doubts(doubtNotes(document)),
  };
}
