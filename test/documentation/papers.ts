/** What a page of papers names, and how it is looked up. */
export interface PapersWorld {
  readonly names: ReadonlySet<string>;
  readonly variants: ReadonlySet<string>;
  readonly protocols: ReadonlySet<string>;
  readonly reproductions: ReadonlySet<string>;
  readonly validations: ReadonlySet<string>;
  readonly options: (command: string, subject: string) => ReadonlySet<string>;
  readonly exists: (path: string) => boolean;
}

/** The cells of the rows of all tables, without headings. */
export function rowsOf(page: string): readonly (readonly string[])[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| item '))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

/** What is wrong with a command, or undefined. */
function wrongCommand(words: readonly string[], world: PapersWorld): string | undefined {
  const [, command, subject] = words;
  const known = world.options(command, subject);
  if (known.size === 0) return `no command ${command}`;
  if (['run', 'certify', 'audit', 'forecast'].includes(command) && !world.protocols.has(subject)) {
    return `no protocol ${subject}`;
  }
  if (command === 'reproduce' && !world.reproductions.has(subject)) return `no reproduction ${subject}`;
  for (const [i, word] of words.entries()) {
    if (!word.startsWith('--')) continue;
    if (!known.has(word)) return `no option ${word} of ${command}`;
    if (word === '--variant' && !world.variants.has(`${subject} ${words[i + 1]}`)) return `no variant ${words[i + 1]}`;
    if (word === '--only' && !world.validations.has(words[i + 1])) return `no validation ${words[i + 1]}`;
  }
  return undefined;
}

/** The words of a command of the package, `ldpkit certify hinge`, or of the checkout, `npm run validate -- --only slides`. */
function wordsOf(token: string): readonly string[] | undefined {
  const ofCheckout = /^npm run (.*)$/.exec(token)?.[1].replace(/^(\S+) --(?= |$)/, '$1');
  const words = ofCheckout === undefined ? token : `ldpkit ${ofCheckout}`;
  return words.startsWith('ldpkit ') ? words.split(' ') : undefined;
}

/** What is wrong with a row. */
export function wrongsOf(row: readonly string[], world: PapersWorld): readonly string[] {
  if (row.length !== 7) return [`${row[0]}: ${row.length} cells`];
  const found: string[] = row.flatMap((cell, i) => (/\p{L}/u.test(cell) ? [] : [`${row[0]}: cell ${i} is empty`]));
  for (const cell of row) {
    for (const [, token] of cell.matchAll(/`([^`]+)`/g)) {
      const words = wordsOf(token);
      if (words !== undefined) {
        const wrong = wrongCommand(words, world);
        if (wrong !== undefined) found.push(`${row[0]}: ${wrong}`);
      } else if (/^[a-z]+\//.test(token)) {
        if (!['', '.long'].some((kind) => world.exists(`test/${token}${kind}.test.ts`)))
          found.push(`${row[0]}: no test ${token}`);
      } else if (!token.startsWith('--') && !known(token, world)) found.push(`${row[0]}: nothing is called ${token}`);
    }
    for (const [path] of cell.replace(/`[^`]*`/g, '').matchAll(/(?:src|protocols|test)\/[\w./-]+\.(?:ts|mjs)/g)) {
      if (!world.exists(path)) found.push(`${row[0]}: no file ${path}`);
    }
  }
  return found;
}

function known(token: string, { names, validations, variants }: PapersWorld): boolean {
  return names.has(token) || validations.has(token) || [...variants].some((variant) => variant.endsWith(` ${token}`));
}
