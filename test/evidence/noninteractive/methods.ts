import { type Random, seededRandom } from 'ldpkit';
import type { MarginLoss } from 'ldpkit/optimize';
import { copies, generalizedLinear, lifted, printed } from 'ldpkit/protocols/generalized-linear';
import { simulate } from 'ldpkit/simulate';
import { bernsteinMinimiser, gridPoints } from './bernstein.ts';
import { directionsOf, linesModel } from './lines.ts';
import type { People } from './population.ts';
import { type Answering, estimateValues, lattice, questionsAt } from './values.ts';

/** One collection to be answered, over the unit ball. */
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

/** A way to learn from one report of each player: its name, and what it may be given in p dimensions. */
export type Method = readonly [name: string, tunings: (dimension: number) => readonly Tuning[]];

const DELTA = 1e-6;

type Request = {
  readonly epsilon: number;
  readonly delta: number;
  readonly degree: number;
  readonly dimension: number;
};
type Query = NonNullable<Parameters<typeof generalizedLinear.server.estimate>[2]>;

const protocolOf = (
  degrees: readonly number[],
  make: (request: Request) => ReturnType<typeof lifted | typeof copies>,
  query: Query = {},
) => {
  const model = (degree: number, { people: { population, direction }, loss, epsilon, seed }: Question) => {
    const parameters = make({ epsilon, delta: DELTA, degree, dimension: direction.length });
    const tally = simulate(generalizedLinear, parameters, population, { seed });
    return generalizedLinear.server.estimate(parameters, tally, { ...query, loss }).w;
  };
  return () => degrees.map((d): Tuning => ({ label: `d ${d}`, model: (question) => model(d, question) }));
};

/** The points of the lattice of step 1/parts in the unit ball. */
export function netPoints(dimension: number, parts: number): readonly Float64Array[] {
  return lattice(dimension, 2 * parts + 1)
    .map((at) => Float64Array.from(at, (i) => i / parts - 1))
    .filter((w) => Math.hypot(...w) <= 1 + 1e-12);
}

/** A tuning of a method that needs signed records alone. */
const of = (
  label: string,
  model: (records: Float64Array, loss: MarginLoss, epsilon: number, random: Random) => Float64Array,
): Tuning => ({
  label,
  model: ({ people, loss, epsilon, seed }) => model(people.records, loss, epsilon, seededRandom(seed)),
});

/** k and h of the polynomials that are tried, the last with one feature only. */
const DEGREES = [[1, 1], [2, 1], [2, 2], [4, 2], [8, 3]] as const; // biome-ignore format: pairs

const bernstein = (how: Answering) => (dimension: number) =>
  DEGREES.slice(0, dimension === 1 ? 5 : 4).map(([degree, iterations]) =>
    of(`k ${degree}, h ${iterations}`, (records, loss, epsilon, random) => {
      const setting = { dimension, radius: 1, degree, iterations };
      const asked = questionsAt(loss, gridPoints(setting), epsilon);
      return bernsteinMinimiser(setting, estimateValues(asked, how, records, random));
    }),
  );

const lines = (dimension: number) =>
  [[1], [4, 8], [6, 12]][dimension - 1].flatMap((count) =>
    [2, 3, 4, 5].map((levels) =>
      of(`${count} × D ${levels}`, (records, loss, epsilon, random) =>
        linesModel({ loss, radius: 1, epsilon, directions: directionsOf(dimension, count), levels }, records, random),
      ),
    ),
  );

const net = (dimension: number) =>
  [1, 2, 3, 4].map((parts) =>
    of(`step 1/${parts}`, (records, loss, epsilon, random) => {
      const models = netPoints(dimension, parts);
      const values = estimateValues(questionsAt(loss, models, epsilon), 'one-bit', records, random);
      return models[values.indexOf(Math.min(...values))];
    }),
  );

/** What this toolkit has, by key. Its guarantee is pure ε, unless the name has a δ. */
export const OURS: Readonly<Record<string, Method>> = {
  lifted: ['lifted (ours)', protocolOf([1, 2, 3], lifted)],
  copies: ['copies (ours), δ = 1e-6', protocolOf([1, 2], copies)],
  printed: ['algorithm 2 as printed, δ = 1e-6', protocolOf([1], printed)],
};

/** The methods of others in table 1. Of Zheng et al. the polynomial, the Chebyshev series of f′, and one step for each report. */
export const OTHERS: Readonly<Record<string, Method>> = {
  net: ['Smith et al. 2017, Claim 4: net', net],
  lines: ['Smith et al. 2017, Theorem 10: lines', lines],
  bernstein: ['Wang et al. 2018: Bernstein', bernstein('all')],
  'bernstein-one-bit': ['Wang et al. 2018: Bernstein, one bit', bernstein('one-bit')],
  chebyshev: [
    'Zheng et al. 2017: Chebyshev, δ = 1e-6',
    protocolOf([1, 2], copies, { server: 'sigm', decoder: 'averaged', start: 0, distance: 1 }),
  ],
};
