import { counted } from '../../figures.ts';
import { promiseInWords } from '../../report/promise.ts';
import { sentences, type Verdict } from '../../report/verdict.ts';
import type { StreamRunDocument } from './document.ts';
import { doubtNotes, fixed, insideText } from './text.ts';

/** What a stream came to, in plain words. */
export function streamVerdict(document: StreamRunDocument): Verdict {
  const { players, variant, metrics, baselines, guarantee, unit, features, estimate } = document;
  const { stream, constant } = baselines;
  const useless = metrics.excessRisk >= constant.excessRisk;
  const sure = features
    .map((name, i) => ({ name, value: estimate.theta[i], range: estimate.intervals?.[i] }))
    .filter(({ name, range }) => name !== 'intercept' && range !== undefined && range[0] * range[1] > 0)
    .map(({ name, value }) => `${name} ${fixed(value)}`);
  const who = `${counted(players, 'player')} who answered one after the other, each once and with noise (${variant})`;
  const known =
    estimate.intervals === null
      ? 'no intervals could be given'
      : sure.length === 0
        ? 'no interval of a coefficient leaves out zero'
        : `the effects whose ${100 * estimate.level} % intervals leave out zero are ${sure.join(', ')} (${unit})`;
  const half = (width: number | null): string => (width === null ? 'none' : `± ${fixed(width)} ${unit}`);
  return {
    open: useless,
    learnt: useless
      ? `From ${who} no useful model came: a constant that ignores the features predicts as well.`
      : `From ${who} the server learnt a model with intervals at every moment: ${known}.`,
    distance:
      `The estimate is ${fixed(metrics.distance)} ${unit} (ℓ₂) from the fit to all records in the clear, ` +
      `${metrics.inside === null ? 'without intervals' : `and ${insideText(metrics.inside)} intervals hold it`}; the same stream without privacy ends ${fixed(stream.metrics.distance)} from it.`,
    cost:
      `Intervals of ${half(metrics.halfWidth)} on average, where the same stream without privacy has ${half(stream.metrics.halfWidth)}; ` +
      `${counted(players, 'player')}.`,
    promise: promiseInWords(guarantee),
    certainty: sentences(doubtNotes(document)),
  };
}
