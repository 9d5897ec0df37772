/**
 * What a terminal or a reader would obey instead of read: controls, marks that turn the direction of writing or have no width,
 * separators of lines, halves of surrogate pairs.
 */
const OBEYED = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The characters of an outside text that are shown at most. */
const LONGEST = 200;

/**
 * A text in which every character that is obeyed instead of read stands as its six characters `\u202e`, a line feed as
 * `\u000a`. Twice is the same as once, and inside a text of JSON it changes nothing of what the text means.
 */
export function printable(text: string): string {
  return text.replace(OBEYED, (character) => {
    let escaped = '';
    // One beyond U+FFFF is two units, as JSON escapes it.
    for (let i = 0; i < character.length; i++) {
      escaped += `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
    }
    return escaped;
  });
}

/** A text from outside in a message: printable, and the beginning only where it is longer than anybody reads. */
export function brief(text: string, longest: number = LONGEST): string {
  return printable(text.length > longest ? `${text.slice(0, longest)}…` : text);
}
