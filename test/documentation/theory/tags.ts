import { sourcesIn } from '../importable.ts';

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

/** Where tags stand: in the library, in the protocols and in the evidence. */
const PLACES = ['src', 'protocols', 'test/evidence'];

/** The tags of the library, of all protocols and of the evidence, file by file. */
export function collectTags(root: string): readonly TheoremTag[] {
  return [...sourcesIn(root, PLACES)].flatMap(([path, text]) => tagsIn(text, path));
}

/** How often `@theorem` stands in these places, wherever: every one has to be a tag. */
export function countMentions(root: string): number {
  return [...sourcesIn(root, PLACES).values()].join().split('@theorem').length - 1;
}

/** The names that state an item, each once, in the order of their files. */
export function functionsOf(tags: readonly TheoremTag[], paper: string, number: string): readonly string[] {
  const names = tags.filter((tag) => tag.paper === paper && tag.number === number).map(({ name }) => name);
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** Tables and figures are computed by experiments, which commands of a checkout run. */
export const EXPERIMENTS: RegExp = /^test\/evidence\//;
