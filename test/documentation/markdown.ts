/** A fenced block of code in a document. */
export interface Block {
  /** The first line of its code, counted from 1. */
  readonly line: number;
  /** The words after the opening fence, such as `ts` or `ts continued`. */
  readonly mark: string;
  readonly code: string;
  /** Only blank lines separate it from the block before. */
  readonly follows: boolean;
}

/** A program of a document: a `ts` block with the `ts continued` blocks that go on with it. */
export interface Program {
  /** Where it stands, such as `README.md:12`. */
  readonly place: string;
  readonly code: string;
  /** What a `text` block right below says it prints, if there is one. */
  readonly printed: string | undefined;
}

/** Other names of what `ts` marks: code under them would never be tried. */
const MISNOMERS = /^(?:typescript|tsx|js|javascript|jsx|mjs|cjs|mts|cts|node)$/i;

/** The fenced blocks of a document. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: { fence: string; mark: string; line: number; lines: string[]; follows: boolean } | undefined;
  let follows = false;
  text.split('\n').forEach((line, index) => {
    const [, fence, mark] = /^ {0,3}(`{3,}|~{3,}) *(.*?)\s*$/.exec(line) ?? [];
    if (open === undefined) {
      if (fence !== undefined) open = { fence, mark, line: index + 2, lines: [], follows };
      else if (line.trim() !== '') follows = false;
    } else if (fence?.startsWith(open.fence) && mark === '') {
      const { lines, ...rest } = open;
      blocks.push({ line: rest.line, mark: rest.mark, follows: rest.follows, code: lines.join('\n') });
      follows = true;
      open = undefined;
    } else {
      open.lines.push(line);
    }
  });
  if (open !== undefined) throw new Error(`the block of line ${open.line} is never closed`);
  return blocks;
}

/**
 * The programs of a document.
 *
 * @throws Error for code that could not be tried: an unknown mark, a continuation of nothing.
 */
export function programsOf(path: string, text: string): Program[] {
  const programs: { place: string; code: string; printed: string | undefined }[] = [];
  let before: Block | undefined;
  for (const block of blocksOf(text)) {
    const place = `${path}:${block.line}`;
    const [language, ...words] = block.mark.split(/\s+/);
    const last = programs.at(-1);
    if (MISNOMERS.test(language))
      throw new Error(`${place} is marked ${language}: mark code "ts", so that it is tried`);
    if (language === 'ts') {
      if (words.length === 0) {
        programs.push({ place, code: block.code, printed: undefined });
      } else if (words.join(' ') === 'continued' && last !== undefined && last.printed === undefined) {
        last.code += `\n${block.code}`;
      } else {
        throw new Error(`${place} has the mark "${block.mark}": expected "ts", or "ts continued" after a program`);
      }
    } else if (language === 'text' && block.follows && before?.mark.startsWith('ts') && last !== undefined) {
      last.printed = block.code;
    }
    before = block;
  }
  return programs;
}

/** The targets of the links and pictures of a document, without those that lead to the web. */
export function linksOf(text: string): string[] {
  const prose = proseOf(text);
  const targets: string[] = [];
  for (const [, target] of prose.matchAll(/\]\(\s*<?([^()\s>]+)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/g))
    targets.push(target);
  for (const [, target] of prose.matchAll(/^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)/gm)) targets.push(target);
  for (const [, target] of prose.matchAll(/<(?:a|img)\b[^>]*\b(?:href|src)=["']([^"']+)["']/g)) targets.push(target);
  return targets.filter((target) => !/^[a-z][a-z0-9+.-]*:/i.test(target));
}

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf(text: string): string[] {
  const anchors: string[] = [];
  for (const [, heading] of withoutFences(text).matchAll(/^ {0,3}#{1,6} +(.*?)[ #]*$/gm)) {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = words.replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-');
    const same = anchors.filter((other) => other === anchor || other.replace(/-\d+$/, '') === anchor).length;
    anchors.push(same === 0 ? anchor : `${anchor}-${same}`);
  }
  return anchors;
}

function withoutFences(text: string): string {
  let prose = text;
  for (const { code } of blocksOf(text)) if (code !== '') prose = prose.replace(code, () => '');
  return prose;
}

function proseOf(text: string): string {
  return withoutFences(text).replace(/(`+)[^`]+?\1/g, '');
}
