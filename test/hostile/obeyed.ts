/** Every character that a terminal obeys or a reader cannot see, by kind, and one of each plane that has such. */
const RANGES: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x2064],
  [0x2066, 0x206f],
  [0xd800, 0xd801],
  [0xdfff, 0xdfff],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
  [0xe0001, 0xe0001],
  [0xe0020, 0xe007f],
];

const OBEYED: ReadonlySet<number> = new Set(
  RANGES.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i)),
);

/** What stands behind a line feed in {@link HOSTILE}: a line of its own if the feed is printed. */
const FORGED = 'FORGED: verified';

/** A text with all of them, sequences that clear a screen and set a title, and a line that somebody else would like to have said. */
export const HOSTILE: string = `\u001b[2J\u009b31m\u001b]0;x\u0007\n${FORGED}\r\n${FORGED}\r${[...OBEYED]
  .map((code) => `a${String.fromCodePoint(code)}`)
  .join('')}`;

/** The same for places that take no NUL and no half of a pair, such as words of a command or names of a file. */
export const HOSTILE_WORD: string = HOSTILE.replace(/[\0\p{Cs}/]/gu, '');

/** What is wrong with a text that was printed: characters that are obeyed, lines that were forged, lines without end. */
export function faultsOf(printed: string, longest: number = 30_000): readonly string[] {
  const lines = printed.replace(/\n$/, '').split('\n');
  const faults = new Set<string>();
  for (const line of lines) {
    if (line.length > longest) faults.add(`a line of ${line.length} characters`);
    if (line.trimStart().startsWith(FORGED)) faults.add('a forged line');
    for (const character of line) {
      const code = character.codePointAt(0) as number;
      if (OBEYED.has(code)) faults.add(`U+${code.toString(16).padStart(4, '0')}`);
    }
  }
  return [...faults];
}
