import type { Reproduction } from '../../simulation/reproduction.ts';
import { counted } from '../figures.ts';
import type { ExperimentDocument } from './experiment-run.ts';

/** A table as lines for a terminal: columns aligned, notes below. */
export function tableLines({ title, columns, rows, notes }: Reproduction): readonly string[] {
  const cells = [columns, ...rows];
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const aligned = cells.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
  return [title, '', ...aligned, '', ...notes];
}

/** An experiment as lines for a terminal. */
export function experimentLines(document: ExperimentDocument): readonly string[] {
  const { title, source, claims, tables, scale, seed, effort } = document;
  const { computed, reused, unfit, seconds, threads } = effort;
  return [
    title,
    source,
    `scale ${scale}, seed ${seed}; ${counted(computed, 'part')} computed in ${seconds} s on ${counted(threads, 'thread')}` +
      (reused > 0 ? `, ${reused} taken from an earlier run` : '') +
      (unfit > 0 ? `; ${unfit} kept by another version or with another seed, or damaged, were computed again` : ''),
    ...tables.flatMap((table) => ['', ...tableLines(table)]),
    ...(claims.length > 0 ? ['', 'asked and measured'] : []),
    ...claims.map(({ asked, measured, met }) => `${met ? 'met   ' : 'MISSED'} ${asked}: ${measured}`),
  ];
}
