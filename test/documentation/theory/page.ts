import { items as influence } from './influence-sgd.ts';
import type { TheoryItem, TheoryStatus } from './item.ts';
import { items as noninteractive } from './noninteractive.ts';
import { items as inference } from './online-inference.ts';
import { items as nonasymptotic } from './online-nonasymptotic.ts';
import { items as slides } from './user-level-slides.ts';

/** A paper and its numbered items. */
export interface MappedPaper {
  readonly title: string;
  readonly items: readonly TheoryItem[];
}

/** The five papers, each from its first page to its last. */
export const PAPERS: readonly MappedPaper[] = [
  { title: 'Wang, Smith, Xu 2020: noninteractive LDP by polynomial approximation', items: noninteractive },
  {
    title: 'Avella-Medina 2023 (slides): M-estimation, noisy optimization and user-level local privacy',
    items: slides,
  },
  { title: 'Xie, Shi, Jiang, Kong, He: online LDP inference in stochastic gradient descent', items: inference },
  { title: 'Online LDP-SGD: non-asymptotic rates', items: nonasymptotic },
  { title: 'Kang, Li, Liu, Wang: data heterogeneity differential privacy (PIDP-SGD)', items: influence },
];

/** How often each status occurs. */
export function countByStatus(items: readonly TheoryItem[]): ReadonlyMap<TheoryStatus, number> {
  const counts = new Map<TheoryStatus, number>();
  for (const { status } of items) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
const cell = (text: string): string => text.replaceAll('|', '\\|');

/** The page docs/theory.md. */
export function theoryPage(): string {
  const parts = [
    '# Theory: every numbered item of the papers',
    '',
    'Which function states it and which test checks it. Made from test/documentation/theory by `node docs/theory.mjs`; a test fails',
    'when a function or a test named here does not exist, or when this page is not what the map says. Status: *exact* (an identity or',
    'an enumeration), *proved constant* (the bound itself is checked), *measured rate* (the slope is), *coverage* (of intervals),',
    '*definition only* (stated in code, nothing to measure), *printed form refuted* (a test fails for the printed form; see',
    '[errata](errata.md)), *not covered*.',
  ];
  for (const { title, items } of PAPERS) {
    const counts = [...countByStatus(items)].map(([status, count]) => `${count} ${status}`).join(', ');
    parts.push('', `## ${title}`, '', `${items.length} items: ${counts}.`, '');
    parts.push('| item | section | about | functions | tests | status |', '|---|---|---|---|---|---|');
    for (const { number, section, about, functions, tests, status, note } of items) {
      const remark = note === undefined ? status : `${status}: ${note}`;
      parts.push(`| ${[number, section, about, code(functions), tests.join(', '), remark].map(cell).join(' | ')} |`);
    }
  }
  return `${parts.join('\n')}\n`;
}
