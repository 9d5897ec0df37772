import { counted } from '../../figures.ts';
import { promiseInWords } from '../../report/promise.ts';
import type { Verdict } from '../../report/verdict.ts';
import type { SurveyDocument } from './document.ts';
import { errorWords, shownWithin } from './text.ts';

/** The most quantities that the verdict names. */
const MOST = 3;

/** What a survey came to, in plain words. */
export function surveyVerdict(document: SurveyDocument): Verdict {
  const { players, variant, epsilon, estimate, truth, metrics, confidence, guarantee } = document;
  const { quantities } = estimate;
  const first = quantities.filter(({ group }) => group === quantities[0].group);
  const largest = first.map((quantity, at) => ({ ...quantity, clear: truth[at] })).sort((a, b) => b.value - a.value);
  const named = largest.slice(0, MOST);
  const text = (value: number, { lower, upper }: { readonly lower: number; readonly upper: number }): string =>
    shownWithin(value, upper - lower);
  const what = named.map(
    (one) => `${one.name}: ${text(one.value, one)} (${text(one.lower, one)} to ${text(one.upper, one)})`,
  );
  return {
    learnt:
      `From ${counted(players, 'player')} who sent one randomized report each (${variant}, ε = ${epsilon}): ${first.length > 1 ? `the ${first[0].group} in ` : ''}${what.join('; in ')}` +
      `${first.length > MOST ? `; these are the largest of ${first.length}` : ''}.`,
    distance: `In the clear: ${named.map((one) => `${one.name}: ${text(one.clear, one)}`).join('; ')}.`,
    cost: `An error of ${metrics.error.toPrecision(2)} (${errorWords(document)}); the widest interval is ${metrics.widest.toPrecision(2)} long.`,
    promise: promiseInWords(guarantee),
    certainty: [
      `All intervals of a kind hold at once with probability ${confidence}; ${metrics.held} of ${quantities.length} hold the number in the clear.`,
    ],
  };
}
