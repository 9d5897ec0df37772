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
