import { counted } from 'ldpkit/node';
import type { ExperimentClaim } from 'ldpkit/testing';
import type { Reproduction } from '../experiment/experiment.ts';
import type { DocumentOrigin, ExperimentDocument, ExperimentEffort } from './experiment-run.ts';

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

/** How a computation went, in a line. */
export function effortLine({ scale, seed }: DocumentOrigin, effort: ExperimentEffort): string {
  const { computed, reused, unfit, seconds, threads } = effort;
  return (
    `scale ${scale}, seed ${seed}; ${counted(computed, 'chunk')} computed in ${seconds} s on ${counted(threads, 'thread')}` +
    (reused > 0 ? `, ${reused} taken from an earlier run` : '') +
    (unfit > 0 ? `; ${unfit} kept by another version or with another seed, or damaged, were computed again` : '')
  );
}

/** What was asked and measured, in a line. */
export function claimLine({ asked, measured, met, undecided }: ExperimentClaim): string {
  const outcome = met ? 'met   ' : undecided === true ? 'open  ' : 'MISSED';
  return `${outcome} ${asked}: ${measured}`;
}

/** An experiment as lines for a terminal. */
export function experimentLines(document: ExperimentDocument): readonly string[] {
  const { title, source, claims, tables, effort } = document;
  return [
    title,
    source,
    effortLine(document, effort),
    ...tables.flatMap((table) => ['', ...tableLines(table)]),
    ...(claims.length > 0 ? ['', 'asked and measured'] : []),
    ...claims.map(claimLine),
  ];
}
