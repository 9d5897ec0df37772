import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAPER_TITLES, PAPERS, type Paper } from '../../evidence/experiment/experiment.ts';
import { itemsIn, type TheoryItem, type TheoryStatus } from './item.ts';
import { functionsOf, type TheoremTag } from './tags.ts';
import { type NamedValidation, validationsOf } from './validations.ts';

/** A paper and its numbered items. */
export interface MappedPaper {
  /** What `@theorem` and `npm run validate -- --only` call it. */
  readonly key: Paper;
  readonly title: string;
  readonly items: readonly TheoryItem[];
}

/** The five papers, each from its first page to its last: their tables stand beside this file, named by their keys. */
export function theoryMap(root: string): readonly MappedPaper[] {
  return PAPERS.map((key) => {
    const page = readFileSync(join(root, 'test/documentation/theory', `${key}.md`), 'utf8');
    return { key, title: PAPER_TITLES[key], items: itemsIn(page) };
  });
}

/** How often each status occurs. */
function countByStatus(items: readonly TheoryItem[]): ReadonlyMap<TheoryStatus, number> {
  const counts = new Map<TheoryStatus, number>();
  for (const { status } of items) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}

const marked = (mark: string, names: readonly string[]): string => names.map((name) => mark + name + mark).join(', ');
/** The heading of the page on theory; a document that tells of it *so* leads to it in the site. */
export const THEORY_HEADING = 'Theory: every numbered item of the papers';

/** The items of a paper by their status, `3 definition only, 9 printed form refuted`. */
export function statusesOf(items: readonly TheoryItem[]): string {
  return [...countByStatus(items)].map(([status, count]) => `${count} ${status}`).join(', ');
}

/** What the page says of one item. Validations are told of *so*: the site leads from there to their figures. */
function itemLines(
  paper: Paper,
  item: TheoryItem,
  tags: readonly TheoremTag[],
  all: readonly NamedValidation[],
): string[] {
  const { number, section, about, tests, status, note } = item;
  const functions = functionsOf(tags, paper, number);
  const measured = validationsOf(all, paper, number);
  // A symbol at the beginning stays as it is.
  const what = about.replace(/^(?:[a-z](?=[a-z])|a(?= ))/, (letter) => letter.toUpperCase());
  const remark = note === undefined ? '' : `: ${note}`;
  return [
    '',
    `### ${number}`,
    '',
    `${what} (${section}). **${status}**${remark}${remark.endsWith('.') ? '' : '.'}`,
    '',
    ...(functions.length === 0 ? [] : [`- stated by ${marked('`', functions)}`]),
    ...(tests.length === 0 ? [] : [`- tested by ${tests.join(', ')}`]),
    ...(measured.length === 0 ? [] : [`- measured by ${marked('*', measured)}`]),
  ];
}

/** The page of the site on theory, as Markdown: from the map, the tags of the sources and the validations of the protocols. */
export function theoryPage(
  map: readonly MappedPaper[],
  tags: readonly TheoremTag[],
  validations: readonly NamedValidation[],
): string {
  const parts = [
    `# ${THEORY_HEADING}`,
    '',
    'Which function states it, which test checks it, and which validation measures it; in brackets the section or page of the paper.',
    '[How claims are tested and measured](evidence.md#theory) says what the status means, and where this page comes from. Functions are those of',
    'the sources, and for tables and figures the experiments of `npm run reproduce`; tests are paths below test/. `npm run validate -- --only`',
    'takes the key of a paper, an item as it stands here, or the name of a validation. What does not hold as printed: [errata](errata.md).',
  ];
  for (const { key, title, items } of map) {
    parts.push('', `## ${title}`, '', `Key \`${key}\`. ${items.length} items: ${statusesOf(items)}.`);
    for (const item of items) parts.push(...itemLines(key, item, tags, validations));
  }
  return `${parts.join('\n')}\n`;
}
