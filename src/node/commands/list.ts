import { jsonText, print, printJson } from '../print.ts';
import { type AnyStudy, allNames, findStudy } from '../studies.ts';
import type { ProtocolCommand } from './answer.ts';
import { answerFor } from './kinds.ts';

const COMMANDS: readonly ProtocolCommand[] = ['run', 'certify', 'audit', 'forecast'];

/** What is known about a protocol before one tries it. */
interface Listed {
  readonly protocol: string;
  /** What kind of study it has; absent if the protocol is in the library only. */
  readonly kind?: AnyStudy['kind'];
  readonly summary?: string;
  readonly variants?: readonly string[];
  /** What each command does for it. */
  readonly commands: { readonly [command in ProtocolCommand]?: string };
}

/** `ldpkit list`: the protocols of this package, with their variants and what each command offers for them. */
export async function list(options: { readonly json?: boolean }): Promise<void> {
  const listed = await Promise.all(allNames().map(async (name) => listedAs(name, await findStudy(name))));
  if (options.json === true) printJson(jsonText(listed));
  else print(listed.flatMap(linesOf));
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

function linesOf({ protocol, kind, summary, variants, commands }: Listed): readonly string[] {
  const offers = Object.entries(commands).map(([name, offered]) => `  ${words(name)}: ${offered}`);
  if (offers.length === 0) return [`${protocol}: in the library only (ldpkit/protocols/${protocol})`];
  // Of a survey the numbers asked for decide which is the best.
  const order = kind === 'survey' ? 'the best by default' : 'best first';
  return [
    `${protocol}${summary === undefined ? '' : `: ${summary}`}`,
    ...(variants === undefined ? [] : [`  variants, ${order}: ${variants.join(', ')}`]),
    ...offers,
  ];
}

// Everything that is certified can be verified.
function words(name: string): string {
  return name === 'certify' ? 'certify, verify' : name;
}
