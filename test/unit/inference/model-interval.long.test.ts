import { describe, expect, test } from '@jest/globals';
import { fitMoments } from '../../../protocols/generalized-linear/fit.ts';
import {
  coordinateNoises,
  noisyMoments,
  populationMoments,
} from '../../../protocols/generalized-linear/margin/forecast.ts';
import {
  populationRisk,
  type ReferencePopulation,
  referencePopulation,
} from '../../../protocols/generalized-linear/margin/reference-population.ts';
import { lifted } from '../../../protocols/hinge/index.ts';
import { type Ends, modelIntervals } from '../../../src/inference/model-interval.ts';
import { createLift } from '../../../src/polynomial/lift.ts';
import { normal, uniform } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { hingeLoss } from '../../../src/risk/margin-loss.ts';

// Coverage of the intervals of a model over repeated collections: the moments of a population with the noise of `lifted` reports go
// through the server's own fit, and the intervals are asked for the risk and the effect of the model that it chose. On files:
// test/validation/model-intervals.mjs.

/** Collections for each population and number of players. */
const COLLECTIONS = 30;

/**
 * Most collections that an interval may miss. If it misses with probability .05, more than 8 of 30 are missed with probability
 * 1.1e-5 (binomial); of the 12 counts below, any of them with probability 1.3e-4. With a quarter of its length a normal interval of
 * level .95 misses 62 %, and stays within 8 of 30 with probability 9e-5; of the 6 controls any with 6e-4.
 */
const MOST_MISSED = 8;

const loss = hingeLoss();

interface Place {
  readonly population: ReferencePopulation;
  readonly intercept?: number;
  /** How far outside the risk may lie where margins are of no shape that the intervals know. */
  readonly slack?: number;
}

/** Records with a constant coordinate, of which three in ten are positive; `coordinate` draws the others. */
function twoSides(name: string, coordinate: (label: number, j: number, random: () => number) => number): Place {
  const [dimension, members] = [6, 20_000];
  const random = seededRandom(name);
  const records = new Float64Array(dimension * members);
  for (let i = 0; i < members; i++) {
    const label = i % 10 < 3 ? 1 : -1;
    const x = Float64Array.from({ length: dimension }, (_, j) =>
      j === 0 ? 0.6 : coordinate(label, j, () => uniform(random)),
    );
    const norm = Math.max(1, Math.hypot(...x));
    x.forEach((entry, j) => {
      records[i * dimension + j] = (label * entry) / norm;
    });
  }
  return { population: { dimension, members, records }, intercept: 0 };
}

const places: { readonly [name: string]: Place } = {
  sphere: { population: referencePopulation(6, 0.5) },
  // A sum of uniform numbers, shifted in one coordinate.
  bells: twoSides('bells', (label, j, u) => 0.4 * (u() + u() + u() - 1.5) + (j === 1 ? 0.1 * label : 0)),
  // Rare indicators and skewed amounts: margins with several humps, in one class more than in the other. With many players the shape
  // decides, and without the slack about a fifth of the risks lie below the interval.
  skewed: {
    ...twoSides('skewed', (label, j, u) =>
      j < 4 ? (u() < (j === 1 ? 0.25 + 0.2 * label : 0.2) ? 0.5 : -0.1) : 0.2 * u() ** 4 * (1 + 0.5 * label),
    ),
    slack: 0.02,
  },
};

/** What is true of a model: its risk, and its effect as the interval defines it. */
function truthOf(
  { population, intercept }: Place,
  w: Float64Array,
): { readonly risk: number; readonly effect: number } {
  const { dimension, members, records } = population;
  const sums = { positive: 0, negative: 0 };
  let positive = 0;
  for (let i = 0; i < members; i++) {
    let margin = 0;
    for (let j = 0; j < dimension; j++) margin += records[i * dimension + j] * w[j];
    const side = intercept === undefined || records[i * dimension + intercept] > 0;
    sums[side ? 'positive' : 'negative'] += margin;
    positive += side ? 1 : 0;
  }
  // The margin of a negative record is its score with the other sign.
  const apart = positive === members ? 0 : sums.negative / (members - positive);
  return { risk: populationRisk(population, loss, w), effect: sums.positive / positive + apart };
}

const holds = ([low, high]: Ends, value: number): boolean => low <= value && value <= high;

const widened = ([low, high]: Ends, by: number): Ends => [low - by, high + by];

const halved = ([low, high]: Ends): Ends => [(3 * low + high) / 4, (low + 3 * high) / 4];

describe.each(Object.entries(places))('on records "%s"', (name, place) => {
  test.each([2000, 50_000])(
    'intervals of %d players hold the risk and the effect, and a quarter of their length does not',
    (players) => {
      const { population, intercept, slack = 0 } = place;
      const { dimension } = population;
      const parameters = lifted({ epsilon: 1, degree: 1, dimension });
      const lift = createLift(dimension, 2);
      const exact = populationMoments(population, lift);
      const noise = coordinateNoises(parameters).map((variance) => variance / players);
      const random = seededRandom(`${name} ${players}`);
      const missed = { risk: 0, effect: 0, short: 0 };
      for (let k = 0; k < COLLECTIONS; k++) {
        const moments = { lift, values: noisyMoments(lift, exact, noise, () => normal(random)), noise, players };
        const { w } = fitMoments(parameters, moments, { loss, intercept, seed: `${name} ${k}` });
        const found = modelIntervals(moments, { w, loss, intercept }, random);
        const truth = truthOf(place, w);
        if (!holds(widened(found.risk, slack), truth.risk)) missed.risk++;
        if (!holds(found.effect, truth.effect)) missed.effect++;
        // The control: the same interval at a quarter of its length, about its middle.
        if (!holds(halved(halved(found.effect)), truth.effect)) missed.short++;
      }
      process.stderr.write(`${name}, ${players} players: ${JSON.stringify(missed)} of ${COLLECTIONS}\n`);
      expect(missed.risk).toBeLessThanOrEqual(MOST_MISSED);
      expect(missed.effect).toBeLessThanOrEqual(MOST_MISSED);
      expect(missed.short).toBeGreaterThan(MOST_MISSED);
    },
  );
});
