import { ReportError } from '../../src/check/refusal.ts';
import type { Wire } from '../../src/core/contract.ts';
import { createValues, decodeValues, encodeValues, receivedBytes, type Values } from '../../src/core/frame.ts';
import { channelOf } from './channel.ts';
import type { OnlinePlan } from './plan.ts';

/**
 * One player's report.
 *
 * Shape: the noisy gradient (p numbers, or as many as its mechanism has); then, if Hessians are released, a packed
 * lower triangle of p(p + 1)/2.
 */
export interface OnlineReport {
  /** The number of the step that it answers, from 1. */
  step: number;
  readonly values: Values;
}

/** An empty report, to be overwritten. */
export function createOnlineReport(plan: OnlinePlan): OnlineReport {
  return { step: 0, values: createValues(plan.precision, plan.length) };
}

/** Bytes of the step, a double in little-endian order behind the frame. */
const STEP_BYTES = 8;

/**
 * The wire: the frame of the values, then the step. Reports that no player of the plan sends are refused: see
 * `OnlineChannel`.
 */
export const report: Wire<OnlinePlan, OnlineReport> = {
  encode(plan, { step, values }) {
    checkStepNumber(step);
    const frame = encodeValues(plan, plan.precision, plan.length, values);
    const bytes = new Uint8Array(frame.length + STEP_BYTES);
    bytes.set(frame);
    new DataView(bytes.buffer).setFloat64(frame.length, step, true);
    return bytes;
  },
  decode(plan, received) {
    const bytes = receivedBytes(received);
    const end = bytes.length - STEP_BYTES;
    if (end < 0) throw new ReportError(`"report" expected at least ${STEP_BYTES} bytes, got ${bytes.length}`);
    const values = decodeValues(plan, plan.precision, plan.length, bytes.subarray(0, end));
    const step = new DataView(bytes.buffer, bytes.byteOffset + end).getFloat64(0, true);
    checkStepNumber(step);
    channelOf(plan).check(values);
    return { step, values };
  },
};

/**
 * Refuses anything that is not the number of a step.
 *
 * @throws ReportError.
 */
export function checkStepNumber(step: unknown): void {
  if (!(Number.isSafeInteger(step) && (step as number) >= 1)) {
    throw new ReportError('"report" expected the number of a step, a whole number >= 1');
  }
}
