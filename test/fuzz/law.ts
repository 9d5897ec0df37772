import { ReportError } from '../../src/check/refusal.ts';
import type { Trial } from './trial.ts';
import type { Wrapped } from './wrapping.ts';

/** What a decoder made of something: a report, or a refusal; and what is wrong with that, if anything is. */
export interface Verdict {
  readonly accepted: boolean;
  readonly complaint?: string;
}

const REFUSED: Verdict = { accepted: false };

const sameBytes = (left: Uint8Array, right: Uint8Array): boolean => Buffer.compare(left, right) === 0;

/** The ℓ₂ norm of what a tally of one report holds: its sums, or the report. */
function tallyNorm({ sums, values }: { readonly sums?: Float64Array; readonly values?: ArrayLike<number> }): number {
  const content = sums ?? values ?? [];
  let squared = 0;
  for (let i = 0; i < content.length; i++) squared += content[i] ** 2;
  return Math.sqrt(squared);
}

/**
 * The law of the trust boundary. Whatever is received, decode throws a ReportError, or returns the one report that encodes to
 * these bytes: finite, of the right length, with nothing of the buffer it came from, within its influence.
 */
export function judge({ protocol, parameters }: Trial, { given, bytes }: Wrapped): Verdict {
  const before = bytes?.slice();
  let report: unknown;
  try {
    report = protocol.report.decode(parameters, given as Uint8Array);
  } catch (error) {
    return error instanceof ReportError ? REFUSED : { accepted: false, complaint: `threw ${String(error)}` };
  }
  const complaint = complaintOf();
  return complaint === undefined ? { accepted: true } : { accepted: true, complaint };

  function complaintOf(): string | undefined {
    if (bytes === undefined || before === undefined) return 'accepted what is not a Uint8Array';
    if (!sameBytes(bytes, before)) return 'changed the bytes';
    // A report of `defineProtocol` is its values.
    const values = (report as { values?: Float64Array }).values ?? (report as Float64Array);
    for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) return `accepted the value ${values[i]}`;
    if (values.buffer === (bytes.buffer as ArrayBuffer)) return 'kept a view of the bytes';
    let again: Uint8Array;
    try {
      again = protocol.report.encode(parameters, report);
    } catch (error) {
      return `accepted what cannot be encoded: ${String(error)}`;
    }
    if (!sameBytes(again, bytes)) return 'accepted, but not what was sent';
    const tally = protocol.server.empty(parameters);
    protocol.server.add(parameters, tally, report);
    const influence = protocol.theory.influence?.(parameters);
    if (influence === undefined) return undefined;
    const { bound, reportNorm } = influence;
    const moved = tallyNorm(tally);
    // Sums are moved by no more than the bound, a tally that keeps reports by no more than the largest report.
    const most = tally.kind === 'reports' ? reportNorm : bound;
    return moved <= most * (1 + 1e-9) ? undefined : `moved the tally by ${moved}, more than ${most}`;
  }
}
