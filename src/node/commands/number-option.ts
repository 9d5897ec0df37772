import { checkWord, refusal } from '../../check/number.ts';
import type { Grade } from '../../core/grade.ts';

/** A decimal number: no hexadecimal, no words, nothing before or after it. */
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * The number in the text of an option. Whether it is in range is for others to say.
 *
 * @throws RangeError naming the option for anything but one decimal number.
 */
export function readNumber(name: string, text: string): number {
  const trimmed = text.trim();
  if (!DECIMAL.test(trimmed)) throw new RangeError(refusal(name, 'a number', text));
  return Number(trimmed);
}

/**
 * The numbers in a list with commas.
 *
 * @throws RangeError naming the option.
 */
export function readNumbers(name: string, text: string): readonly number[] {
  return distinct(
    name,
    text.split(',').map((item) => readNumber(name, item)),
  );
}

/**
 * The words in a list with commas.
 *
 * @throws RangeError naming the option.
 */
export function readWords(name: string, text: string): readonly string[] {
  return distinct(
    name,
    text.split(',').map((item) => item.trim()),
  );
}

/**
 * The grade in the text of an option, `simulation` when it was left out.
 *
 * @throws RangeError for another word.
 */
export function readGrade(text: string | undefined): Grade {
  return checkWord('grade', text ?? 'simulation', ['simulation', 'deployment']);
}

// A value that is there twice would be run twice, and its two results be distinguished by nothing.
function distinct<Value extends string | number>(name: string, values: readonly Value[]): readonly Value[] {
  const twice = values.find((value, index) => values.indexOf(value) < index);
  if (twice !== undefined) throw new RangeError(refusal(name, 'values that are all different', twice));
  return values;
}
