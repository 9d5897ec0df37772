import type { Wire } from '../../src/protocol/contract.ts';
import { createValues, decodeValues, encodeValues, type Values } from '../../src/protocol/frame.ts';
import type { HingeParameters } from './parameters.ts';

/**
 * One player's report: dense numbers in the precision of the wire, so that encoding loses nothing.
 *
 * Shape, by maker: `lifted`, the randomized lifted vector with its padding; `gaussian`, the noisy v; `printed` and
 * `copies`, copy after copy, each the noisy x and then the noisy y.
 */
export interface HingeReport {
  /** As many numbers as the parameters' `length`. */
  readonly values: Values;
}

/** A zeroed report to write into. */
export function createReport(parameters: HingeParameters): HingeReport {
  return { values: createValues(parameters.precision, parameters.length) };
}

/** The report as bytes: see the frame in src/protocol. */
export function encode(parameters: HingeParameters, report: HingeReport): Uint8Array {
  return encodeValues(parameters, parameters.precision, parameters.length, report.values);
}

/**
 * The report in the bytes.
 *
 * @throws ReportError for anything that these parameters cannot have produced.
 */
export function decode(parameters: HingeParameters, bytes: Uint8Array): HingeReport {
  return { values: decodeValues(parameters, parameters.precision, parameters.length, bytes) };
}

/** The wire of the hinge protocol. */
export const report: Wire<HingeParameters, HingeReport> = { encode, decode };
