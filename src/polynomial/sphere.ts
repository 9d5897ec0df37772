import { entryOf, firstChildren, type Lift, sequenceOf } from './lift.ts';

/**
 * What the moments of vectors of norm 1 know of each other. With ‖v‖ = 1 the trace of sym^k(v) in two indices is sym^{k−2}(v), and
 * T_0 = 1: so every moment T_k = E sym^k(v) has all moments of lower powers of the same parity in it, each measured with noise of its own.
 * `pool` takes the least squares estimate of all of them: linear, without bias where the records have norm 1, and of the least
 * variance that such an estimate can have (Gauss and Markov). With C the trace and Cᵀ its adjoint, T_{J−2i} = C^i·T_J for the highest
 * power J, whose estimate solves Σ_i (Cᵀ)^i·C^i·T_J/σ²_{J−2i} = Σ_i (Cᵀ)^i·T̂_{J−2i}/σ²_{J−2i}; likewise for J − 1.
 * Shape: T_1 … T_J one after the other, the entries of the lift; `noise` has the variance of the noise on an entry of each power, which is
 * independent and the same for all entries of a power.
 */
export interface SphereMoments {
  /** The estimates, given those of the reports, and T_0: 1 for moments, 0 for noise alone. */
  pool(values: Float64Array, noise: Float64Array, constant: number): Float64Array;
  /** The variance of ⟨sym^k(s), T_k⟩, ‖s‖ = 1, after pooling, for k = 1 … J: the same for every direction s. */
  pooledNoise(noise: Float64Array): Float64Array;
}

/** T_0 is known: it counts as measured with this part of the variance of T_2. */
const KNOWN = 1e-6;

/** The matrix has one eigenvalue for each power of a parity, and conjugate gradients take one step for each, and some for rounding. */
const STEPS = 20;

/** The tables of a lift, for its {@link SphereMoments}. Entries are counted from 1; entry 0 is T_0. */
interface Traces {
  /** The entries of power k begin here. */
  readonly starts: Int32Array;
  /** For entry e and coordinate i, at e·p + i: where the monomial times v_i² is, and the factor between the two. */
  readonly places: Int32Array;
  readonly factors: Float64Array;
}

// Every thinning of the moments in a tally needs the same ones.
const known = /* @__PURE__ */ new WeakMap<Lift, Traces>();

export function sphereMoments(lift: Lift): SphereMoments {
  const { dimension: p, degree, size } = lift;
  const traces = known.get(lift) ?? tracesOf(lift);
  known.set(lift, traces);
  const { starts } = traces;
  const chains = [degree, degree - 1].filter((top) => top > 0).map((top) => powersBelow(top));
  /** The weight 1/σ² of each entry of the powers of a chain. */
  const weigh = (chain: readonly number[], noise: Float64Array, x: Float64Array): void => {
    for (const k of chain) {
      const variance = k === 0 ? KNOWN * noise[1] : noise[k - 1];
      for (let entry = starts[k]; entry < starts[k + 1]; entry++) x[entry] /= variance;
    }
  };
  /** The highest power of a chain such that Σ_i (Cᵀ)^i·C^i·x/σ² is the right side, by conjugate gradients; all others are its traces. */
  const solve = (chain: readonly number[], noise: Float64Array, right: Float64Array): Float64Array => {
    const [from, to] = [starts[chain[0]], starts[chain[0] + 1]];
    const dot = (a: Float64Array, b: Float64Array): number => {
      let sum = 0;
      for (let entry = from; entry < to; entry++) sum += a[entry] * b[entry];
      return sum;
    };
    const found = new Float64Array(size + 1);
    const rest = right.slice();
    const direction = right.slice();
    const first = dot(rest, rest);
    for (let step = 0, length = first; step < STEPS && length > 1e-26 * first; step++) {
      const image = new Float64Array(size + 1);
      image.set(direction.subarray(from, to), from);
      contract(traces, p, chain, image);
      weigh(chain, noise, image);
      spread(traces, p, chain, image);
      const along = length / dot(direction, image);
      for (let entry = from; entry < to; entry++) {
        found[entry] += along * direction[entry];
        rest[entry] -= along * image[entry];
      }
      const next = dot(rest, rest);
      for (let entry = from; entry < to; entry++) direction[entry] = rest[entry] + (next / length) * direction[entry];
      length = next;
    }
    contract(traces, p, chain, found);
    return found;
  };
  return {
    pool(values, noise, constant) {
      const pooled = values.slice();
      for (const chain of chains) {
        const right = new Float64Array(size + 1);
        right[0] = constant;
        right.set(values, 1);
        weigh(chain, noise, right);
        spread(traces, p, chain, right);
        const found = solve(chain, noise, right);
        for (const k of chain) {
          if (k > 0) pooled.set(found.subarray(starts[k], starts[k + 1]), starts[k] - 1);
        }
      }
      return pooled;
    },
    pooledNoise(noise) {
      const variances = noise.slice();
      for (const chain of chains) {
        chain.forEach((k, at) => {
          if (k === 0) return;
          // The inverse of the matrix is the covariance of the highest power. The first entry of each power is v_1^k.
          const row = new Float64Array(size + 1);
          row[starts[k]] = 1;
          spread(traces, p, chain.slice(0, at + 1), row);
          variances[k - 1] = solve(chain, noise, row)[starts[k]];
        });
      }
      return variances;
    },
  };
}

/** A power and all below it of the same parity, the highest first: 1 is the last of the odd ones, 0 of the even ones. */
function powersBelow(top: number): readonly number[] {
  return Array.from({ length: (top >> 1) + 1 }, (_, i) => top - 2 * i);
}

/** The lower powers of a chain as traces of the highest one. */
function contract({ starts, places, factors }: Traces, p: number, chain: readonly number[], x: Float64Array): void {
  for (const k of chain.slice(1)) {
    for (let entry = starts[k], at = entry * p; entry < starts[k + 1]; entry++) {
      let sum = 0;
      for (let i = 0; i < p; i++, at++) sum += factors[at] * x[places[at]];
      x[entry] = sum;
    }
  }
}

/** The adjoint of {@link contract}: adds what the lower powers of a chain say to the highest one. */
function spread({ starts, places, factors }: Traces, p: number, chain: readonly number[], x: Float64Array): void {
  for (const k of chain.slice(1).reverse()) {
    for (let entry = starts[k], at = entry * p; entry < starts[k + 1]; entry++) {
      for (let i = 0; i < p; i++, at++) x[places[at]] += factors[at] * x[entry];
    }
  }
}

function tracesOf(lift: Lift): Traces {
  const { dimension: p, degree, offsets, weight } = lift;
  const starts = Int32Array.from({ length: degree + 2 }, (_, k) => (k === 0 ? 0 : 1 + offsets[k - 1]));
  const children = firstChildren(lift);
  const end = degree < 2 ? 0 : starts[degree - 1];
  const places = new Int32Array(end * p);
  const factors = new Float64Array(end * p);
  for (let entry = 0, at = 0; entry < end; entry++) {
    const indices = sequenceOf(lift, entry - 1);
    for (let i = 0; i < p; i++, at++) {
      const place = entryOf(lift, children, Int32Array.of(...indices, i, i).sort());
      places[at] = 1 + place;
      factors[at] = (entry === 0 ? 1 : weight[entry - 1]) / weight[place];
    }
  }
  return { starts, places, factors };
}
