/** What is wrong with a refused value: it is of another kind, or of the right kind and yet not allowed. */
export type Refused = 'kind' | 'value';

/** A value of the right kind is refused, and the message names it. It is a RangeError, and calls itself so. */
export class RefusedValue extends RangeError {
  /** Tells a refusal from an error of the language, also one by another copy of this package. */
  get refused(): Refused {
    return 'value';
  }
}

/** A value of the wrong kind is refused, and the message names it. It is a TypeError, and calls itself so. */
export class RefusedKind extends TypeError {
  /** Tells a refusal from an error of the language, also one by another copy of this package. */
  get refused(): Refused {
    return 'kind';
  }
}

/** What an error refuses; undefined for an error that is no refusal, as are those that the language throws. */
export function refusedAs(error: unknown): Refused | undefined {
  const refused = error instanceof Error ? (error as { readonly refused?: unknown }).refused : undefined;
  return refused === 'kind' || refused === 'value' ? refused : undefined;
}

/** A report that the parameters in force cannot have produced: damaged, truncated, or of another protocol. */
export class ReportError extends Error {
  override readonly name: string = 'ReportError';
}

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
