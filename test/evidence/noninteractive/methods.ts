import { seededRandom } from 'ldpkit';
import type { MarginLoss } from 'ldpkit/optimize';
import {
  copies,
  type GeneralizedLinearParameters,
  generalizedLinear,
  lifted,
  printed,
} from 'ldpkit/protocols/generalized-linear';
import { simulate } from 'ldpkit/simulate';
import { bernsteinModel } from './bernstein.ts';
import { chebyshevModel } from './chebyshev-oracle.ts';
import { directionsOf, linesModel, netModel } from './nets.ts';
import type { People } from './population.ts';

/** R. */
const RADIUS = 1;

/** δ of the methods that are not pure. */
const DELTA = 1e-6;

/** One collection to be answered. */
export interface Question {
  readonly people: People;
  readonly loss: MarginLoss;
  readonly epsilon: number;
  readonly seed: string;
}

/** A method with everything chosen. */
export interface Tuning {
  readonly label: string;
  readonly model: (question: Question) => Float64Array;
}

/** A way to learn from one report of each player. */
export interface Method {
  readonly name: string;
  readonly pure: boolean;
  readonly ours: boolean;
  /** What it may be given; a table has the best of them in hindsight. */
  readonly tunings: (dimension: 1 | 2 | 3) => readonly Tuning[];
}

/** Degrees k of the polynomials and iterations h, for one, two and three features. */
const BERNSTEIN: readonly (readonly (readonly [number, number])[])[] = [
  [
    [1, 1],
    [2, 1],
    [2, 2],
    [4, 2],
    [8, 3],
  ],
  [
    [1, 1],
    [2, 1],
    [2, 2],
    [4, 2],
    [6, 3],
  ],
  [
    [1, 1],
    [2, 1],
    [2, 2],
    [3, 2],
    [4, 2],
  ],
];

/** Numbers of lines, and levels of the tree over each. */
const LINES: readonly { readonly counts: readonly number[]; readonly levels: readonly number[] }[] = [
  { counts: [1], levels: [2, 3, 4, 5] },
  { counts: [4, 8], levels: [2, 3, 4] },
  { counts: [6, 12], levels: [2, 3] },
];

const bernstein = (answering: 'all' | 'one-bit') => (dimension: number) =>
  BERNSTEIN[dimension - 1].map(
    ([degree, iterations]): Tuning => ({
      label: `k ${degree}, h ${iterations}`,
      model: ({ people, loss, epsilon, seed }) =>
        bernsteinModel(
          { dimension, radius: RADIUS, degree, iterations },
          loss,
          { epsilon, answering },
          people.records,
          seededRandom(seed),
        ),
    }),
  );

const own = (
  degrees: readonly number[],
  make: (request: { epsilon: number; degree: number; dimension: number }) => GeneralizedLinearParameters,
) =>
  degrees.map(
    (degree): Tuning => ({
      label: `d ${degree}`,
      model({ people: { population, direction }, loss, epsilon, seed }) {
        const parameters = make({ epsilon, degree, dimension: direction.length });
        const tally = simulate(generalizedLinear, parameters, population, { seed });
        return generalizedLinear.server.estimate(parameters, tally, { loss, radius: RADIUS }).w;
      },
    }),
  );

/** The rows of the comparison, by key. */
export const METHODS: Readonly<Record<string, Method>> = {
  lifted: { name: 'lifted (ours)', pure: true, ours: true, tunings: () => own([1, 2, 3], lifted) },
  copies: {
    name: 'copies, averaged (ours)',
    pure: false,
    ours: true,
    tunings: () => own([1, 2], (request) => copies({ ...request, delta: DELTA })),
  },
  printed: {
    name: 'algorithm 2 as printed',
    pure: false,
    ours: true,
    tunings: () => own([1], (request) => printed({ ...request, delta: DELTA })),
  },
  lines: {
    name: 'Smith et al. 2017, Theorem 10: lines',
    pure: true,
    ours: false,
    tunings: (dimension) =>
      LINES[dimension - 1].counts.flatMap((count) =>
        LINES[dimension - 1].levels.map((levels) => ({
          label: `${count} lines, D ${levels}`,
          model: ({ people, loss, epsilon, seed }) =>
            linesModel(
              { loss, radius: RADIUS, epsilon, directions: directionsOf(dimension, count), levels },
              people.records,
              seededRandom(seed),
            ),
        })),
      ),
  },
  net: {
    name: 'Smith et al. 2017, Claim 4: net',
    pure: true,
    ours: false,
    tunings: (dimension) =>
      [1, 2, 3, 4].map((parts) => ({
        label: `step 1/${parts}`,
        model: ({ people, loss, epsilon, seed }) =>
          netModel({ radius: RADIUS, parts }, loss, epsilon, people.records, dimension, seededRandom(seed)),
      })),
  },
  bernstein: {
    name: 'Wang et al. 2018: Bernstein',
    pure: true,
    ours: false,
    tunings: bernstein('all'),
  },
  'bernstein-one-bit': {
    name: 'Wang et al. 2018: Bernstein, one bit',
    pure: true,
    ours: false,
    tunings: bernstein('one-bit'),
  },
  chebyshev: {
    name: 'Zheng et al. 2017: Chebyshev, products',
    pure: false,
    ours: false,
    tunings: () =>
      [1, 2].map((degree) => ({
        label: `d ${degree}`,
        model: ({ people, loss, epsilon, seed }) =>
          chebyshevModel({ radius: RADIUS, epsilon, delta: DELTA, degree }, loss, people, seed),
      })),
  },
};
