/** How deep values may lie in each other: many times what any document of this program has, and no risk to any stack. */
const DEEPEST = 100;

/** What is wrong with a text that should be JSON; the words of a refusal. */
export type JsonFault = 'JSON' | 'JSON without a key that an object has twice' | 'JSON nested at most 100 deep';

/** A value of JSON, or what was expected instead. */
export type ParsedJson = { readonly value: unknown } | { readonly fault: JsonFault };

/**
 * Parses JSON of which no object has a key twice: readers differ in which of the two counts, and so two people would read two
 * documents. Time and memory are proportional to the text. What is wrong is told without quoting the text, which may be private.
 */
export function parseJson(text: string): ParsedJson {
  try {
    // Before the parser, which would build whatever depth there is.
    const fault = structureFault(text);
    return fault === undefined ? { value: JSON.parse(text) } : { fault };
  } catch {
    return { fault: 'JSON' };
  }
}

const [QUOTE, BACKSLASH, COLON] = [34, 92, 58];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** Looks at braces and keys only; whether the rest is JSON is for the parser to say. */
function structureFault(text: string): JsonFault | undefined {
  // The keys of the objects that are open, `undefined` for a list.
  const open: (Set<string> | undefined)[] = [];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === OPEN_OBJECT || unit === OPEN_LIST) {
      if (open.length === DEEPEST) return 'JSON nested at most 100 deep';
      open.push(unit === OPEN_OBJECT ? new Set() : undefined);
    } else if (unit === CLOSE_OBJECT || unit === CLOSE_LIST) open.pop();
    else if (unit === QUOTE) {
      const start = i + 1;
      let escaped = false;
      for (i = start; i < text.length && text.charCodeAt(i) !== QUOTE; i++) {
        if (text.charCodeAt(i) !== BACKSLASH) continue;
        escaped = true;
        i++;
      }
      const keys = open.at(-1);
      // In an object a text before a colon is a key, and no other is.
      if (keys === undefined || text.charCodeAt(afterSpace(text, i + 1)) !== COLON) continue;
      const spelt = text.slice(start, i);
      const key: string = escaped ? JSON.parse(`"${spelt}"`) : spelt;
      if (keys.has(key)) return 'JSON without a key that an object has twice';
      keys.add(key);
    }
  }
  return undefined;
}

function afterSpace(text: string, from: number): number {
  let i = from;
  while (i < text.length && ' \t\n\r'.includes(text[i])) i++;
  return i;
}
