import type { CertificateDocument } from '../../core/certify.ts';
import type { Json } from '../../core/digest.ts';
import { describeGuarantee, type Guarantee } from '../../privacy/guarantee.ts';
import { decimal, decimalAbove } from '../../privacy/rounding.ts';
import { cloneShuffleEpsilon, largestShuffledEpsilon, shuffleEpsilon } from '../../privacy/shuffle.ts';
import { wholeNumber } from '../print.ts';

/** What a guarantee says about one player, for readers without mathematics; numbers are rounded up. */
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

/** What was asked for, `epsilon = 1, dimension = 10`: no line ends within a part. */
export function requestInWords(request: { readonly [name: string]: Json }): string {
  return Object.keys(request)
    .map((name) => `${name}\u00a0=\u00a0${plain(request[name])}`)
    .join(', ');
}

function plain(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(plain).join(', ')}]`;
  if (typeof value === 'number') return decimal(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** One sentence: whether the claim is certified, and by what. */
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

/** δ of the shuffled reports: below one over the largest crowd shown. */
export const SHUFFLED_DELTA = 1e-8;

const CROWDS = [1e3, 1e4, 1e5, 1e6, 1e7];

/** The guarantee of one report after it is hidden in a crowd. */
interface ShuffledRow {
  /** How many reports are shuffled. */
  readonly players: string;
  /** ε in closed form; a dash where the theorem for it does not hold. */
  readonly closed: string;
  /** ε of the numeric bound. */
  readonly numeric: string;
}

/**
 * Amplification by shuffling for a transcript that is one pure report, by bounds that hold for any randomizer. It is
 * empty for any other transcript. Numbers are rounded up.
 *
 * Source: Feldman, McMillan, Talwar 2021, theorem 3.1.
 */
export function shuffledRows({ releases, totals }: CertificateDocument): readonly ShuffledRow[] {
  const reports = releases.reduce((sum, { count }) => sum + count, 0);
  const total = totals.find(({ guarantee }) => guarantee.kind === 'pure')?.guarantee;
  // The bounds are computed for ε from 1e-9 to 100.
  if (reports !== 1 || total?.kind !== 'pure' || total.epsilon < 1e-9 || total.epsilon > 100) return [];
  const { epsilon } = total;
  return CROWDS.map((players) => {
    const request = { epsilon, players, delta: SHUFFLED_DELTA };
    const proved = epsilon <= largestShuffledEpsilon(request);
    return {
      players: wholeNumber(players),
      closed: proved ? decimalAbove(shuffleEpsilon(request), 4) : '–',
      numeric: decimalAbove(cloneShuffleEpsilon(request), 4),
    };
  });
}
