import { describeGuarantee } from '../../privacy/guarantee.ts';
import type { RunDocument } from '../experiment/document.ts';
import { counted } from '../figures.ts';
import { resultTable } from './cells.ts';

/** Columns from this one on hold single numbers, which end in the same place. */
const RIGHT_ALIGNED = 6;

/** A document as lines for a terminal. */
export function formatRun(document: RunDocument): string[] {
  const { title, players, dimension, radius, evaluatedOn, repetitions, runs, epsilon } = document;
  const times = repetitions === 1 ? 'one run' : `mean ± standard deviation of ${repetitions} runs`;
  const { head, rows } = resultTable(document);
  const lines = alignColumns([head, ...rows.map(({ cells }) => cells)]);
  const promised = runs.filter((run) => run.epsilon === epsilon && run.repetition === 1);
  return [
    title,
    `${counted(players, 'player')}, ${counted(dimension, 'feature')}, ${radius === 'automatic' ? '‖w‖ ≤ R, R picked from the reports' : `‖w‖ ≤ ${radius}`}; ${times}`,
    `measured on ${evaluatedOn.description}`,
    '',
    lines[0],
    ...rows.flatMap(({ opens }, index) => (opens ? ['', lines[index + 1]] : [lines[index + 1]])),
    '',
    ...promised.map(
      ({ variant, guarantee, estimate }) =>
        `${variant} at ε = ${epsilon}: ${describeGuarantee(guarantee)}${estimate.plan === undefined ? '' : `; model by server ${estimate.server}`}`,
    ),
    'mean only: degree 0, asked of the same tally, so it costs no further privacy',
  ];
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((cells) => cells[column].length)));
  const align = (cell: string, column: number): string =>
    column < RIGHT_ALIGNED ? cell.padEnd(widths[column]) : cell.padStart(widths[column]);
  return rows.map((cells) => cells.map(align).join('  ').trimEnd());
}
