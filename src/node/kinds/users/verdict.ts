import { counted, rounded } from '../../figures.ts';
import { promiseInWords } from '../../report/promise.ts';
import { doubts, type Verdict } from '../../report/verdict.ts';
import type { UserRunDocument } from './document.ts';
import { doubtNotes, errorText } from './text.ts';

/** What a run on players with several samples came to, in plain words. */
export function userVerdict(document: UserRunDocument): Verdict {
  const { players, records, variant, epsilon, estimate, truth, metrics, baselines, unit, dimension, sample } = document;
  const { repetitions, guarantee, title } = document;
  const error = `${errorText(metrics.error, document)}${dimension === 1 ? ` ${unit}` : ''}`;
  const guesses = Object.entries(baselines).filter(([, { description }]) => description !== undefined);
  const useless = guesses.some(([, guess]) => guess.error <= metrics.error);
  const who = `${counted(players, 'player')}, each of whom answered with noise (${variant}, ε = ${epsilon})`;
  const [mean, stated, true_] = [estimate.mean[0], estimate.standardError[0], truth.mean[0]];
  const what =
    dimension === 1
      ? `the ${title} is ${rounded(mean, 2)} ± ${rounded(stated, 2)} ${unit} (first run, with the standard error that it states)`
      : `${counted(dimension, 'number')} at a time, ${error} off in all (ℓ₂)`;
  const others = Object.entries(baselines).map(
    ([name, one]) => `${one.description ?? `variant ${name}`}: ${errorText(one.error, document)}`,
  );
  return {
    open: useless,
    learnt: useless
      ? `Nothing that a guess would not tell was learnt from ${who}: ${what}.`
      : `From ${who} the server learnt: ${what}.`,
    distance:
      dimension === 1
        ? `In the clear it is ${rounded(true_, 2)} ${unit}. Over ${counted(repetitions, 'run')} the error is ${error} (root mean square).${beyondStated(document)}`
        : `Over ${counted(repetitions, 'run')} the distance to the profile in the clear is ${error} (root mean square).`,
    cost: `${error}, with ${counted(players, 'player')} and their ${counted(records, sample)}. Others at the same ε: ${others.join('; ')}.`,
    promise: `${promiseInWords(guarantee)} All ${sample}s of a player are protected together.`,
    ...doubts(doubtNotes(document)),
  };
}

/** What is said where the error is far above the one that the server states: by chance that is below 1 in 300 runs. */
export function beyondStated({
  metrics,
  repetitions,
  estimate,
}: Pick<UserRunDocument, 'metrics' | 'repetitions' | 'estimate'>): string {
  const [stated] = estimate.standardError;
  const factor = metrics.error / stated;
  if (!(factor > (repetitions < 5 ? 3 : 2))) return '';
  return ` That is ${rounded(factor, 1)} times the standard error that the first run states: the law of these players is not the one that the variant assumes, for example because their means are skewed.`;
}
