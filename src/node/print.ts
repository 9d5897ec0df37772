import { brief, printable } from '../check/printable.ts';

/** Characters of a line that are shown at most: more than any line of this program has, however long its lists. */
const LONGEST_LINE = 4000;

/**
 * Prints lines to the standard output. What is between them is this program's own, what is in them may come from anywhere: a line
 * feed in a name stays within its line, as `\u000a`.
 */
export function print(lines: readonly string[]): void {
  process.stdout.write(joined(lines));
}

/** Prints lines to the standard error. */
export function tell(lines: readonly string[]): void {
  process.stderr.write(joined(lines));
}

/** Prints a text that {@link jsonText} made. */
export function printJson(json: string): void {
  process.stdout.write(json);
}

/**
 * A document as JSON with a line feed behind: the values as they are, and whatever a terminal would obey escaped, as JSON
 * allows. On one line if `indent` is 0.
 */
export function jsonText(document: unknown, indent: number = 2): string {
  // A line feed that is left is one between fields: those in texts are escaped already.
  return `${JSON.stringify(document, undefined, indent).split('\n').map(printable).join('\n')}\n`;
}

/** Where progress goes, which alone moves the cursor; its texts are made printable there. */
export function progressStream(): NodeJS.WriteStream {
  return process.stderr;
}

/** Ends the program where nobody reads on: `ldpkit list | head -1`. */
export function endWhenUnread(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => `${brief(line, LONGEST_LINE)}\n`).join('');
}

/** Rows of cells as lines: columns before `left` begin in the same place, the others end there. */
export function aligned(rows: readonly (readonly string[])[], left: number = Infinity): string[] {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((cells) => cells[column].length)));
  const align = (cell: string, column: number): string =>
    column < left ? cell.padEnd(widths[column]) : cell.padStart(widths[column]);
  return rows.map((cells) => cells.map(align).join('  ').trimEnd());
}
