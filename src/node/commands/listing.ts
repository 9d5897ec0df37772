import { allNames } from '../modules.ts';
import { findStudy } from '../studies.ts';
import { COMMANDS, type CommandStudy, type ProtocolCommand } from '../study.ts';

/** What is known about a protocol before one tries it. */
export interface Listed {
  readonly protocol: string;
  /** What kind of study it has; absent if the protocol is in the library only. */
  readonly kind?: string;
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

function listedAs(protocol: string, study: CommandStudy | undefined): Listed {
  if (study === undefined) return { protocol, commands: {} };
  const commands = COMMANDS.flatMap((name) => (study[name] === undefined ? [] : [[name, study[name].offers]]));
  const { kind = '', summary, variants } = study;
  const about = summary === undefined ? {} : { summary };
  return {
    ...{ protocol, kind, ...about },
    ...(variants === undefined ? {} : { variants }),
    commands: Object.fromEntries(commands),
  };
}
