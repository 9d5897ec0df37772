import { type AnyStudy, allNames, findStudy } from '../studies.ts';
import type { ProtocolCommand } from './answer.ts';
import { answerFor } from './kinds.ts';

const COMMANDS: readonly ProtocolCommand[] = ['run', 'certify', 'audit', 'forecast'];

/** What is known about a protocol before one tries it. */
export interface Listed {
  readonly protocol: string;
  /** What kind of study it has; absent if the protocol is in the library only. */
  readonly kind?: AnyStudy['kind'];
  readonly summary?: string;
  readonly variants?: readonly string[];
  /** What each command does for it. */
  readonly commands: { readonly [command in ProtocolCommand]?: string };
}

/**
 * The protocols of this package, with their variants and what each command offers for them. It loads all studies; the
 * build calls it once, and writes what it found for `ldpkit list`.
 */
export async function listing(): Promise<readonly Listed[]> {
  return Promise.all(allNames().map(async (name) => listedAs(name, await findStudy(name))));
}

function listedAs(protocol: string, study: AnyStudy | undefined): Listed {
  if (study === undefined) return { protocol, commands: {} };
  const commands = COMMANDS.flatMap((name) => {
    const answer = answerFor(name, study);
    if (answer === undefined) return [];
    const { offers } = answer;
    return [[name, typeof offers === 'string' ? offers : offers(study)]];
  });
  const about = study.kind === 'plain' ? {} : { summary: study.summary, variants: study.variants };
  return { protocol, kind: study.kind, ...about, commands: Object.fromEntries(commands) };
}
