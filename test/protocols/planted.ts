import type { MarginDatum } from '../../protocols/generalized-linear/device.ts';
import { type HingeParameters, hinge } from '../../protocols/hinge/index.ts';
import type { ChannelTally } from '../../src/core/channel.ts';
import { normal } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { simulate } from '../../src/simulation/runner.ts';

/** Labelled records in one direction: x = y·s·u + noise, s uniform on a grid, cut back to the ball. */
export interface Planted {
  readonly players: number;
  readonly dimension: number;
  /** The direction, of norm 1. */
  readonly direction: Float64Array;
  readonly features: Float32Array;
  readonly labels: Int8Array;
  readonly names: readonly string[];
}

/** A separable population: E y⟨u, x⟩ = 0.6, and hardly a record on the wrong side. */
export function planted(players: number, dimension: number): Planted {
  const random = seededRandom(`planted ${dimension}`);
  const direction = Float64Array.from({ length: dimension }, (_, i) => [0.8, -0.6][i] ?? 0);
  if (dimension === 1) direction[0] = 1;
  const features = new Float32Array(players * dimension);
  const labels = new Int8Array(players);
  for (let i = 0; i < players; i++) {
    labels[i] = i % 2 === 0 ? -1 : 1;
    const length = 0.4 + (0.4 * ((i * 7919) % 1000)) / 1000;
    const x = direction.map((entry) => labels[i] * length * entry + 0.15 * normal(random));
    const norm = Math.max(1, 1.0001 * Math.hypot(...x));
    for (let j = 0; j < dimension; j++) features[i * dimension + j] = x[j] / norm;
  }
  return { players, dimension, direction, features, labels, names: [] };
}

/** Record i; the object is the same for every call. */
export function recordsOf({ dimension, features, labels }: Planted): (index: number) => MarginDatum {
  const record = { features: new Float64Array(dimension), label: 0 };
  return (index) => {
    for (let j = 0; j < dimension; j++) record.features[j] = features[index * dimension + j];
    record.label = labels[index];
    return record;
  };
}

/** The tally of all players' reports. */
export function tallyOf(parameters: HingeParameters, data: Planted, seed: string): ChannelTally {
  return simulate(hinge, parameters, { players: data.players, datum: recordsOf(data) }, { seed });
}

/** The mean of f(y⟨w, x⟩) over the records. */
export function meanOf(data: Planted, w: ArrayLike<number>, f: (t: number) => number): number {
  const { players, dimension, features, labels } = data;
  let sum = 0;
  for (let i = 0; i < players; i++) {
    let t = 0;
    for (let j = 0; j < dimension; j++) t += w[j] * features[i * dimension + j];
    sum += f(labels[i] * t);
  }
  return sum / players;
}
