import { gdpDelta } from 'ldpkit/privacy';
import {
  drawnProbability,
  drawnRecordDelta,
  momentsSigma,
  PRINTED_CONSTANT,
  printedSigma,
} from 'ldpkit/protocols/influence-sgd';

const { ceil, log, sqrt } = Math;

/** The ε claimed. */
export const EPSILON = 1;

/**
 * T = O(log n) single records, as in Theorem 1; T = n², the order that the source of (2) needs; or T = O(log n) steps of all records,
 * where what T such steps come to is known exactly.
 */
export type Regime = 'log' | 'square' | 'batch';

/** One n. Nothing is drawn: every number is exact, or by the moments accountant. */
export type NoiseSetting = { readonly regime: Regime; readonly records: number };

/** For T steps with G = 1. */
export type NoisePart = {
  readonly steps: number;
  /** The δ claimed: n⁻² where T = O(log n) on single records, or else 10⁻⁶. */
  readonly claimed: number;
  /**
   * The exact δ at ε with the noise (2), c = 2√2: of the linear losses of `drawnRecordDelta`, a lower bound of what δ must be, or of T
   * Gaussian releases of the mean gradient.
   */
  readonly delta: number;
  /** P(the record is drawn). */
  readonly drawn: number;
  /** The least c with which that δ is the claimed one. */
  readonly needed: number;
  /** A c with which the moments accountant proves the claim, and the exact δ with it; not for T = n², where n is too small for it. */
  readonly enough?: number;
  readonly corrected?: number;
};

/** Exact numbers of one n. */
export function neededNoise({ regime, records }: NoiseSetting): NoisePart {
  const steps = regime === 'square' ? records * records : ceil(log(records));
  const claimed = regime === 'log' ? records ** -2 : 1e-6;
  const descent = { epsilon: EPSILON, delta: claimed, records, steps, lipschitz: 1 };
  const unit = printedSigma({ ...descent, noiseConstant: 1 });
  const deltaAt = (c: number): number =>
    regime === 'batch'
      ? gdpDelta((2 * sqrt(steps)) / (records * c * unit), EPSILON)
      : drawnRecordDelta({ ...descent, sigma: c * unit });
  let [below, above] = [1e-3, 1];
  while (deltaAt(above) > claimed) above *= 2;
  // δ falls with the noise; 25 halvings leave a relative width of 1e-7.
  for (let i = 0; i < 25; i++) {
    const middle = (below + above) / 2;
    if (deltaAt(middle) > claimed) below = middle;
    else above = middle;
  }
  const batch = regime === 'batch' ? records : 1;
  const enough = regime === 'square' ? undefined : momentsSigma({ ...descent, batch }) / unit;
  return {
    steps,
    claimed,
    delta: deltaAt(PRINTED_CONSTANT),
    drawn: regime === 'batch' ? 1 : drawnProbability({ records, steps }),
    needed: above,
    ...(enough === undefined ? {} : { enough, corrected: deltaAt(enough) }),
  };
}
