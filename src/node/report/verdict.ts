import type { Uncertainty } from '../../inference/model-interval.ts';
import { deltaAt } from '../../privacy/conversion.ts';
import type { Guarantee } from '../../privacy/guarantee.ts';
import { decimalAbove } from '../../privacy/rounding.ts';
import { rounded, wholeNumber } from '../print.ts';
import { element, type Markup, prose } from './markup.ts';

/** What came out of a run, in sentences for people who do not know the protocol. */
export interface Verdict {
  /** What was learnt, or that hardly anything was. */
  readonly learnt: string;
  /** How far that is from the result without privacy. */
  readonly distance: string;
  /** What privacy cost: error, and how many players had to answer. */
  readonly cost: string;
  /** What one player is promised, with the odds. */
  readonly promise: string;
  /** How sure all of this is, and what would make it surer: one sentence each. */
  readonly certainty?: readonly string[];
  /** The same of the runs beside the headline. */
  readonly elsewhere?: readonly string[];
  /** Whether the result is no use: worse than an answer that asks nobody, without a promise, or stopped on its way. */
  readonly open?: boolean;
}

/** Notes as sentences: with a capital and a full stop. */
export function sentences(notes: readonly string[]): readonly string[] {
  return notes.map((note) => `${note.charAt(0).toUpperCase()}${note.slice(1)}.`);
}

/** How sure the runs are, whose notes are given one after the other, those of the headline first. */
export function doubts([headline = [], ...others]: readonly (readonly string[])[]): Pick<
  Verdict,
  'certainty' | 'elsewhere'
> {
  return { certainty: sentences(headline), elsewhere: sentences(others.flat()) };
}

/** The sentences under their names, in the order of the page. */
function sentencesOf({ learnt, distance, cost, promise, certainty = [] }: Verdict): readonly [string, string][] {
  return unbroken([
    ['learnt', learnt],
    ['without privacy', distance],
    ['the cost', cost],
    ['the promise', promise],
    ...certainty.map((text, index): [string, string] => [index === 0 ? 'how sure' : '', text]),
  ]);
}

/** No line ends between a number and its sign. */
function unbroken(texts: readonly (readonly [string, string])[]): readonly [string, string][] {
  return texts.map(([name, text]) => [name, text.replace(/(?<=\d) (?=%)|(?<=±) /g, '\u00a0')]);
}

function elsewhereOf({ elsewhere = [] }: Verdict): readonly [string, string][] {
  return unbroken(elsewhere.map((text, index) => [index === 0 ? 'other runs' : '', text]));
}

/** The verdict as the opening of a page. */
export function verdictBlock(verdict: Verdict): Markup {
  const parts = sentencesOf(verdict).flatMap(([name, text], index) => [
    element('dt', {}, prose(name)),
    element('dd', { class: index === 0 ? 'first' : undefined }, prose(text)),
  ]);
  const others = elsewhereOf(verdict);
  if (others.length > 0) {
    const folded = element(
      'details',
      {},
      element('summary', {}, 'how sure the other runs are'),
      ...others.map(([, text]) => element('p', {}, prose(text))),
    );
    parts.push(element('dt', {}), element('dd', {}, folded));
  }
  return element('dl', { class: verdict.open ? 'findings open' : 'findings' }, ...parts);
}

/** Characters of a line on a terminal, and of the names before the sentences. */
const LINE = 100;
const NAME = 17;

/** A text as lines of a terminal, the first of them after a name for which all lines have room. */
export function lineUp(text: string, name: string = '', room: number = 0): string[] {
  const lines: string[] = [];
  let line = name.padEnd(room);
  for (const word of text.split(' ')) {
    if (line.length > room && line.length + 1 + word.length > LINE) {
      lines.push(line);
      line = ' '.repeat(room);
    }
    line += line.length > room ? ` ${word}` : word;
  }
  return [...lines, line].map((one) => one.replaceAll('\u00a0', ' '));
}

/** The verdict as lines for a terminal. */
export function verdictLines(verdict: Verdict): string[] {
  return [...sentencesOf(verdict), ...elsewhereOf(verdict)].flatMap(([name, text]) => lineUp(text, name, NAME));
}

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

// What every run says about the noise of the reports, in words: the same sentences for the terminal and the page.

/** A run as far as its uncertainty goes. */
export interface UncertainRun {
  /** Which run, as its sentences begin. */
  readonly name: string;
  /** Who sent reports, as a plural noun: players, or records of a curator. */
  readonly who: string;
  readonly players: number;
  readonly uncertainty: Uncertainty;
  /** Whether steps were seen not to have come to an end: then intervals say where they stopped. */
  readonly unfinished?: boolean;
  /** A number of the effect as text, with its unit. */
  readonly figure: (value: number) => string;
}

/**
 * The intervals in one sentence, and another one where players are too few, with the number that would do and how it is derived.
 */
export function uncertaintyNotes(run: UncertainRun): readonly string[] {
  const { name, who, players, uncertainty, unfinished = false, figure } = run;
  const { level, risk, effect, what, enough, playersNeeded } = uncertainty;
  const of = ([low, high]: readonly [number, number], text = figure): string => `${text(low)} to ${text(high)}`;
  const risky = risk === null ? '' : `the risk is ${of(risk, (value) => value.toFixed(3).replace('-', '−'))}, and `;
  const sure = level === null ? 'by twice the forecast error, a rule of thumb' : `${100 * level} % each`;
  const stopped = unfinished ? ' (where its steps stopped: they were not seen to come to an end)' : '';
  const told = `${name}: the noise of the reports leaves open (${sure}) that ${risky}${what} ${of(effect)}${stopped}`;
  if (enough) return [told];
  const few = `${name}: ${wholeNumber(players)} ${who} are too few to tell from the reports alone that anything was learnt`;
  if (playersNeeded === null)
    return [
      told,
      `${few}, and how many would do cannot be told from an effect that noise alone may have made (ldpkit forecast tells what to expect of more)`,
    ];
  return [
    told,
    `${few}; about ${roundedUp(playersNeeded)} would do, if the middle of the interval is about right (intervals shrink like 1/√n: then half a length is a third of that middle)`,
  ];
}

/** What is said where the error is far above the one that the server states: by chance that is below 1 in 300 runs. */
export function beyondStated(error: number, stated: number, repetitions: number): string {
  const factor = error / stated;
  if (!(factor > (repetitions < 5 ? 3 : 2))) return '';
  return ` That is ${rounded(factor, 1)} times the standard error that the first run states: the law of these players is not the one that the variant assumes, for example because their means are skewed.`;
}

/** How sure the runs are, those of the headline first. */
export function doubtsOf<Run extends { readonly uncertainty: Uncertainty }>(
  runs: readonly Run[],
  isHeadline: (run: Run) => boolean,
  of: (run: Run) => Omit<UncertainRun, 'uncertainty'>,
): Pick<Verdict, 'certainty' | 'elsewhere'> {
  const ordered = [...runs.filter(isHeadline), ...runs.filter((run) => !isHeadline(run))];
  return doubts(ordered.map((run) => uncertaintyNotes({ ...of(run), uncertainty: run.uncertainty })));
}

/** A number of people, up to two digits that count. */
function roundedUp(players: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(players)) - 1);
  const up = Math.ceil(players / unit) * unit;
  return up < 1e15 ? wholeNumber(up) : up.toPrecision(2);
}
