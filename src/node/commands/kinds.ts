import { RefusedValue } from '../../check/refusal.ts';
import { models } from '../kinds/models.ts';
import { plain } from '../kinds/plain.ts';
import { points } from '../kinds/points.ts';
import { records } from '../kinds/records.ts';
import { streams } from '../kinds/streams.ts';
import { surveys } from '../kinds/surveys.ts';
import { users } from '../kinds/users.ts';
import { type AnyStudy, loadAnyStudy } from '../studies.ts';
import type { Answer, Answers, ProtocolCommand, StudyKind } from './answer.ts';
import type { OptionSet } from './options.ts';

/** How the command line answers for each kind of study. */
const KINDS: { readonly [kind in AnyStudy['kind']]: StudyKind<Extract<AnyStudy, { readonly kind: kind }>> } = {
  records,
  points,
  users,
  stream: streams,
  model: models,
  survey: surveys,
  plain,
};

/** All of them, in the order of the help. */
export const ALL_KINDS: readonly StudyKind<never>[] = Object.values(KINDS) as StudyKind<never>[];

/**
 * The kind of a study.
 *
 * @throws RangeError for a study of no known kind, which a module file may export.
 */
export function kindOf<Of extends AnyStudy>({ kind }: Of): StudyKind<Of> {
  if (Object.hasOwn(KINDS, kind)) return KINDS[kind] as unknown as StudyKind<Of>;
  throw new RefusedValue('study', `one of the kinds ${Object.keys(KINDS).join(', ')}`, kind);
}

/** How a command is answered for a study, with the options of this study; undefined if the study lacks the command. */
export function answerFor<Name extends ProtocolCommand>(
  name: Name,
  study: AnyStudy,
): Answer<AnyStudy, Answers[Name]> | undefined {
  const answer = kindOf(study)[name] as Answer<AnyStudy, Answers[Name]> | undefined;
  if (answer === undefined || answer.has?.(study) === false) return undefined;
  const without = answer.without?.(study) ?? [];
  const options = Object.entries(answer.options).filter(([option]) => !without.includes(option));
  return { ...answer, options: Object.fromEntries(options) };
}

type Reason = (protocol: string, study: AnyStudy) => string;

/** Whether the budget of a study is μ. */
const inMu = (study: AnyStudy): boolean => study.kind === 'model' && study.budget === 'mu';

/** Options that only one kind of protocols has, and what the other kinds say about them. */
const REASONS: Readonly<Record<string, Reason>> = {
  ...reasons(['server', 'decoder'], () => 'it is for linear models from noisy copies of records'),
  ...reasons(
    [
      'hessianMu',
      'method',
      'level',
      'hessianFloor',
      'alpha',
      'gamma',
      'burnIn',
      'average',
      'ndjson',
      'save',
      'resume',
      'model',
    ],
    (protocol) => `${protocol} is no stream of players`,
  ),
  ...reasons(['tau', 'bandwidth', 'clip'], (protocol) => `${protocol} is no stream of players`),
  ...reasons(['mu', 'epsilon'], (protocol, study) => `the budget of ${protocol} is in ${inMu(study) ? 'μ' : 'ε'}`),
  ...reasons(['delta'], (protocol, study) => `the budget of ${protocol} is ${inMu(study) ? 'in μ' : 'pure'}`),
  ...reasons(['profile', 'player', 'players', 'samples', 'spread'], (protocol, study) =>
    study.kind === 'model' && study.setting === 'central'
      ? `in ${protocol} a curator holds single records`
      : 'it is for players with several samples',
  ),
  ...reasons(
    ['part', 'workers'],
    (protocol) => `in ${protocol} one player comes after the other, so that nothing can be done apart`,
  ),
  ...reasons(['round'], (protocol) => `${protocol} has no rounds`),
  ...reasons(['waves'], (protocol) => `${protocol} has no waves`),
  ...reasons(['request'], (protocol) => `parameters of ${protocol} are made from its options`),
};

/** Why an option that a study does not have is refused: the end of `expected none: …`. */
export function reasonFor(study: AnyStudy, option: string): string {
  const { name } = study.protocol;
  // A protocol without a study has only one option for its request, whatever options others have.
  if (study.kind === 'plain' || !Object.hasOwn(REASONS, option)) return kindOf(study).lacks(name);
  return REASONS[option](name, study);
}

function reasons(names: readonly string[], reason: Reason) {
  return Object.fromEntries(names.map((name) => [name, reason]));
}

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
  if (answer === undefined) throw new RefusedValue('protocol', MISSING[name], study.protocol.name);
  return { study, answer };
}

/**
 * The typed values, read by the options of the study, with their defaults.
 *
 * @throws TypeError or RangeError naming an option that the study does not have, or whose text is refused.
 */
export function optionsOf(study: AnyStudy, own: OptionSet, given: Typed): object {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(own, name)) throw new RefusedValue(name, `none: ${reasonFor(study, name)}`, value);
  }
  const read = Object.entries(own).map(([name, option]) => {
    const typed = given[name];
    const value = typeof typed === 'string' ? option.parseArg?.(typed, undefined) : (typed ?? option.defaultValue);
    return [name, value];
  });
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}
