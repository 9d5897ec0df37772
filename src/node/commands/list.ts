import { fileURLToPath } from 'node:url';
import { readJsonDocument } from '../files.ts';
import { jsonText, print, printJson } from '../print.ts';
import { findStudy } from '../studies.ts';
import { allNames, COMMANDS, type CommandStudy, type ProtocolCommand } from '../study.ts';

/** What the build found out about the protocols: see {@link listing}. */
const LISTING: string = fileURLToPath(new URL('./list.json', import.meta.url));

/** `ldpkit list`: the protocols of this package, with their variants and what each command offers for them. */
export async function list(options: { readonly json?: boolean }): Promise<void> {
  const listed = (await readJsonDocument('listing', LISTING)) as readonly Listed[];
  if (options.json === true) printJson(jsonText(listed));
  else print(listed.flatMap(linesOf));
}

function linesOf({ protocol, summary, variants, commands }: Listed): readonly string[] {
  // Everything that is certified can be verified.
  const words = { certify: 'certify, verify' } as { readonly [name: string]: string };
  const offers = Object.entries(commands).map(([name, offered]) => `  ${words[name] ?? name}: ${offered}`);
  if (offers.length === 0) return [`${protocol}: in the library only (ldpkit/protocols/${protocol})`];
  return [
    `${protocol}${summary === undefined ? '' : `: ${summary}`}`,
    ...(variants === undefined ? [] : [`  variants: ${variants.join(', ')}`]),
    ...offers,
  ];
}

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
