import { refusal } from '../../check/number.ts';
import { RefusedValue } from '../../check/refusal.ts';
import { type AnyStudy, loadAnyStudy } from '../studies.ts';
import type { Answer, Answers, ProtocolCommand } from './answer.ts';
import { answerFor, reasonFor } from './kinds.ts';
import type { OptionSet } from './options.ts';

/** Options as typed, by their names: a text, or true for a flag. */
export interface Typed {
  readonly [name: string]: string | true;
}

/** A command about one protocol, as typed: the word is its name or its module file. */
export interface Asked {
  readonly word: string;
  readonly study: AnyStudy;
  readonly typed: Typed;
}

/** What an error says was expected, if a protocol does not answer a command. */
const MISSING: { readonly [name in ProtocolCommand]: string } = {
  run: 'one that can be played on records',
  certify: 'one that tells how to certify it',
  audit: 'one that tells how to audit it',
  forecast: 'one that tells how to forecast it',
};

/**
 * The study of a protocol, by its name or its module file, and how it answers a command.
 *
 * @throws RangeError where there is no such protocol, or it does not answer the command.
 */
export async function loadAnswer<Name extends ProtocolCommand>(
  name: Name,
  word: string,
): Promise<{ readonly study: AnyStudy; readonly answer: Answer<AnyStudy, Answers[Name]> }> {
  const study = await loadAnyStudy(word);
  const answer = answerFor(name, study);
  if (answer === undefined) throw new RefusedValue(refusal('protocol', MISSING[name], study.protocol.name));
  return { study, answer };
}

/**
 * The typed values, read by the options of the study, with their defaults.
 *
 * @throws TypeError or RangeError naming an option that the study does not have, or whose text is refused.
 */
export function optionsOf(study: AnyStudy, own: OptionSet, given: Typed): object {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(own, name)) throw new RefusedValue(refusal(name, `none: ${reasonFor(study, name)}`, value));
  }
  const read = Object.entries(own).map(([name, option]) => {
    const typed = given[name];
    const value = typeof typed === 'string' ? option.parseArg?.(typed, undefined) : (typed ?? option.defaultValue);
    return [name, value];
  });
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}
