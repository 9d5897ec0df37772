import { RefusedTogether, refusedBy } from './refused.ts';

/** The messages of a refusal: one, or several where several mistakes are told together. */
export function partsOf(error: Error): readonly string[] {
  return error instanceof RefusedTogether ? error.parts : [error.message];
}

/** The error of some refusals: the only one itself, or all of them together. */
export function asOne(refusals: readonly Error[]): Error {
  return refusals.length === 1 ? refusals[0] : new RefusedTogether(refusals.flatMap(partsOf));
}

/**
 * The results of all steps. Every step is tried, also after one that refuses something.
 *
 * @throws the refusals of all steps together, or at once an error that is no refusal.
 */
export function allOf<Result>(steps: readonly (() => Result)[]): readonly Result[] {
  const results: Result[] = [];
  const refusals: Error[] = [];
  for (const step of steps) {
    try {
      results.push(step());
    } catch (error) {
      if (!(error instanceof Error) || refusedBy(error) === undefined) throw error;
      refusals.push(error);
    }
  }
  if (refusals.length > 0) throw asOne(refusals);
  return results;
}
