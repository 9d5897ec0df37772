import { fileURLToPath } from 'node:url';
import { readJsonDocument } from '../files.ts';
import { jsonText, print, printJson } from '../print.ts';
import type { Listed } from './listing.ts';

/** What the build found out about the protocols: see `listing`. */
const LISTING: string = fileURLToPath(new URL('./listing.json', import.meta.url));

/** `ldpkit list`: the protocols of this package, with their variants and what each command offers for them. */
export async function list(options: { readonly json?: boolean }): Promise<void> {
  const listed = (await readJsonDocument('listing', LISTING)) as readonly Listed[];
  if (options.json === true) printJson(jsonText(listed));
  else print(listed.flatMap(linesOf));
}

function linesOf({ protocol, summary, variants, commands }: Listed): readonly string[] {
  const offers = Object.entries(commands).map(([name, offered]) => `  ${words(name)}: ${offered}`);
  if (offers.length === 0) return [`${protocol}: in the library only (ldpkit/protocols/${protocol})`];
  return [
    `${protocol}${summary === undefined ? '' : `: ${summary}`}`,
    ...(variants === undefined ? [] : [`  variants: ${variants.join(', ')}`]),
    ...offers,
  ];
}

// Everything that is certified can be verified.
function words(name: string): string {
  return name === 'certify' ? 'certify, verify' : name;
}
