import type { Uncertainty } from '../../inference/model-interval.ts';
import { deltaAt } from '../../privacy/conversion.ts';
import type { Guarantee } from '../../privacy/guarantee.ts';
import { decimalAbove } from '../../privacy/rounding.ts';
import { perCent, rounded, wholeNumber } from '../print.ts';
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

/** The sentences of the headline under their names, in the order of the page, and those of other runs. */
function sentencesOf({ learnt, distance, cost, promise, certainty = [], elsewhere = [] }: Verdict) {
  // No line ends between a number and its sign.
  const named = (name: string, texts: readonly string[]) =>
    texts.map((text, index) => [index === 0 ? name : '', text.replace(/(?<=\d) (?=%)|(?<=±) /g, '\u00a0')] as const);
  const headline = [
    ...named('learnt', [learnt]),
    ...named('without privacy', [distance]),
    ...named('the cost', [cost]),
    ...named('the promise', [promise]),
    ...named('how sure', certainty),
  ];
  return { headline, others: named('other runs', elsewhere) };
}

/** The verdict as the opening of a page. */
export function verdictBlock(verdict: Verdict): Markup {
  const { headline, others } = sentencesOf(verdict);
  const parts = headline.flatMap(([name, text], index) => [
    element('dt', {}, prose(name)),
    element('dd', { class: index === 0 ? 'first' : undefined }, prose(text)),
  ]);
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
  const { headline, others } = sentencesOf(verdict);
  return [...headline, ...others].flatMap(([name, text]) => lineUp(text, name, NAME));
}

/** The largest probability of a right guess which of two equally likely data a player has: (1 + δ(0))/2, δ(0) the total variation. */
export function bestGuess(guarantee: Guarantee): number {
  return (1 + deltaAt(guarantee, 0)) / 2;
}

/** What a guarantee promises, in plain words with the odds; `whose` is what two neighbours differ in. Numbers are rounded up. */
export function promiseInWords(guarantee: Guarantee, whose: 'player' | 'record' = 'player'): string {
  const [secret, seen, result, pair] =
    whose === 'player'
      ? ['a player’s data', 'everything the player sends', 'what is sent', 'any two data of a player']
      : ['one record', 'everything released', 'what is released', 'any two values of a record'];
  const guess = bestGuess(guarantee);
  const above = decimalAbove(100 * guess, 3);
  // So close to 1 that the next decimal would say it is certain.
  const percent = guess < 1 && above === '100' ? 'nearly 100 %' : `${above} %`;
  return (
    `${oddsOf(guarantee, result, pair)} Somebody who knows that ${secret} is one of two, and sees ${seen}, picks the ` +
    `right one with probability ${percent} at most; with a coin it is 50 %.`
  );
}

function oddsOf(guarantee: Guarantee, result: string, pair: string): string {
  switch (guarantee.kind) {
    case 'pure':
      return `ε = ${decimalAbove(guarantee.epsilon)}: ${result} changes the odds between ${pair} by a factor of at most ${factorOf(guarantee, 3)}.`;
    case 'approximate':
      return (
        `ε = ${decimalAbove(guarantee.epsilon)}, δ = ${decimalAbove(guarantee.delta)}: of ${pair}, no event is likelier under one than ` +
        `${factorOf(guarantee, 3)} times its probability under the other, plus δ.`
      );
    case 'gdp': {
      const mu = decimalAbove(guarantee.mu);
      const apart = `${mu} standard deviation${mu === '1' ? '' : 's'} apart`;
      return `μ = ${mu}: ${pair} are as hard to tell apart as two normal laws whose means are ${apart}.`;
    }
    case 'zcdp':
      return `ρ = ${decimalAbove(guarantee.rho)}: the Rényi divergence of order α between ${pair} is at most ${decimalAbove(guarantee.rho)}·α.`;
  }
}

/** e^ε with its value rounded up, where that is finite. */
export function factorOf({ epsilon }: { readonly epsilon: number }, digits?: number): string {
  const value = Math.exp(epsilon);
  return Number.isFinite(value) ? `e^ε = ${decimalAbove(value, digits)}` : 'e^ε';
}

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

/** The intervals in one sentence, and another where players are too few, with the number that would do and how it is derived. */
export function uncertaintyNotes(run: UncertainRun): readonly string[] {
  const { name, who, players, uncertainty, unfinished = false, figure } = run;
  const { level, risk, effect, what, enough, playersNeeded } = uncertainty;
  const of = ([low, high]: readonly [number, number], text = figure): string => `${text(low)} to ${text(high)}`;
  const risky = risk === null ? '' : `the risk is ${of(risk, (value) => rounded(value, 3))}, and `;
  const sure = level === null ? 'by twice the forecast error, a rule of thumb' : `${perCent(level)} each`;
  const stopped = unfinished ? ' (where its steps stopped: they were not seen to come to an end)' : '';
  const sentence = `${name}: the noise of the reports leaves open (${sure}) that ${risky}${what} ${of(effect)}${stopped}`;
  if (enough) return [sentence];
  const those = players === 1 ? `1 ${who.slice(0, -1)} is` : `${wholeNumber(players)} ${who} are`;
  const few = `${name}: ${those} too few to tell from the reports alone that anything was learnt`;
  if (playersNeeded === null)
    return [
      sentence,
      `${few}, and how many would do cannot be told from an effect that noise alone may have made (ldpkit forecast tells what to expect of more)`,
    ];
  return [
    sentence,
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
  const notes = (run: Run) => sentences(uncertaintyNotes({ ...of(run), uncertainty: run.uncertainty }));
  const [headline, ...others] = [...runs.filter(isHeadline), ...runs.filter((run) => !isHeadline(run))];
  return { certainty: headline === undefined ? [] : notes(headline), elsewhere: others.flatMap(notes) };
}

/** A number of people, up to two digits that count. */
function roundedUp(players: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(players)) - 1);
  const up = Math.ceil(players / unit) * unit;
  return up < 1e15 ? wholeNumber(up) : up.toPrecision(2);
}
