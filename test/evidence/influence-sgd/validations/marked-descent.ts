import { seededRandom } from 'ldpkit';
import { fillNormal, fillSphere, uniformInteger } from 'ldpkit/mechanism';

const { ceil, log } = Math;

/** m. */
export const DIMENSION = 3;
/** k, the records that call for noise. */
const MARKED = 20;

/** Noise for k of n records, in every step, or for k of n where labels have errors. */
export type Kind = 'marked' | 'all' | 'errors';

/** What a kind is in words, in which share of the steps of n records noise is added, and the standard deviation of the labels. */
export interface Marking {
  readonly label: string;
  readonly share: (records: number) => number;
  readonly deviation: number;
}

/** Which steps have noise. */
export const KINDS: Readonly<Record<Kind, Marking>> = {
  marked: { label: `noise for k = ${MARKED} of n`, share: (n) => MARKED / n, deviation: 0 },
  all: { label: 'noise in every step', share: () => 1, deviation: 0 },
  errors: { label: `noise for k = ${MARKED} of n, labels with errors of .5`, share: (n) => MARKED / n, deviation: 0.5 },
};

/** Descents for n records. */
export type MarkedSetting = { readonly kind: Kind; readonly records: number; readonly runs: number };

/** The mean excess risk of these descents. */
export type MarkedPart = { readonly excess: number };

/** σ, without its factor √log n. */
export const sigmaOf = (records: number): number => 3 / records;
/** T. */
export const stepsOf = (records: number): number => ceil(10 * log(records));

/**
 * Linear regression y = ⟨θ*, x⟩ + error on records of the sphere, so that E xxᵀ = I/m: from a distance of 1, T = O(log n) steps of
 * 1/L = 1 on single records, k of n of which bring noise. A record is drawn afresh, as from all of an unlimited data set.
 */
export function descendMarked({ kind, records, runs }: MarkedSetting, index: number, seed: string): MarkedPart {
  const random = seededRandom(`${seed} theorem 6 ${kind} ${records} ${index}`);
  const { share, deviation } = KINDS[kind];
  const noisedBelow = share(records) * records;
  const sigma = sigmaOf(records);
  const steps = stepsOf(records);
  const x = new Float64Array(DIMENSION);
  const noise = new Float64Array(DIMENSION);
  const error = new Float64Array(1);
  const off = new Float64Array(DIMENSION);
  let excess = 0;
  for (let run = 0; run < runs; run++) {
    off.fill(0);
    off[0] = 1;
    for (let t = 0; t < steps; t++) {
      fillSphere(x, random);
      let slope = 0;
      for (let j = 0; j < DIMENSION; j++) slope += off[j] * x[j];
      if (deviation > 0) {
        fillNormal(error, random);
        slope -= deviation * error[0];
      }
      const noised = uniformInteger(records, random) < noisedBelow;
      if (noised) fillNormal(noise, random);
      for (let j = 0; j < DIMENSION; j++) off[j] -= slope * x[j] + (noised ? sigma * noise[j] : 0);
    }
    for (let j = 0; j < DIMENSION; j++) excess += (off[j] * off[j]) / (2 * DIMENSION) / runs;
  }
  return { excess };
}

/** E‖θ_T − θ*‖²/(2m) by its recursion: a step takes 1/m of the squared distance, and the two noises add theirs. */
export function exactExcess({ kind, records }: MarkedSetting): number {
  const { share, deviation } = KINDS[kind];
  let square = 1;
  for (let t = 0; t < stepsOf(records); t++) {
    square += deviation ** 2 + share(records) * DIMENSION * sigmaOf(records) ** 2 - square / DIMENSION;
  }
  return square / (2 * DIMENSION);
}
