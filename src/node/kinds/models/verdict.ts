import { counted } from '../../figures.ts';
import { promiseInWords } from '../../report/promise.ts';
import { doubts, type Verdict } from '../../report/verdict.ts';
import type { ModelRunDocument } from './document.ts';
import { doubtNotes, figure, summed } from './text.ts';

/** Coefficients that the first sentence names. */
const NAMED = 3;

/** What a fitted model came to, in plain words. */
export function modelVerdict(document: ModelRunDocument): Verdict {
  const { variant, symbol, budget, baselines, players, setting, guarantee, unit, features, estimate, repetitions } =
    document;
  const { distance, excessRisk, coverage } = summed(document).find(
    (one) => one.variant === variant && one.budget === budget,
  )!;
  const useless = excessRisk >= baselines.constant.excessRisk;
  const largest = features
    .map((name, i) => ({ name, value: estimate.theta[i] }))
    .filter(({ name }) => name !== 'intercept')
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .slice(0, NAMED)
    .map(({ name, value }) => `${name} ${figure(value)}`);
  const central = setting === 'central';
  const from = central
    ? `From ${counted(players, 'record')} that a trusted curator holds`
    : `From the noisy answers of ${counted(players, 'player')}`;
  const inside = coverage === null ? '' : ` Its intervals hold ${Math.round(100 * coverage)} % of those coefficients.`;
  return {
    open: useless || guarantee === null,
    learnt: useless
      ? `${from} no useful model came (${variant}, ${symbol} = ${budget}): a constant that ignores the features is as good.`
      : `${from} came a model of ${counted(features.length, 'coefficient')} (${variant}, ${symbol} = ${budget}), the largest of which are ${largest.join(', ')}.`,
    distance:
      `Its coefficients are ${figure(distance)} (ℓ₂, in ${unit}) from those of the fit in the clear, the mean of ${counted(repetitions, 'run')}; ` +
      `coefficients of zero, for which nobody is asked, are ${figure(baselines.zero.distance)} from it.${inside}`,
    cost:
      `${figure(excessRisk)} of risk above that of the fit, where the best constant has ${figure(baselines.constant.excessRisk)}; ` +
      `${central ? counted(players, 'record') : counted(players, 'player')}.`,
    promise:
      guarantee === null
        ? 'Nothing: the claim of this protocol is refuted, and no privacy may be relied on.'
        : promiseInWords(guarantee, central ? 'record' : 'player'),
    ...doubts(doubtNotes(document)),
  };
}
