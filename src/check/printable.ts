/**
 * Characters that a terminal obeys instead of showing: control characters, marks that change the direction of writing
 * or have no width, line separators, halves of surrogate pairs.
 */
const OBEYED = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The largest number of characters shown of a text from outside. */
const LONGEST = 200;

/**
 * A text in which every character of `OBEYED` is replaced by its six-character escape, for example `\u202e`, or
 * `\u000a` for a line feed. A second call changes nothing more, and inside a JSON text the meaning stays the same.
 */
export function printable(text: string): string {
  return text.replace(OBEYED, (character) => {
    let escaped = '';
    // A character beyond U+FFFF is two units, as JSON escapes it.
    for (let i = 0; i < character.length; i++) {
      escaped += `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
    }
    return escaped;
  });
}

/** A text from outside in a message: printable, and only its beginning where it is too long. */
export function brief(text: string, longest: number = LONGEST): string {
  return printable(text.length > longest ? `${text.slice(0, longest)}…` : text);
}
