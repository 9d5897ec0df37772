import type { Program } from './markdown.ts';

/** An `@example` of a doc comment, and what its comments say that it prints. */
export interface Example extends Program {
  readonly shown: readonly string[];
}

/**
 * The programs of all `@example` blocks of a source. A comment at the end of a line with `console.log(…);` says what this
 * line prints; in a loop it lists the lines of all turns, apart by semicolons.
 *
 * @throws Error for an example that is no `ts` block, or prints something that no comment says.
 */
export function examplesOf(path: string, source: string): readonly Example[] {
  const examples: Example[] = [];
  for (const comment of source.matchAll(/\/\*\*[\s\S]*?\*\//g)) {
    for (const found of comment[0].matchAll(/@example\n([\s\S]*?)(?=\n \*\s*@|\n \*\/)/g)) {
      const line = source.slice(0, comment.index + found.index).split('\n').length;
      const place = `${path}:${line}`;
      const text = found[1].split('\n').map((one) => one.replace(/^ \* ?/, ''));
      if (text[0] !== '```ts' || text.at(-1) !== '```') throw new Error(`${place} expected a ts block after @example`);
      const code = text.slice(1, -1);
      const printing = code.filter((one) => one.includes('console.log('));
      if (printing.length === 0) throw new Error(`${place} prints nothing that could be compared`);
      const shown = printing.flatMap((one) => {
        const said = /; \/\/ (.+)$/.exec(one);
        if (said === null) throw new Error(`${place} expected a comment with what is printed: ${one.trim()}`);
        return said[1].split('; ');
      });
      examples.push({ place, code: code.join('\n'), printed: undefined, shown });
    }
  }
  return examples;
}
