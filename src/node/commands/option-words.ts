import { INTERVAL_METHODS, type IntervalMethod } from '../../../protocols/online-sgd/estimate.ts';
import { ReportError } from '../../check/report-error.ts';

/** The options of the fields that are called otherwise in the library, or in one word. */
const OPTIONS: Readonly<Record<string, string>> = {
  decay: 'alpha',
  rate: 'gamma',
  state: 'resume',
  burnIn: 'burn-in',
  hessianFloor: 'hessian-floor',
  hessianMu: 'hessian-mu',
};

/** `random-scaling` of `random scaling`: a word that a shell takes without quotes. */
export function typedMethod(method: IntervalMethod): string {
  return method.replaceAll(' ', '-');
}

/** What refuses a field of the library, in the words of the options that the field came from. */
export function inOptionWords(message: string): string {
  const [opening, field] = /^"([A-Za-z]+)"/.exec(message) ?? ['', ''];
  if (field === '') return message;
  const option = Object.hasOwn(OPTIONS, field) ? OPTIONS[field] : field;
  const rest = message.slice(opening.length);
  // Elsewhere these words may be part of the name of a file.
  return `"${option}"${field === 'method' ? inMethodWords(rest) : rest}`;
}

// The longest first: one of them ends as another does.
const LONGEST_FIRST: readonly IntervalMethod[] = [...INTERVAL_METHODS].sort((a, b) => b.length - a.length);

function inMethodWords(text: string): string {
  return LONGEST_FIRST.reduce((words, method) => words.replaceAll(method, typedMethod(method)), text);
}

/** A command whose refusals name what was typed. */
export function namingOptions<Words extends readonly unknown[]>(
  command: (...words: Words) => Promise<void>,
): (...words: Words) => Promise<void> {
  return async (...words) => {
    try {
      await command(...words);
    } catch (error) {
      if (error instanceof TypeError || error instanceof RangeError || error instanceof ReportError) {
        error.message = inOptionWords(error.message);
      }
      throw error;
    }
  };
}
