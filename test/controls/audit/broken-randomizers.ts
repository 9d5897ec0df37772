import type { AuditedPlayer } from '../../../src/audit/target.ts';
import type { AuditPair } from '../../../src/core/contract.ts';
import { type Guarantee, gdp, pure } from '../../../src/privacy/guarantee.ts';
import {
  bernoulli,
  fillSphere,
  laplace,
  normal,
  type Random,
  uniform,
  uniformInteger,
} from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

/** A player of a vector of numbers without parameters. */
export type Randomizer = AuditedPlayer<undefined, readonly number[], Float32Array | Float64Array>;

/** A mistake somebody has made or could make, beside the player that does not make it. */
export interface BrokenRandomizer {
  /** The mistake. */
  readonly what: string;
  /** What both players claim. */
  readonly claimed: Guarantee;
  readonly pair: AuditPair<readonly number[]>;
  readonly broken: Randomizer;
  readonly honest: Randomizer;
  /** Part of what the audit must name as its evidence. */
  readonly evidence?: string;
  /** Reports that show the mistake, where 20 000 do not: it happens to few of them. */
  readonly trials?: number;
}

type Sampler = (datum: readonly number[], random: Random) => ArrayLike<number>;

/** In single precision, which hides the last bits of noise in double precision. */
const single = (sample: Sampler): Randomizer => ({
  randomize: (_, datum, random) => Float32Array.from(sample(datum, random)),
});

const double = (sample: Sampler): Randomizer => ({
  randomize: (_, datum, random) => Float64Array.from(sample(datum, random)),
});

const antipodal: AuditPair<readonly number[]> = { name: 'antipodal', first: [0.6, 0, 0.8], second: [-0.6, 0, -0.8] };
const ends: AuditPair<readonly number[]> = { name: 'ends', first: [-1], second: [1] };

/** v + σg. */
const gaussian =
  (sigma: number): Sampler =>
  (datum, random) =>
    datum.map((entry) => entry + sigma * normal(random));

/** μ = 1 for the unit ball. */
const GAUSSIAN = { claimed: gdp(1), pair: antipodal, honest: single(gaussian(2)) };

/** Two copies of v that are μ-private together. */
const copies = (mu: number): Sampler => {
  const copy = gaussian(2 / mu);
  return (datum, random) => [...Array.from(copy(datum, random)), ...Array.from(copy(datum, random))];
};

/** The inverse of the distribution function on a grid of doubles: what Mironov showed to leak. */
const textbookLaplace: Sampler = ([datum], random) => {
  const u = uniform(random) - 0.5;
  return [datum - Math.sign(u) * Math.log(1 - 2 * Math.abs(u))];
};

/** The keep probability that spends ε on a cap of probability ¹⁄₁₀ of the sphere of R³, ⟨V, u⟩ ≥ 0.8. */
const capKeep = (epsilon: number): number => 1 / (1 + 9 * Math.exp(-epsilon));

/** A direction in the cap of u or outside, by rejection; after `tries` the direction itself. */
const cap =
  (keep: number, tries: number): Sampler =>
  (unit, random) => {
    const inside = bernoulli(keep, random);
    const direction = new Float64Array(3);
    for (let i = 0; i < tries; i++) {
      fillSphere(direction, random);
      const along = direction[0] * unit[0] + direction[1] * unit[1] + direction[2] * unit[2];
      if (along >= 0.8 === inside) return direction;
    }
    return unit;
  };

/** One of k categories, kept with a probability, otherwise any other. */
const category =
  (k: number, keep: number): Sampler =>
  ([datum], random) => [bernoulli(keep, random) ? datum : (datum + 1 + uniformInteger(k - 1, random)) % k];

/** Noise for the third call is new, for the second that of the first: two players share it. */
function cached(): Randomizer {
  let kept: number[] | undefined;
  return single((datum, random) => {
    const noise = kept ?? datum.map(() => normal(random));
    kept = kept === undefined ? noise : undefined;
    return datum.map((entry, i) => entry + 2 * noise[i]);
  });
}

/** Players whose claims do not hold. */
export const brokenRandomizers: readonly BrokenRandomizer[] = [
  { what: 'noise of a scale divided by 1.25', ...GAUSSIAN, broken: single(gaussian(2 / 1.25)) },
  {
    what: 'noise for a sensitivity of 1 where it is 2',
    claimed: pure(1),
    pair: ends,
    broken: single(([datum], random) => [datum + laplace(1, random)]),
    honest: single(([datum], random) => [datum + laplace(2, random)]),
  },
  {
    what: 'one coordinate without noise',
    ...GAUSSIAN,
    broken: single((datum, random) => [...Array.from(gaussian(2)(datum, random)).slice(0, 2), datum[2]]),
  },
  {
    what: 'the same coin for two coordinates',
    ...GAUSSIAN,
    broken: single((datum, random) => {
      const noise = [normal(random), normal(random)];
      return datum.map((entry, i) => entry + 2 * noise[i % 2]);
    }),
  },
  {
    what: 'the same coin for two coordinates, with opposite signs',
    ...GAUSSIAN,
    broken: single((datum, random) => {
      const noise = [normal(random), normal(random)];
      return datum.map((entry, i) => entry + 2 * (i === 2 ? -noise[0] : noise[i]));
    }),
  },
  {
    what: 'a seed used for every report',
    ...GAUSSIAN,
    broken: single((datum) => gaussian(2)(datum, seededRandom('fixed'))),
  },
  {
    what: 'noise kept for the next player',
    ...GAUSSIAN,
    broken: cached(),
    evidence: 'of two reports with one source',
  },
  {
    what: 'the whole budget for each of two copies',
    claimed: gdp(1),
    pair: antipodal,
    broken: single(copies(1)),
    honest: single(copies(Math.SQRT1_2)),
  },
  {
    what: 'Laplace noise by the textbook, at a fixed input',
    claimed: pure(1),
    pair: { name: 'zero and one', first: [0], second: [1] },
    broken: double(textbookLaplace),
    // On a grid that is coarse beside the last bits, the same noise.
    honest: double((datum, random) => [Math.round(textbookLaplace(datum, random)[0] * 1024) / 1024]),
    evidence: 'last bits of z[0]',
  },
  {
    what: 'a limit of retries that releases the input',
    trials: 100_000,
    claimed: pure(2),
    pair: antipodal,
    broken: single(cap(capKeep(2), 40)),
    honest: single(cap(capKeep(2), Infinity)),
    evidence: 'repeated values',
  },
  {
    what: 'the keep probability of randomized response for a cap of another size',
    claimed: pure(1),
    pair: antipodal,
    broken: single(cap(1 / (1 + Math.exp(-1)), Infinity)),
    honest: single(cap(capKeep(1), Infinity)),
  },
  {
    what: 'the keep probability of two categories for four',
    claimed: pure(1),
    pair: { name: 'two categories', first: [0], second: [1] },
    broken: double(category(4, 1 / (1 + Math.exp(-1)))),
    honest: double(category(4, 1 / (1 + 3 * Math.exp(-1)))),
  },
];
