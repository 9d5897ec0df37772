import { brief, printable } from '../check/refusal.ts';

/** Longest line that is shown, in characters: longer than any line of this program, however long its lists are. */
const LONGEST_LINE = 4000;

/**
 * Prints lines to the standard output. The line breaks are this program's own, but the text of a line may come from
 * anywhere. So a line feed in a name stays within its line, as `\u000a`.
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
 * A document as JSON, followed by a line feed. The values are unchanged, but characters that a terminal would obey are
 * escaped, as JSON allows. It is on one line if `indent` is 0.
 */
export function jsonText(document: unknown, indent: number = 2): string {
  // The remaining line feeds are those between fields: those in texts are escaped already.
  return `${JSON.stringify(document, undefined, indent).split('\n').map(printable).join('\n')}\n`;
}

/** The stream for progress. Only progress moves the cursor, and it makes its texts printable itself. */
export function progressStream(): NodeJS.WriteStream {
  return process.stderr;
}

/** Ends the program when nobody reads its output any more: `ldpkit list | head -1`. */
export function endWhenUnread(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => `${brief(line, LONGEST_LINE)}\n`).join('');
}

/** Rows of cells as lines: columns before `left` are aligned on the left, the others on the right. */
export function aligned(rows: readonly (readonly string[])[], left: number = Infinity): string[] {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((cells) => cells[column].length)));
  const align = (cell: string, column: number): string =>
    column < left ? cell.padEnd(widths[column]) : cell.padStart(widths[column]);
  return rows.map((cells) => cells.map(align).join('  ').trimEnd());
}
