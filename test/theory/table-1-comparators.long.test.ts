// The methods of others in table 1, as they are run beside ours: ε-locally private by exact ratios of likelihoods, unbiased with the
// stated variance, and approximations with their rates.
import { describe, expect, test } from '@jest/globals';
import { seededRandom } from 'ldpkit';
import { exactEpsilon } from 'ldpkit/audit';
import { oneBitMean } from 'ldpkit/mechanism';
import { logisticLoss, smoothedHinge } from 'ldpkit/optimize';
import { measuredMean, rateFit, ratePoints, slopeClaim } from 'ldpkit/testing';
import { bernsteinMinimiser, bernsteinValue, gridPoints, iteratedBasis } from '../evidence/noninteractive/bernstein.ts';
import {
  channelsOf,
  directionsOf,
  estimateSlopes,
  type Lines,
  linesModel,
  placeLaw,
  placeOf,
} from '../evidence/noninteractive/lines.ts';
import { netPoints } from '../evidence/noninteractive/methods.ts';
import { comparators } from '../evidence/noninteractive/reproductions/comparators.ts';
import {
  type Answering,
  answerOf,
  estimateValues,
  fillAnswers,
  type Questions,
  questionsAt,
} from '../evidence/noninteractive/values.ts';

const { abs, cos, exp, hypot, max, sin, sqrt } = Math;

const EPSILON = 1.25;
const loss = smoothedHinge({ beta: 0.2 });
const asked = questionsAt(loss, gridPoints({ dimension: 2, radius: 1, degree: 2, iterations: 1 }), EPSILON);
/** One feature and both ends of the segment: one record has the answers 0 and 1, another 1 and 0. */
const ends = questionsAt(loss, [Float64Array.of(-1), Float64Array.of(1)], EPSILON);

type Pair = readonly [Float64Array, Float64Array];

/** Pairs of records of the unit disc, on its edge and inside. */
const RECORDS = [0, 0.7, 1.6, 2.9, 4.4].flatMap((angle) =>
  [1, 0.4].map((r) => Float64Array.of(r * cos(angle), r * sin(angle))),
);
const PAIRS = RECORDS.flatMap((first) => RECORDS.map((second): Pair => [first, second]));
const OPPOSITE: Pair = [Float64Array.of(1), Float64Array.of(-1)];

/** n times the same record. */
const crowd = (v: Float64Array, players: number): Float64Array =>
  Float64Array.from({ length: players * v.length }, (_, i) => v[i % v.length]);

describe('answers to m questions', () => {
  /**
   * The supremum over reports z of Σ(|z − b| − |z − a|)/scale, the logarithm of the ratio of two Laplace densities: it is
   * Σ|a − b|/scale, reached where every z is beyond a.
   */
  const logRatio = (questions: Questions, [first, second]: Pair, scale: number): number =>
    questions.models.reduce((sum, _, j) => {
      const [a, b] = [answerOf(questions, j, first), answerOf(questions, j, second)];
      const z = 2 * a - b;
      return sum + (abs(z - b) - abs(z - a)) / scale;
    }, 0);

  test('all of them with Laplace noise: at most ε, reached at the ends of a segment, and 2ε with half of the noise', () => {
    expect(max(...PAIRS.map((pair) => logRatio(asked, pair, 9 / EPSILON)))).toBeLessThanOrEqual(EPSILON);
    expect(logRatio(ends, OPPOSITE, 2 / EPSILON)).toBeCloseTo(EPSILON, 12);
    expect(logRatio(ends, OPPOSITE, 1 / EPSILON)).toBeCloseTo(2 * EPSILON, 12);
  });

  test('all of them: the noise is Laplace noise of scale m/ε', () => {
    // |z − a|/scale has mean and deviation 1: of 36,000 the standard error is .0053, and 4.5 of it are passed once in 1e5. A scale that
    // is off by 5 % is seen.
    const random = seededRandom('density');
    const report = new Float64Array(9);
    const sizes: number[] = [];
    for (let i = 0; i < 4000; i++) {
      fillAnswers(asked, RECORDS[0], random, report);
      for (let j = 0; j < 9; j++) sizes.push((abs(report[j] - answerOf(asked, j, RECORDS[0])) * EPSILON) / 9);
    }
    const { mean, error } = measuredMean(sizes);
    expect(error).toBeCloseTo(0.0053, 3);
    expect(abs(mean - 1)).toBeLessThan(4.5 * error);
    expect(abs(mean - 1.05)).toBeGreaterThan(4.5 * error);
  });

  test('one of them in one bit: never above ε, and ε where a record changes the answer from 0 to 1', () => {
    const { scale } = oneBitMean({ epsilon: EPSILON });
    const spent = (questions: Questions, model: number, pair: Pair): number => {
      const [p, q] = pair.map((v) => (1 + (2 * answerOf(questions, model, v) - 1) / scale) / 2);
      return exactEpsilon([p, 1 - p], [q, 1 - q], 0);
    };
    expect(max(...PAIRS.flatMap((pair) => asked.models.map((_, j) => spent(asked, j, pair))))).toBeLessThan(EPSILON);
    expect(spent(ends, 0, OPPOSITE)).toBeCloseTo(EPSILON, 9);
  });

  /** Variance of a value over the coins of n players with one record, by hand; x is 2a − 1. */
  const variance = (how: Answering, players: number, x: number): number => {
    if (how === 'all') return (2 * (9 * asked.width) ** 2) / EPSILON ** 2 / players;
    const scale = (exp(EPSILON) + 1) / (exp(EPSILON) - 1);
    return (9 * (asked.width / 2) ** 2 * (scale ** 2 - x ** 2)) / players;
  };

  test.each<Answering>(['all', 'one-bit'])('%s: unbiased, with the variance by hand, falling like n^−½', (how) => {
    const random = seededRandom(`values ${how}`);
    const v = RECORDS[2];
    const sizes = [90, 360, 1440];
    const ratios: number[] = [];
    const errors = sizes.map((players) =>
      Array.from({ length: 120 }, () => {
        const values = estimateValues(asked, how, crowd(v, players), random);
        const squares = asked.models.map((w, j) => (values[j] - loss.value(w[0] * v[0] + w[1] * v[1])) ** 2);
        for (let j = 0; j < 9; j++) ratios.push(squares[j] / variance(how, players, 2 * answerOf(asked, j, v) - 1));
        return sqrt(measuredMean(squares).mean);
      }),
    );
    // 3,240 squares over their mean are known to 2.5 %: beyond 4.5 of these in 1e5 runs once; a bias adds to them.
    const { mean, error } = measuredMean(ratios);
    expect(abs(mean - 1)).toBeLessThan(4.5 * error);
    expect(abs(mean - 1.2)).toBeGreaterThan(4.5 * error);
    expect(abs(mean - 0.8)).toBeGreaterThan(4.5 * error);
    const fit = rateFit(
      ratePoints(
        sizes,
        errors.map((group) => measuredMean(group)),
      ),
    );
    const met = (expected: number): boolean =>
      slopeClaim({ what: 'slope in n', expected, largestTolerance: 0.08 }, fit).met;
    // The control: a slope that is a fifth off.
    expect([-0.6, -0.5, -0.4].map(met)).toEqual([false, true, false]);
  });
});

describe('Bernstein polynomials', () => {
  test('weights sum to 1, give straight lines back, and a square with x(1 − x)/k^h more, by hand', () => {
    for (const x of [0, 0.3, 0.85, 1]) {
      for (const [k, h] of [
        [4, 1],
        [4, 2],
        [8, 1],
        [8, 3],
      ]) {
        // biome-ignore format: pairs
        const moments = [0, 1, 2].map((power) =>
          iteratedBasis(k, h, x).reduce((sum, b, v) => sum + b * (v / k) ** power, 0),
        );
        // B x² = x² + x(1 − x)/k, and (I − B) x(1 − x) = x(1 − x)/k: the error falls like k^−h.
        [1, x, x * x + (x * (1 - x)) / k ** h].forEach((exact, power) => {
          expect(moments[power]).toBeCloseTo(exact, 12);
        });
      }
    }
  });

  test('the minimiser of the values of a parabola is its vertex, or on the sphere where that lies outside', () => {
    const setting = { dimension: 2, radius: 1, degree: 2, iterations: 40 };
    const minimiser = (a: number, b: number): Float64Array => {
      const values = Float64Array.from(gridPoints(setting), ([x, y]) => (x - a) ** 2 + (y - b) ** 2);
      expect(bernsteinValue(setting, values, [a / 2, b])).toBeCloseTo((a / 2) ** 2, 4);
      return bernsteinMinimiser(setting, values);
    };
    expect([...minimiser(0.25, -0.5)]).toEqual([0.25, -0.5]);
    const [x, y] = minimiser(1.2, 1.6);
    expect(hypot(x - 0.6, y - 0.8)).toBeLessThan(0.03);
  });
});

test('one bit at the corners: the slope at the origin has the variance by hand, p²s²/4 but for the answers themselves', () => {
  const random = seededRandom('corners');
  const setting = { dimension: 2, radius: 1, degree: 1, iterations: 1 };
  const corners = questionsAt(logisticLoss(), gridPoints(setting), EPSILON);
  const players = 64;
  const squares = Array.from({ length: 4000 }, () => {
    const values = estimateValues(corners, 'one-bit', crowd(Float64Array.of(0, 0), players), random);
    const at = (x: number, y: number): number => bernsteinValue(setting, values, [x, y]);
    return (players * ((at(1, 0) - at(-1, 0)) ** 2 + (at(0, 1) - at(0, -1)) ** 2)) / 4;
  });
  const s = (exp(EPSILON) + 1) / (exp(EPSILON) - 1);
  const exact = s ** 2 - (2 * answerOf(corners, 0, [0, 0]) - 1) ** 2;
  // p = 2: p²s²/4 = s². Squares of 4,000 slopes: known to 1.6 %, and 4.5 of that are passed once in 1e5.
  const { mean, error } = measuredMean(squares);
  expect(abs(mean - exact)).toBeLessThan(4.5 * error);
  expect(abs(mean - 1.2 * exact)).toBeGreaterThan(4.5 * error);
});

describe('nets and lines', () => {
  const lines: Lines = { loss, radius: 1, epsilon: EPSILON, directions: directionsOf(2, 3), levels: 4 };

  test('a report of a line: the ratio of two laws is at most e^ε, and with twice the ε it is not', () => {
    /** A mixture over the nodes of a level of the laws of randomized response. */
    const law = (epsilon: number, direction: number, level: number, v: Float64Array): Float64Array => {
      const { hit, stray } = channelsOf({ ...lines, epsilon })[level - 1];
      const until = placeLaw(lines, direction, v);
      const end = (node: number): number => (node < 0 ? 0 : until((node + 1) * 2 ** (lines.levels - level) - 1));
      return Float64Array.from({ length: 2 ** level }, (_, node) => {
        const share = end(node) - end(node - 1);
        return share * hit + (1 - share) * stray;
      });
    };
    const worst = (epsilon: number): number =>
      max(
        ...[1, 2, 3, 4].flatMap((level) =>
          PAIRS.flatMap(([a, b]) =>
            [0, 1, 2].map((u) => exactEpsilon(law(epsilon, u, level, a), law(epsilon, u, level, b), 0)),
          ),
        ),
      );
    expect(worst(EPSILON)).toBeLessThanOrEqual(EPSILON);
    expect(worst(EPSILON)).toBeGreaterThan(0.8 * EPSILON);
    expect(worst(2 * EPSILON)).toBeGreaterThan(EPSILON);
  });

  test('slopes are unbiased at all places of all lines', () => {
    const random = seededRandom('slopes');
    const v = RECORDS[2];
    const quiet = { ...lines, epsilon: 4 };
    const found = Array.from({ length: 400 }, () => estimateSlopes(quiet, crowd(v, 600), random));
    // The largest distance in standard errors. 45 means of 400: one is beyond 4.5 with probability 45·7e-6 = 3e-4.
    const off = (shift: number): number =>
      max(
        ...quiet.directions.flatMap((u, direction) => {
          const along = u[0] * v[0] + u[1] * v[1];
          return Array.from({ length: 15 }, (_, b) => {
            const { mean, error } = measuredMean(found.map((slopes) => slopes[direction][b]));
            return abs(mean - along * loss.derivative((placeOf(quiet, b) + shift) * along)) / error;
          });
        }),
      );
    expect([0, 7, 14].map((b) => placeOf(quiet, b))).toEqual([-1, 0, 1]);
    expect(off(0)).toBeLessThan(4.5);
    // The control: half a place further on.
    expect(off(1 / 14)).toBeGreaterThan(4.5);
  });

  test('with little noise one line finds the minimum of a mixture, on its side of the origin', () => {
    // Three of four records at 1, the other at −1.
    const people = Float64Array.from({ length: 24_000 }, (_, i) => (Math.floor(i / 6) % 4 === 0 ? -1 : 1));
    const line = { ...lines, epsilon: 12, directions: directionsOf(1, 1), levels: 6 };
    const [w] = linesModel(line, people, seededRandom('line'));
    const risk = (r: number): number => 0.75 * loss.value(r) + 0.25 * loss.value(-r);
    const least = Math.min(...Array.from({ length: 2001 }, (_, i) => risk(i / 1000 - 1)));
    expect(risk(w) - least).toBeLessThan(0.002);
    expect(risk(-w) - least).toBeGreaterThan(0.1);
  });
});

test('the experiment has a row for every method and for none, and no cell without a number', () => {
  const cells = comparators.cells('quick').filter(({ setting }) => setting.dimension > 1);
  const results = cells.map((cell) => {
    const setting = comparators.smallRun(cell.setting);
    return { cell: { ...cell, setting }, chunks: [0, 1].map((k) => comparators.chunk(setting, k, 'small')) };
  });
  expect([1, 2, 3].map((p) => netPoints(p, 2).length)).toEqual([5, 13, 33]);
  const { tables } = comparators.report(results);
  expect(tables.map(({ rows }) => rows.length)).toEqual([9, 9]);
  expect(tables.flatMap(({ rows }) => rows.flat()).filter((text) => /NaN|Infinity|not run/.test(text))).toEqual([]);
});
