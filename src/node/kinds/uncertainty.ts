import type { Uncertainty } from '../../simulation/uncertainty.ts';
import { rounded, wholeNumber } from '../figures.ts';
import { doubts, type Verdict } from '../report/verdict.ts';

// What every run says about the noise of the reports, in words: the same sentences for the terminal and the page.

/** A run as far as its uncertainty goes. */
export interface UncertainRun {
  /** Which run, as its sentences begin. */
  readonly name: string;
  /** Who sent reports, as a plural noun: players, or records of a curator. */
  readonly who: string;
  readonly players: number;
  readonly uncertainty: Uncertainty;
  /** A number of the effect as text, with its unit. */
  readonly figure: (value: number) => string;
}

/**
 * The intervals in one sentence, and another one where players are too few, with the number that would do and how it is derived.
 */
export function uncertaintyNotes({ name, who, players, uncertainty, figure }: UncertainRun): readonly string[] {
  const { level, risk, effect, what, enough, playersNeeded } = uncertainty;
  const of = ([low, high]: readonly [number, number], text = figure): string => `${text(low)} to ${text(high)}`;
  const risky = risk === null ? '' : `the risk is ${of(risk, (value) => value.toFixed(3).replace('-', '−'))}, and `;
  const sure = level === null ? 'by twice the forecast error, a rule of thumb' : `${100 * level} % each`;
  const told = `${name}: the noise of the reports leaves open (${sure}) that ${risky}${what} ${of(effect)}`;
  if (enough) return [told];
  const few = `${name}: ${wholeNumber(players)} ${who} are too few to tell from the reports alone that anything was learnt`;
  if (playersNeeded === null)
    return [told, `${few}, and how many would do cannot be told from an effect around 0 or below`];
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
