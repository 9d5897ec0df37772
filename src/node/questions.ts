import { brief, RefusedValue } from '../check/refusal.ts';

/**
 * A question in the place of a value of a schema, as `ldpkit schema init` writes it. A person answers it by putting the
 * value there, a number or a text, in the place of the whole object.
 */
export interface Question {
  readonly question: string;
  /** A value that was proposed; it counts only when a person writes it in the place of the question. */
  readonly proposed?: number;
}

/** A question that nobody has answered. */
export interface OpenQuestion {
  readonly path: readonly (string | number)[];
  /** What a run says about it. */
  readonly refusal: RefusedValue;
}

/** Longest question that is shown, in characters. */
const LONGEST = 400;

/** All questions in a document, from top to bottom. */
export function openQuestions(document: unknown, path: readonly (string | number)[] = []): readonly OpenQuestion[] {
  if (typeof document !== 'object' || document === null) return [];
  if (isQuestion(document)) {
    const place = path.map((key, i) => (typeof key === 'number' ? `[${key}]` : i === 0 ? key : `.${key}`)).join('');
    const asked = brief(document.question, LONGEST);
    return [{ path, refusal: new RefusedValue(`"${brief(place)}" expected an answer: ${asked}`) }];
  }
  const entries = Array.isArray(document) ? [...document.entries()] : Object.entries(document);
  return entries.flatMap(([key, value]) => openQuestions(value, [...path, key]));
}

function isQuestion(value: object): value is Question {
  return typeof (value as { readonly question?: unknown }).question === 'string';
}
