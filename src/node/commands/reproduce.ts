import { refusal } from '../../check/number.ts';
import type { Reproduction } from '../../simulation/reproduction.ts';
import { loadAnyStudy, protocolNames } from '../studies.ts';

/**
 * `ldpkit reproduce`: a table of a paper computed again, with the parts of all protocols that contribute to it.
 *
 * @throws RangeError for a name that no protocol contributes to.
 */
export async function reproduce(name: string, options: { readonly json?: boolean }): Promise<void> {
  const parts: { readonly protocol: string; readonly part: Reproduction }[] = [];
  const known = new Set<string>();
  for (const protocol of protocolNames()) {
    const { reproductions = {} } = await loadAnyStudy(protocol);
    for (const key of Object.keys(reproductions)) known.add(key);
    if (Object.hasOwn(reproductions, name)) parts.push({ protocol, part: reproductions[name]() });
  }
  if (parts.length === 0) throw new RangeError(refusal('name', `one of ${[...known].sort().join(', ')}`, name));
  const text =
    options.json === true
      ? JSON.stringify({ name, parts: parts.map(({ protocol, part }) => ({ protocol, ...part })) }, undefined, 2)
      : parts.map(({ protocol, part }) => lines(protocol, part).join('\n')).join('\n\n\n');
  process.stdout.write(`${text}\n`);
}

function lines(protocol: string, { title, columns, rows, notes }: Reproduction): string[] {
  const cells = [columns, ...rows];
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  return [
    `${protocol}: ${title}`,
    '',
    ...cells.map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    ),
    '',
    ...notes,
  ];
}
