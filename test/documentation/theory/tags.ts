import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A line `@theorem <paper> <number>` in the doc comment of something exported. */
export interface TheoremTag {
  /** The key of the paper, as it stands there. */
  readonly paper: string;
  /** The item, as it stands there. */
  readonly number: string;
  /** What the doc comment is of; undefined where nothing exported follows it. */
  readonly name: string | undefined;
  /** The file, from the root of the project, and the line. */
  readonly place: string;
}

// A comment as the formatter leaves it, and what stands on the line below.
const COMMENT = /^( *)\/\*\*(?:.|\n)*?\*\/\n?(.*)/gm;
const EXPORT = /^export (?:async )?(?:function\*?|const|interface|type|class) (\w+)/;

/** The tags of one file. */
export function tagsIn(text: string, file: string): readonly TheoremTag[] {
  const found: TheoremTag[] = [];
  for (const match of text.matchAll(COMMENT)) {
    const [whole, , below] = match;
    const name = EXPORT.exec(below)?.[1];
    const first = text.slice(0, match.index).split('\n').length;
    whole.split('\n').forEach((line, at) => {
      const tag = /@theorem\b *(\S*) *(.*?)(?: *\*\/)?$/.exec(line);
      if (tag) found.push({ paper: tag[1], number: tag[2], name, place: `${file}:${first + at}` });
    });
  }
  return found;
}

/** The tags of the library and of all protocols, file by file. */
export function collectTags(root: string): readonly TheoremTag[] {
  const found: TheoremTag[] = [];
  for (const place of ['src', 'protocols']) {
    const files = readdirSync(join(root, place), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((path) => path.endsWith('.ts')).sort()) {
      const path = `${place}/${file.replaceAll('\\', '/')}`;
      found.push(...tagsIn(readFileSync(join(root, path), 'utf8'), path));
    }
  }
  return found;
}

/** How often `@theorem` stands in the library and in the protocols, in whatever place: every one has to be a tag. */
export function countMentions(root: string): number {
  let count = 0;
  for (const place of ['src', 'protocols']) {
    for (const file of readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })) {
      if (file.endsWith('.ts')) count += readFileSync(join(root, place, file), 'utf8').split('@theorem').length - 1;
    }
  }
  return count;
}

/** The names that state an item, each once, in the order of their files. */
export function functionsOf(tags: readonly TheoremTag[], paper: string, number: string): readonly string[] {
  const names = tags.filter((tag) => tag.paper === paper && tag.number === number).map(({ name }) => name);
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** What a module exports: what it declares, what it passes on by name, and all of what it passes on whole. */
function exportsOf(path: string, seen: Set<string>, names: Set<string>): void {
  if (seen.has(path)) return;
  seen.add(path);
  const text = readFileSync(path, 'utf8');
  for (const line of text.split('\n')) {
    const name = EXPORT.exec(line)?.[1];
    if (name !== undefined) names.add(name);
  }
  for (const [, list] of text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)) {
    for (const part of list.split(',')) {
      const name = part
        .trim()
        .replace(/^type /, '')
        .split(' as ')
        .at(-1)
        ?.trim();
      if (name) names.add(name);
    }
  }
  for (const [, from] of text.matchAll(/^export \* from '(\.[^']*)'/gm))
    exportsOf(join(dirname(path), from), seen, names);
}

/** Every name that the package exports, from any of its entries. */
export function publicNames(root: string): ReadonlySet<string> {
  const protocols = readdirSync(join(root, 'protocols')).map((name) => `protocols/${name}/index.ts`);
  const names = new Set<string>();
  for (const entry of ['src/index.ts', 'src/node/index.ts', 'src/risk/expression/index.ts', ...protocols]) {
    if (existsSync(join(root, entry))) exportsOf(join(root, entry), new Set(), names);
  }
  return names;
}

/** Tables and figures are computed by experiments, which the command line runs and nobody imports. */
export const EXPERIMENTS: RegExp = /\/reproductions\/|\/noisy-fit\//;
