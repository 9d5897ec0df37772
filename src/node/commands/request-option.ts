import { refusal } from '../../check/number.ts';
import type { PlainRequest } from '../../core/contract.ts';
import { readJsonDocument } from '../document-file.ts';
import { parseJson } from '../json-text.ts';

/**
 * The request in an option: an object of JSON, or the path of a file with one.
 *
 * @throws TypeError or RangeError for anything else.
 */
export async function readRequest(text: string | undefined): Promise<PlainRequest> {
  if (text === undefined) throw new RangeError(refusal('request', EXPECTED, 'none'));
  const value = text.trimStart().startsWith('{') ? parsed(text) : await readJsonDocument('request', text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as PlainRequest;
  throw new TypeError(refusal('request', EXPECTED, value));
}

const EXPECTED = 'an object of JSON, or a file with one, of which the protocol makes parameters';

function parsed(text: string): unknown {
  const found = parseJson(text);
  if ('fault' in found) throw new RangeError(refusal('request', `an object of ${found.fault}`, text));
  return found.value;
}
