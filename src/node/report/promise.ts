import { deltaAt } from '../../privacy/conversion.ts';
import type { Guarantee } from '../../privacy/guarantee.ts';
import { decimalAbove } from '../../privacy/rounding.ts';

/**
 * The largest probability with which anybody guesses which of two equally likely data a player has, from everything the
 * player sends: (1 + δ(0))/2, where δ(0) is the total variation that the guarantee allows.
 */
export function bestGuess(guarantee: Guarantee): number {
  return (1 + deltaAt(guarantee, 0)) / 2;
}

/** A probability as per cent, rounded up. */
const percent = (value: number): string => {
  // So close to 1 that the next decimal would say it is certain.
  const text = decimalAbove(100 * value, 3);
  return value < 1 && text === '100' ? 'nearly 100 %' : `${text} %`;
};

/** What a guarantee promises, in plain words with the odds; `whose` is what two neighbours differ in. Numbers are rounded up. */
export function promiseInWords(guarantee: Guarantee, whose: 'player' | 'record' = 'player'): string {
  const [secret, seen] =
    whose === 'player' ? ['a player’s data', 'everything the player sends'] : ['one record', 'everything released'];
  const guess =
    `Somebody who knows that ${secret} is one of two, and sees ${seen}, picks the right one with probability ` +
    `${percent(bestGuess(guarantee))} at most; with a coin it is 50 %.`;
  return `${oddsOf(guarantee, whose)} ${guess}`;
}

function oddsOf(guarantee: Guarantee, whose: 'player' | 'record'): string {
  const [result, pair] =
    whose === 'player'
      ? ['what is sent', 'any two data of a player']
      : ['what is released', 'any two values of a record'];
  switch (guarantee.kind) {
    case 'pure':
      return `ε = ${decimalAbove(guarantee.epsilon)}: ${result} changes the odds between ${pair} by a factor of at most e^ε${factor(guarantee.epsilon)}.`;
    case 'approximate':
      return (
        `ε = ${decimalAbove(guarantee.epsilon)}, δ = ${decimalAbove(guarantee.delta)}: of ${pair}, no event is likelier under one than ` +
        `e^ε${factor(guarantee.epsilon)} times its probability under the other, plus δ.`
      );
    case 'gdp':
      return `μ = ${decimalAbove(guarantee.mu)}: ${pair} are as hard to tell apart as two normal laws whose means are ${decimalAbove(guarantee.mu)} standard deviations apart.`;
    case 'zcdp':
      return `ρ = ${decimalAbove(guarantee.rho)}: the Rényi divergence of order α between ${pair} is at most ${decimalAbove(guarantee.rho)}·α.`;
  }
}

function factor(epsilon: number): string {
  const value = Math.exp(epsilon);
  return Number.isFinite(value) ? ` = ${decimalAbove(value, 3)}` : '';
}
