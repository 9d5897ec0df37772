/**
 * The word of a list that somebody may have meant by a mistyped one: the same but for case and marks, or at most two
 * letters inserted, left out, exchanged or swapped, in a word that is long enough. Undefined where none is near, and for
 * a word of the list.
 */
export function meantBy(typed: string, words: Iterable<string>): string | undefined {
  const bare = letters(typed);
  let best: string | undefined;
  let least = Math.min(2, Math.floor(bare.length / 3)) + 1;
  for (const word of words) {
    const distance = letters(word) === bare ? 0 : changes(bare, letters(word));
    if (distance < least) [best, least] = [word, distance];
  }
  return best === typed ? undefined : best;
}

function letters(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** The least number of insertions, deletions, exchanges and swaps of neighbours between two words. */
function changes(one: string, other: string): number {
  // Far apart in length means far apart, and words of any length cost nothing.
  if (Math.abs(one.length - other.length) > 2) return Infinity;
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      row[j] = Math.min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + same);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) {
        row[j] = Math.min(row[j], rows[i - 2][j - 2] + 1);
      }
    }
    rows.push(row);
  }
  return rows[one.length][other.length];
}
