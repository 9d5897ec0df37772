import { secureRandom } from 'ldpkit';
import { bernoulli } from 'ldpkit/mechanism';
import { deltaAt, type Guarantee } from 'ldpkit/privacy';
import { hinge } from 'ldpkit/protocols/hinge';
import type { Parameters } from './tasks.ts';

/** The grid of ε on which the trade-off curve is taken: it begins at 0. */
const STEPS = 150;
const LARGEST = 20;

/** What the certificate of parameters guarantees, by every accounting that applies: all of it holds. */
export const guaranteesOf = (parameters: Parameters): readonly Guarantee[] =>
  hinge.theory.certificate(parameters).totals.map(({ guarantee }) => guarantee);

/**
 * The least share of misses that any attacker can have whose share of false alarms is given.
 *
 * Law: a guarantee of (ε, δ) for every ε bounds the misses from below by 1 − δ − e^ε·α and by e^(−ε)·(1 − δ − α); the
 * largest of these over ε, and over all guarantees, is a curve that no attacker is below (Wasserman and Zhou 2010; Dong,
 * Roth, Su 2022, proposition 2.5).
 */
export function misses(guarantees: readonly Guarantee[]): (falseAlarms: number) => number {
  const grid = Array.from({ length: STEPS + 1 }, (_, i) => (LARGEST * i * i) / STEPS ** 2);
  const known = guarantees.flatMap((guarantee) => {
    // A guarantee with an ε of its own is sharp there, which is on no grid.
    const places = 'epsilon' in guarantee ? [...grid, guarantee.epsilon] : grid;
    return places.map((epsilon) => ({ growth: Math.exp(epsilon), delta: deltaAt(guarantee, epsilon) }));
  });
  return (falseAlarms) =>
    known.reduce(
      (most, { growth, delta }) => Math.max(most, 1 - delta - growth * falseAlarms, (1 - delta - falseAlarms) / growth),
      0,
    );
}

/** The largest share of right guesses of any attacker, where both data are equally likely: (1 + δ(0))/2. */
export const mostRight = (guarantees: readonly Guarantee[]): number =>
  Math.min(...guarantees.map((guarantee) => (1 + deltaAt(guarantee, 0)) / 2));

/** The two data of the game: the same person with one answer or the other. */
const PAIR = {
  name: 'yes and no',
  first: { features: [1, 0], label: 1 },
  second: { features: [1, 0], label: -1 },
} as const;

/** How the best attacker did: how often it guessed, and its two kinds of mistakes. */
export interface Attacked {
  readonly guesses: number;
  readonly right: number;
  /** The share of people of the second datum who were taken for the first. */
  readonly falseAlarms: number;
  /** The share of people of the first datum who were not found. */
  readonly misses: number;
}

/** One round of the game: who it was, and what the attacker sees. */
export interface Round {
  readonly first: boolean;
  /** The two numbers of the report that belong to the record. */
  readonly seen: readonly [number, number];
}

/** Someone draws a fair coin, takes one of the two data, and answers. Coins of the secure source. */
export function playRound(parameters: Parameters): Round {
  const random = secureRandom();
  const first = bernoulli(0.5, random);
  const report = hinge.player.randomize(parameters, first ? PAIR.first : PAIR.second, random);
  const view = hinge.auditing!.view(parameters, report);
  return { first, seen: [view[0], view[1]] };
}

/** The attacker that knows everything but the coins: it guesses by the ratio of the probabilities of the report. */
export function attack(parameters: Parameters, guesses: number): Attacked {
  const random = secureRandom();
  const ratio = hinge.auditing!.logLikelihoodRatio!(parameters, PAIR)!;
  const told = [0, 0];
  const wrong = [0, 0];
  for (let i = 0; i < guesses; i++) {
    const first = bernoulli(0.5, random);
    const score = ratio(hinge.player.randomize(parameters, first ? PAIR.first : PAIR.second, random));
    const said = score === 0 ? bernoulli(0.5, random) : score > 0;
    told[Number(first)]++;
    if (said !== first) wrong[Number(first)]++;
  }
  return {
    guesses,
    right: guesses - wrong[0] - wrong[1],
    falseAlarms: wrong[0] / Math.max(1, told[0]),
    misses: wrong[1] / Math.max(1, told[1]),
  };
}
