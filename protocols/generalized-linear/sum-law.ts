import { checkInteger, RefusedValue } from '../../src/check/refusal.ts';
import type { ChannelTally } from '../../src/core/channel.ts';
import { createValues, type FloatValues } from '../../src/core/frame.ts';
import { exactChoice } from '../../src/mechanism/exact-coin.ts';
import { drawAlong, type PrivUnitG, padToSphere, randomizePrivUnitG } from '../../src/mechanism/unit-mechanism.ts';
import { addProducts } from '../../src/numeric/matrix.ts';
import { addRootProduct, type SemidefiniteRoot, semidefiniteRoot } from '../../src/numeric/semidefinite-root.ts';
import { symmetricEigen } from '../../src/optimize/ball.ts';
import { fillPower, type Lift } from '../../src/polynomial/lift.ts';
import {
  addPowers,
  createPowerBlock,
  flushPowers,
  gatherDegree,
  productMatrix,
} from '../../src/polynomial/power-sums.ts';
import { fillNormal, type Random, wishart } from '../../src/random/random.ts';
import {
  type BoundSum,
  type DataMoments,
  layoutOf,
  type MomentNeed,
  type SumLaw,
} from '../../src/simulation/sum-law.ts';
import { checkRecord, type MarginDatum, signedRecord } from './device.ts';
import { channelOf } from './margin/channels.ts';
import { nameOfVector } from './margin/moments.ts';
import type {
  ChannelParameters,
  GaussianParameters,
  LiftedParameters,
  SampledParameters,
} from './margin/parameters.ts';

const { LN2, ceil, floor, max, min, sqrt } = Math;

/**
 * The law of sums of `lifted`, of `sampled`, of `direct` from the third power on, and of `gaussian` at degree 0 and 1.
 *
 * Law: a report of PrivUnitG is (αu + (I − uuᵀ)g)/m. Given the data, (I − uuᵀ)g is Gaussian with covariance I − uuᵀ, since
 * that is a projection, and independent of α. So the sum of n reports is (Σ α_i u_i + G)/m with G ~ N(0, nI − Σ u_i u_iᵀ),
 * exactly: proved in docs/sums.md, with the bound for `sampled`. A tally leaves out the last entry of u, which completes it
 * to the sphere; what is left of u is a polynomial in v, and Σ u_i u_iᵀ is made of the moments of v.
 */
export const marginSums: SumLaw<ChannelParameters, MarginDatum, ChannelTally> = {
  need(parameters) {
    const { variant, grade } = parameters;
    if (grade !== 'simulation') throw new RefusedValue('grade', 'simulation: integer noise has no law of sums', grade);
    const chosen = LAWS[variant];
    if (chosen === undefined) {
      throw new RefusedValue('variant', 'direct, lifted, sampled or gaussian: no other tally is a sum', variant);
    }
    const { task, lift } = parameters as LiftedParameters;
    return { what: nameOfVector(task), dimension: lift.dimension, ...chosen.need(parameters as never) };
  },
  vector(parameters, datum) {
    // Every record passes here once, when the moments are computed: what a player refuses is refused here.
    checkRecord(parameters, datum);
    return signedRecord(parameters as LiftedParameters, datum);
  },
  bind: (parameters, moments, players) => LAWS[parameters.variant]!.bind(parameters as never, moments, players),
};

/** The law of one variant: which moments of the data it needs, and the law for so many players. */
interface VariantLaw<Parameters> {
  need(parameters: Parameters): Pick<MomentNeed, 'degree' | 'all'>;
  bind(parameters: Parameters, moments: DataMoments, players: number): BoundSum<MarginDatum, ChannelTally>;
}

/** Most numbers of one vector whose covariance is written down and factored: seconds, and 50 MB. */
const MOST_NUMBERS = 2500;

/** An empty tally with these sums. */
function tallyOf(parameters: ChannelParameters, players: number, sums: Float64Array): ChannelTally {
  return { kind: 'moments', digest: parameters.digest, players, sums };
}

/** A normal vector with this covariance, times a factor, added to the first entries of `target`. */
function addNormal(root: SemidefiniteRoot, factor: number, random: Random, target: Float64Array): void {
  const g = new Float64Array(root.rank);
  fillNormal(g, random);
  addRootProduct(root, g, factor, target);
}

// The roots that belong to the moments of a data set: the same for every ε and every repetition.
const roots = new WeakMap<DataMoments, Map<string, SemidefiniteRoot>>();

/** Entries of a lift, times their weights; the name stands for all of this. */
interface Entries {
  readonly name: string;
  readonly weights: Float64Array;
  readonly from: number;
  readonly to: number;
}

/** The root of I − Σ u·uᵀ/n over the chosen records, u the entries `from` to `to` − 1 of the lift times their weights. */
function restRoot(moments: DataMoments, { name, weights, from, to }: Entries): SemidefiniteRoot {
  const known = roots.get(moments) ?? new Map<string, SemidefiniteRoot>();
  roots.set(moments, known);
  let root = known.get(name);
  if (root === undefined) {
    const length = to - from;
    const matrix = productMatrix(layoutOf(moments), moments.sums, weights, from, to);
    for (let i = 0; i < length; i++) {
      for (let j = 0; j <= i; j++) matrix[i * length + j] /= -moments.chosen;
      matrix[i * length + i] += 1;
    }
    root = semidefiniteRoot(matrix, length);
    known.set(name, root);
  }
  return root;
}

/** Where multiples of the monomials of some degrees are summed, many vectors at a time. */
interface Multiples {
  /** How many sums there are. */
  readonly size: number;
  /** Adds the monomials of v, times a factor: at the latest with `flush`. */
  add(v: ArrayLike<number>, factor: number, sums: Float64Array): void;
  flush(sums: Float64Array): void;
  /** Writes the sums of one degree, each times its weight, to their entries of the lift, counted from `from` on. */
  gather(sums: Float64Array, power: number, weights: Float64Array): Float64Array;
}

/** The monomials of these degrees; the highest is at most twice that of the lift whose products they are made of. */
function multiplesOf(lift: Lift, degrees: readonly number[]): Multiples {
  const layout = layoutOf({ dimension: lift.dimension, degree: ceil(max(...degrees) / 2) });
  const block = createPowerBlock(layout, degrees);
  return {
    size: layout.size,
    add: (v, factor, sums) => addPowers(layout, v, factor, block, sums),
    flush: (sums) => flushPowers(layout, block, sums),
    gather(sums, power, weights) {
      const from = lift.offsets[power - 1];
      const found = new Float64Array(lift.offsets[power] - from);
      gatherDegree(layout, sums, lift, power, found);
      return found.map((sum, i) => sum * weights[from + i]);
    },
  };
}

const liftedLaw: VariantLaw<LiftedParameters> = {
  need({ lift, degree }) {
    if (lift.size <= MOST_NUMBERS) return { degree: lift.degree, all: true };
    throw new RefusedValue('degree', `a lift of at most ${MOST_NUMBERS} numbers for the law of sums`, degree);
  },
  bind(parameters, moments, players) {
    const { lift, weights, scales } = parameters;
    const mechanism = parameters.mechanism as PrivUnitG;
    checkInteger('moments.degree', moments.degree, lift.degree);
    checkInteger('moments.chosen', moments.chosen, moments.records, moments.records);
    const powers = Array.from({ length: lift.degree }, (_, block) => block + 1);
    const multiples = multiplesOf(lift, powers);
    return {
      size: multiples.size,
      add(datum, copies, random, part) {
        let along = 0;
        for (let copy = 0; copy < copies; copy++) along += drawAlong(mechanism, random);
        multiples.add(signedRecord(parameters, datum), along, part);
        return 0;
      },
      flush: multiples.flush,
      finish(part, random) {
        const sums = new Float64Array(lift.size);
        for (const power of powers) sums.set(multiples.gather(part, power, weights), lift.offsets[power - 1]);
        const root = restRoot(moments, { name: `lifted ${scales}`, weights, from: 0, to: lift.size });
        addNormal(root, sqrt(players), random, sums);
        for (let entry = 0; entry < sums.length; entry++) sums[entry] *= mechanism.scale;
        return { tally: tallyOf(parameters, players, sums), distance: 0 };
      },
    };
  },
};

/**
 * Sums of Gaussian copies z_i = v_i + σg_i and of their products, from Σ v and Σ v·vᵀ alone.
 *
 * Law: an orthogonal map of the n players leaves their g_i independent and normal. One that takes (1, …, 1)/√n to the first
 * player, and what the v have beside their mean to the r next ones, leaves z_1 = Σv/√n + σg_1, noisy copies of the r rows of a
 * root of Σ v·vᵀ − Σv·Σvᵀ/n, and n − 1 − r vectors of noise alone, whose products have Wishart's law. Σz is √n·z_1.
 */
const gaussianLaw: VariantLaw<GaussianParameters> = {
  need({ lift, degree }) {
    if (lift.degree <= 2) return { degree: 1, all: true };
    const why = '0 or 1 for the law of sums of gaussian: above it the tally has third powers of a report';
    throw new RefusedValue('degree', why, degree);
  },
  bind(parameters, moments, players) {
    checkInteger('moments.chosen', moments.chosen, moments.records, moments.records);
    const { lift, sigma } = parameters;
    const { dimension: p, weight } = lift;
    return {
      size: 0,
      add: () => 0,
      flush: () => {},
      finish(_, random) {
        const rows = rotatedPlayers(moments, players);
        const noise = rows.slice();
        fillNormal(noise, random);
        for (let entry = 0; entry < rows.length; entry++) rows[entry] += sigma * noise[entry];
        const sums = new Float64Array(lift.size);
        for (let i = 0; i < p; i++) sums[i] = sqrt(players) * rows[i];
        const drawn = { tally: tallyOf(parameters, players, sums), distance: 0 };
        if (lift.degree === 1) return drawn;
        const products = wishart(p, players - rows.length / p, random).map((product) => sigma * sigma * product);
        addProducts(rows, rows, rows.length, p, products);
        for (let i = 0, entry = p; i < p; i++) {
          for (let j = i; j < p; j++, entry++) {
            const bias = i === j ? players * sigma * sigma : 0;
            sums[entry] = weight[entry] * (products[(j * (j + 1)) / 2 + i] - bias);
          }
        }
        return drawn;
      },
    };
  },
};

/** √n times the mean of the v, and at most n − 1 rows whose products are those of the v without their mean. */
function rotatedPlayers(moments: DataMoments, players: number): Float64Array {
  const { dimension: p, records, sums } = moments;
  // Monomials of degree 1 come first, in the order of the coordinates.
  const mean = sums.subarray(0, p).map((sum) => sum / records);
  const spread = meanSquares(moments).map((square, at) => players * (square - mean[floor(at / p)] * mean[at % p]));
  const { values, vectors } = symmetricEigen(spread, p);
  const rows = new Float64Array((1 + min(p, players - 1)) * p);
  rows.set(mean.map((entry) => sqrt(players) * entry));
  for (let to = p, from = p * p - p; to < rows.length; to += p, from -= p) {
    // Below 0 an eigenvalue is rounding.
    const root = sqrt(max(0, values[from / p]));
    for (let i = 0; i < p; i++) rows[to + i] = root * vectors[from + i];
  }
  return rows;
}

/** Where nothing exact is known, so far may the law of a sum be from that of the reports, in total variation. */
const MOST_DISTANCE = 0.01;

/** The sums of reports of one power each; of the first `made` powers all reports are made. */
const powersLaw = (made: number): VariantLaw<SampledParameters> => ({
  need({ lift: { degree, offsets } }) {
    let powers = 0;
    while (powers < degree && offsets[powers + 1] - offsets[powers] <= MOST_NUMBERS) powers++;
    return { degree: max(1, powers), all: degree === 1 };
  },
  bind(parameters, moments, players) {
    const { lift, limits, length, precision } = parameters;
    const { degree, size, offsets, weight } = lift;
    const mechanisms = parameters.mechanisms as readonly PrivUnitG[];
    const drawn = drawnPowers(parameters, moments, players, made);
    const multiples = drawn.map((law, block) => (law ? multiplesOf(lift, [block + 1]) : undefined));
    // The tally of the reports that are made, with the counts of all powers, and then the monomials of each drawn one.
    const starts = [size + degree];
    for (const one of multiples) starts.push(starts[starts.length - 1] + (one?.size ?? 0));
    // The same for all players of a block.
    let last: { readonly part: Float64Array; readonly parts: readonly Float64Array[] } | undefined;
    const partsOf = (part: Float64Array): readonly Float64Array[] => {
      if (last?.part !== part) {
        last = { part, parts: multiples.map((_, block) => part.subarray(starts[block], starts[block + 1])) };
      }
      return last.parts;
    };
    const along = new Float64Array(degree);
    const raw = new Float64Array(size);
    const unit = new Float64Array(length);
    const report = createValues(precision, length) as FloatValues;
    const { add } = channelOf(parameters);
    const addReport = (block: number, v: Float64Array, random: Random, part: Float64Array): void => {
      fillPower(lift, block + 1, v, raw, unit);
      padToSphere(unit, offsets[block + 1] - offsets[block]);
      randomizePrivUnitG(mechanisms[block], unit, report, random);
      report[length - 1] = block + 1;
      add?.(report, part);
    };
    return {
      size: starts[degree],
      add(datum, copies, random, part) {
        const v = signedRecord(parameters, datum);
        let reports = 0;
        along.fill(0);
        for (let copy = 0; copy < copies; copy++) {
          const block = exactChoice(limits, random);
          if (drawn[block]) {
            along[block] += drawAlong(mechanisms[block], random);
            part[size + block]++;
          } else {
            // This counts the power too.
            addReport(block, v, random, part);
            reports++;
          }
        }
        const parts = partsOf(part);
        for (let block = 0; block < degree; block++) {
          if (along[block] !== 0) multiples[block]?.add(v, along[block], parts[block]);
        }
        return reports;
      },
      flush(part) {
        for (let block = 0; block < degree; block++) multiples[block]?.flush(partsOf(part)[block]);
      },
      finish(part, random) {
        const sums = part.slice(0, size + degree);
        const counts = sums.subarray(size);
        multiples.forEach((one, block) => {
          if (one === undefined) return;
          const [from, to] = [offsets[block], offsets[block + 1]];
          const power = one.gather(partsOf(part)[block], block + 1, weight);
          const root = restRoot(moments, { name: `power ${block + 1}`, weights: weight, from, to });
          addNormal(root, sqrt(counts[block]), random, power);
          for (let entry = from; entry < to; entry++) sums[entry] = power[entry - from] * mechanisms[block].scale;
        });
        const distance = sumDistance({ moments, players, drawn, counts });
        // The powers are chosen so that this holds for all counts but one in 10⁹.
        if (distance > MOST_DISTANCE) throw new RefusedValue('distance', `at most ${MOST_DISTANCE}`, distance);
        return { tally: tallyOf(parameters, players, sums), distance };
      },
    };
  },
});

/** The laws by variant; one without a line has none. Of the reports of v in `direct` the products count too. */
const LAWS: { readonly [variant in ChannelParameters['variant']]?: VariantLaw<never> } = {
  direct: /* @__PURE__ */ powersLaw(2),
  lifted: liftedLaw,
  sampled: /* @__PURE__ */ powersLaw(0),
  gaussian: gaussianLaw,
};

/** Which powers are drawn by their law of sums; reports are made of the others. */
function drawnPowers({ lift, shares }: SampledParameters, moments: DataMoments, players: number, made: number) {
  // All counts but one in 10⁹ are above n·s − 6·√(n·s).
  const counts = shares.map((share) => max(0, players * share - 6 * sqrt(players * share)));
  const { degree, offsets } = lift;
  const drawn = shares.map(() => false);
  if (degree === 1) counts[0] = players;
  for (let block = made; block < min(degree, moments.degree); block++) {
    if (offsets[block + 1] - offsets[block] > MOST_NUMBERS) break;
    drawn[block] = true;
    drawn[block] = sumDistance({ moments, players, drawn, counts }) <= MOST_DISTANCE;
  }
  return drawn;
}

/** What the distance of the law of a sum from that of the reports follows from. */
interface DistanceSetting {
  readonly moments: DataMoments;
  readonly players: number;
  /** Which powers are drawn. */
  readonly drawn: readonly boolean[];
  /** How many players drew each power. */
  readonly counts: ArrayLike<number>;
}

/**
 * A bound on the total variation between the law of the sums of these powers and that of the reports. The normal part of
 * power k has the covariance n_k(I − M) with M of the chosen records, in the place of the M of those who drew k: two means
 * over records chosen at random, each within E‖·‖² ≤ E‖v‖^{4k}/(1 − λ)²·(1/n_k − 1/n) of that of all records, relative to
 * I − M. λ is the largest eigenvalue of the mean of v·vᵀ, which is at least that of every power.
 */
export function sumDistance({ moments, players, drawn, counts }: DistanceSetting): number {
  const { dimension, records, chosen, norms } = moments;
  let drew = 0;
  let left = 0;
  for (let block = 0; block < drawn.length; block++) {
    if (!drawn[block]) continue;
    const fourth = norms[block] / records;
    drew += fourth * without(counts[block], players);
    left += fourth * without(chosen, records);
  }
  if (drew === 0 && left === 0) return 0;
  const room = 1 - symmetricEigen(meanSquares(moments), dimension).values[dimension - 1];
  if (!(room > 1e-9)) return 1;
  return min(1, total(drew / room ** 2) + total(left / room ** 2));
}

/** 1/k − 1/n, times n/(n − 1): the variance of a mean of k of n records, in units of that of one of them. */
function without(k: number, n: number): number {
  return k >= n ? 0 : (n - k) / (k * (n - 1));
}

/**
 * A bound on the mean total variation of two normal laws, from the mean square m of the Frobenius norm of the difference of
 * their covariances relative to one of them. Where that norm is at most ½, x − log(1 + x) ≤ 4(log 2 − ½)x² for every
 * eigenvalue x, and Pinsker's inequality gives √(log 2 − ½) times the norm; it is larger with a probability of at most 4m.
 */
function total(m: number): number {
  return sqrt((LN2 - 0.5) * m) + 4 * m;
}

/** The mean of v·vᵀ over all records, p × p. */
function meanSquares({ dimension, squares, records }: DataMoments): Float64Array {
  const matrix = new Float64Array(dimension * dimension);
  for (let i = 0, k = 0; i < dimension; i++) {
    for (let j = 0; j <= i; j++, k++) matrix[i * dimension + j] = matrix[j * dimension + i] = squares[k] / records;
  }
  return matrix;
}
