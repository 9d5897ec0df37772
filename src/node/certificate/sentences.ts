import type { CertificateDocument } from '../../core/certified.ts';
import { describeGuarantee, type Guarantee } from '../../privacy/guarantee.ts';
import { decimalAbove } from '../../privacy/rounding.ts';

/** What a guarantee says about one player, for people who know no formulas; numbers are rounded up. */
export function promiseOf(guarantee: Guarantee): string {
  switch (guarantee.kind) {
    case 'pure':
      return (
        'Whatever two data one player could have, no outcome of everything the player sends is more than ' +
        `${factor(guarantee.epsilon)} times likelier under one of them than under the other.`
      );
    case 'approximate':
      return (
        'Whatever two data one player could have, and whatever one looks for in everything the player sends, the probability ' +
        `of finding it under one is at most ${factor(guarantee.epsilon)} times that under the other, plus ` +
        `δ = ${decimalAbove(guarantee.delta)}.`
      );
    case 'gdp':
      return (
        'Whatever two data one player could have, telling them apart by everything the player sends is at least as hard as ' +
        `telling one draw of a normal law from one of the same law moved by ${decimalAbove(guarantee.mu)} standard deviations.`
      );
    case 'zcdp':
      return (
        'Whatever two data one player could have, the Rényi divergence of order α between everything the player sends under ' +
        `one and under the other is at most ${decimalAbove(guarantee.rho)}·α, for every α above 1.`
      );
  }
}

function factor(epsilon: number): string {
  const value = Math.exp(epsilon);
  const text = Number.isFinite(value) ? ` = ${decimalAbove(value)}` : '';
  return `e^ε${text}`;
}

/** Whether the claim is certified, and by what; in one sentence. */
export function verdictOf({ claimed, totals, reportDelta }: CertificateDocument): {
  readonly holds: boolean;
  readonly text: string;
} {
  if (claimed === undefined)
    return { holds: true, text: 'Nothing is claimed beyond the totals below, each of which holds.' };
  const certifying = totals.filter(({ withinClaim }) => withinClaim);
  if (certifying.length === 0) {
    return { holds: false, text: 'None of the totals below implies this claim: it is not certified.' };
  }
  const names = [...new Set(certifying.map(({ accounting }) => accounting))];
  const last = names.pop();
  const accountings = names.length === 0 ? `accounting ${last}` : `accountings ${names.join(', ')} and ${last}`;
  const epsilons = certifying.flatMap(({ epsilonAtDelta }) => (epsilonAtDelta == null ? [] : [epsilonAtDelta]));
  const least =
    reportDelta === undefined || epsilons.length === 0
      ? ''
      : ` The least ε that is certified at δ = ${decimalAbove(reportDelta)} is ${decimalAbove(Math.min(...epsilons))}.`;
  const other = totals.some(({ withinClaim }) => withinClaim === false);
  const rest = other ? ' The other totals hold as well, but do not imply it.' : '';
  return { holds: true, text: `The claim is certified by the ${accountings}.${least}${rest}` };
}

/** The claim as a formula. */
export function claimOf({ claimed }: CertificateDocument): string {
  return claimed === undefined ? 'nothing' : describeGuarantee(claimed);
}
