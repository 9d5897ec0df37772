import { brief, printable, RefusedKind, RefusedValue } from '../check/refusal.ts';

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
 * @throws TypeError for a document that JSON does not have: it may come from a module file.
 */
export function jsonText(document: unknown, indent: number = 2): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(document, undefined, indent);
  } catch {}
  if (json === undefined)
    throw new RefusedKind('"document" expected what JSON has: no bigint, and nothing inside itself');
  // The remaining line feeds are those between fields: those in texts are escaped already.
  return `${json.split('\n').map(printable).join('\n')}\n`;
}

/** The stream for progress. Only progress moves the cursor, and it makes its texts printable itself. */
export function progressStream(): NodeJS.WriteStream {
  return process.stderr;
}

/** Ends the program when nobody reads its output any more, `ldpkit list | head -1`, or there is no room for it. */
export function endWhenUnread(unfinished: (code: number) => void): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    process.off('exit', unfinished);
    if (code === 'EPIPE') process.exit();
    tell([`ldpkit: "output" expected a file or a pipe that takes what is printed, got ${code}`]);
    process.exit(2);
  });
  // Progress that nobody reads, `2>&1 | head -1`, ends nothing: the result may go elsewhere.
  process.stderr.on('error', () => undefined);
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

/** A question in the place of a value of a schema (`ldpkit schema init`). A person puts the value in its place. */
export interface Question {
  readonly question: string;
  /** A value that was proposed; it counts only when a person writes it in the place of the question. */
  readonly proposed?: number;
}

/** Longest question that is shown, in characters. */
const LONGEST = 400;

type Path = readonly (string | number)[];

/** All questions in a document that nobody has answered, from top to bottom, with what a run says about each. */
export function openQuestions(
  document: unknown,
  path: Path = [],
): readonly { readonly path: Path; readonly refusal: RefusedValue }[] {
  if (typeof document !== 'object' || document === null) return [];
  const { question } = document as Partial<Question>;
  if (typeof question === 'string') {
    const place = path.map((key, i) => (typeof key === 'number' ? `[${key}]` : i === 0 ? key : `.${key}`)).join('');
    const refusal = new RefusedValue(`"${brief(place)}" expected an answer: ${brief(question, LONGEST)}`);
    return [{ path, refusal }];
  }
  const entries = Array.isArray(document) ? [...document.entries()] : Object.entries(document);
  return entries.flatMap(([key, value]) => openQuestions(value, [...path, key]));
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** 10 to an integer power, in the usual notation. */
export function powerOfTen(exponent: number): string {
  const digits = Array.from(String(Math.abs(exponent)), (digit) => SUPERSCRIPTS[Number(digit)]);
  return `10${exponent < 0 ? '⁻' : ''}${digits.join('')}`;
}

/** A positive number of any size in about three digits: 1.25, 222, 3,000,000, 6.64 × 10⁹. */
export function compact(value: number): string {
  if (value >= 1e7 || value < 1e-3) {
    const [mantissa, exponent] = value.toExponential(2).split('e');
    return `${mantissa} × ${powerOfTen(Number(exponent))}`;
  }
  return value >= 100 ? wholeNumber(value) : String(Number(value.toPrecision(3)));
}

/** A count with separated thousands. */
export function wholeNumber(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** A share in per cent, 95 or 99.9, without what rounding leaves of its product with 100. */
export function perCent(share: number): string {
  return `${Number((100 * share).toPrecision(12))} %`;
}

/** A count with its noun: 1 player, 3,000,000 players. */
export function counted(count: number, noun: string): string {
  return `${wholeNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Players with one report each, in words; `sent` is the verb. */
export function reporting(players: number, sent: string = 'sent'): string {
  return `${counted(players, 'player')} who ${sent} one randomized report${players === 1 ? '' : ' each'}`;
}

/** The subject of what every player does. */
export function everyOf(players: number): string {
  return players === 1 ? 'The only player' : `Each of ${counted(players, 'player')}`;
}

/** A number with a typographic minus sign. */
export function signed(value: number): string {
  return String(value).replace('-', '−');
}

/** The same with so many digits after the point; never a minus zero, which would show only the effect of rounding. */
export function rounded(value: number, digits: number): string {
  return value
    .toFixed(digits)
    .replace(/^-(0\.?0*)$/, '$1')
    .replace('-', '−');
}
