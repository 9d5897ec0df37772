import { momentsSigma } from '../moments.ts';
import { PRINTED_CONSTANT, printedSigma } from '../parameters.ts';
import { drawnProbability, drawnRecordDelta } from '../theory.ts';

const { ceil, log } = Math;

/** The budget claimed. */
export const BUDGET: { readonly epsilon: number; readonly delta: number } = { epsilon: 1, delta: 1e-6 };

/** T = O(log n), as in Theorem 1, or T = n², the order that the source of (2) needs. */
export type Regime = 'log' | 'square';

/** One n. Nothing is drawn: every number is exact, or by the moments accountant. */
export type NoiseSetting = { readonly regime: Regime; readonly records: number };

/** For T steps on single records with G = 1. */
export type NoisePart = {
  readonly steps: number;
  /** The exact δ at ε with the noise (2), c = 2√2, of the linear losses of `drawnRecordDelta`: a lower bound of what δ must be. */
  readonly delta: number;
  /** P(the record is drawn). */
  readonly drawn: number;
  /** The least c with which that δ is the claimed one. */
  readonly needed: number;
  /** A c with which the moments accountant proves the claim, for the drawn subsets of the first regime, and the δ with it. */
  readonly enough?: number;
  readonly corrected?: number;
};

/** Exact numbers of one n. */
export function neededNoise({ regime, records }: NoiseSetting): NoisePart {
  const steps = regime === 'log' ? ceil(log(records)) : records * records;
  const descent = { ...BUDGET, records, steps, lipschitz: 1 };
  const unit = printedSigma({ ...descent, noiseConstant: 1 });
  const deltaAt = (c: number): number => drawnRecordDelta({ ...descent, sigma: c * unit });
  let [below, above] = [1e-3, 1];
  while (deltaAt(above) > BUDGET.delta) above *= 2;
  // δ falls with the noise; 25 halvings leave a relative width of 1e-7.
  for (let i = 0; i < 25; i++) {
    const middle = (below + above) / 2;
    if (deltaAt(middle) > BUDGET.delta) below = middle;
    else above = middle;
  }
  const enough = regime === 'log' ? momentsSigma({ ...descent, batch: 1 }) / unit : undefined;
  return {
    steps,
    delta: deltaAt(PRINTED_CONSTANT),
    drawn: drawnProbability({ records, steps }),
    needed: above,
    ...(enough === undefined ? {} : { enough, corrected: deltaAt(enough) }),
  };
}
