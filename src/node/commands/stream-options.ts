import { refusal } from '../../check/number.ts';
import type { RunOptions } from './run-options.ts';

/** Options of `ldpkit run` that only streams have. */
export const STREAM_OPTIONS = [
  'mu',
  'hessianMu',
  'method',
  'level',
  'hessianFloor',
  'alpha',
  'gamma',
  'burnIn',
  'ndjson',
  'save',
  'resume',
] as const;

/**
 * Refuses options of streams for a protocol that is none.
 *
 * @throws RangeError naming the first of them.
 */
export function refuseStreamOptions(protocol: string, options: RunOptions): void {
  for (const name of STREAM_OPTIONS) {
    if (options[name] !== undefined) {
      throw new RangeError(refusal(name, `none: ${protocol} is no stream of players`, options[name]));
    }
  }
}
