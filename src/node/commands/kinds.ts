import { refusal } from '../../check/number.ts';
import type { AnyStudy } from '../studies.ts';
import type { ProtocolCommand, StudyKind } from './kind.ts';
import { models } from './kinds/models.ts';
import { plain } from './kinds/plain.ts';
import { points } from './kinds/points.ts';
import { records } from './kinds/records.ts';
import { streams } from './kinds/streams.ts';
import { users } from './kinds/users.ts';

/** How the command line answers for each kind of study. */
const KINDS: { readonly [kind in AnyStudy['kind']]: StudyKind<Extract<AnyStudy, { readonly kind: kind }>> } = {
  records,
  points,
  users,
  stream: streams,
  model: models,
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
  throw new RangeError(refusal('study', `one of the kinds ${Object.keys(KINDS).join(', ')}`, kind));
}

/** How a command is answered for a study; undefined where it is not. */
export function answerFor<Name extends ProtocolCommand>(
  name: Name,
  study: AnyStudy,
): StudyKind<AnyStudy>[Name] | undefined {
  const answer = kindOf(study)[name];
  return answer?.has?.(study) === false ? undefined : answer;
}
