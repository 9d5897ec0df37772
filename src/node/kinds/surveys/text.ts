import { describeGuarantee } from '../../../privacy/guarantee.ts';
import { counted } from '../../figures.ts';
import { aligned } from '../../print.ts';
import type { SurveyDocument } from './document.ts';

/** A number with so many digits as its interval makes worth showing. */
export function shownWithin(value: number, width: number): string {
  const digits = Math.max(0, Math.min(12, 1 - Math.floor(Math.log10(Math.max(width, 1e-11)))));
  return value.toFixed(digits).replace(/^-(0\.?0*)$/, '$1');
}

/** The quantities of the headline run: estimate, interval, and the number in the clear. */
export function quantityTable({ estimate, truth }: SurveyDocument): readonly (readonly string[])[] {
  return [
    ['', 'estimate', 'from', 'to', 'in the clear'],
    ...estimate.quantities.map(({ name, value, lower, upper }, i) => [
      name,
      ...[value, lower, upper, truth[i]].map((one) => shownWithin(one, upper - lower)),
    ]),
  ];
}

/** A row for each run. */
export function runTable({ runs }: SurveyDocument): readonly (readonly string[])[] {
  return [
    ['ε', 'variant', 'error', 'widest interval', 'intervals that hold', 'seconds'],
    ...runs.map(({ epsilon, variant, quantities, metrics: { error, widest, held }, seconds }) => [
      `${epsilon}`,
      variant,
      error.toPrecision(3),
      widest.toPrecision(3),
      `${held} of ${quantities.length}`,
      seconds.toFixed(1),
    ]),
  ];
}

/** What the error is of, in words. */
export function errorWords({ estimate: { quantities } }: SurveyDocument): string {
  const [{ group, name }, ...others] = quantities;
  return others[0]?.group === group ? `root mean squared, ${group}` : name;
}

/** The document as lines of text. */
export function formatSurvey(document: SurveyDocument): readonly string[] {
  const { protocol, title, players, variant, epsilon, confidence, guarantee } = document;
  return [
    `${protocol}: ${title}`,
    `${counted(players, 'player')}, each with one report; ${variant} at ε = ${epsilon}: ${describeGuarantee(guarantee)}`,
    `intervals: all of a kind hold at once with probability ${confidence}`,
    '',
    ...aligned(quantityTable(document), 1),
    '',
    `error: ${errorWords(document)}`,
    ...aligned(runTable(document), 0),
  ];
}
