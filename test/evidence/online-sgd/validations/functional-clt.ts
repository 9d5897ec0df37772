import { type PlainRequest, seededRandom } from 'ldpkit';
import { averageIterate, chiSquareCriticalValue, randomScalingMatrix } from 'ldpkit/inference';
import { fillNormal } from 'ldpkit/mechanism';
import {
  asymptoticCovariance,
  onlineSgd,
  type PopulationMoments,
  streamReplication,
} from 'ldpkit/protocols/online-sgd';
import { DEVIATIONS, digits, meanClaim, measuredMean, plusMinus } from 'ldpkit/testing';
import {
  type CellResult,
  type ExperimentReport,
  type Reproduction,
  replicationsOf,
  type TheoremValidation,
} from '../../experiment/experiment.ts';
import { type Figure, type FigurePoint, linearFigure } from '../../experiment/figure.ts';
import { planOf } from '../reproductions/trajectory.ts';
import { numberClaim } from './exact-claims.ts';
import { quadraticLaw, UNIFORM_VARIANCE } from './quadratic-law.ts';
import { signPopulation } from './risks.ts';

const { abs, max, min, sqrt } = Math;

/** One path, in units of its limit: each coordinate over the root of its limit variance. */
type PathRow = {
  /** φ at r = ¼, ½, ¾, 1, the two coordinates of each in turn. */
  readonly values: readonly number[];
  /** sup over the looks of |φ(r)|, by coordinate. */
  readonly suprema: readonly number[];
  /** ∫(φ(r) − rφ(1))² dr, by coordinate. */
  readonly bridges: readonly number[];
};

/** At how many times, evenly up to 1, covariances are taken. */
const TIMES = 4;

/** The exact variance of a finite path is this share above its limit at r = 1, and more at early times: so much is allowed. */
const FINITE_COVARIANCE = 0.15;

/**
 * The largest deviation of a sample covariance from min(r, s) for each coordinate, and from 0 between the two, in standard errors
 * of a normal sample's covariance, √((σ_ii·σ_jj + σ_ij²)/paths), after what a finite path may be off by.
 */
function covarianceDeviation(rows: readonly PathRow[], law: (r: number, s: number) => number): number {
  let worst = 0;
  for (let i = 0; i < 2 * TIMES; i++) {
    for (let j = 0; j <= i; j++) {
      const claimed = i % 2 === j % 2 ? law((1 + (i >> 1)) / TIMES, (1 + (j >> 1)) / TIMES) : 0;
      const variances =
        law((1 + (i >> 1)) / TIMES, (1 + (i >> 1)) / TIMES) * law((1 + (j >> 1)) / TIMES, (1 + (j >> 1)) / TIMES);
      const mean = rows.reduce((sum, { values }) => sum + values[i] * values[j], 0) / rows.length;
      const finite = FINITE_COVARIANCE * max(claimed, 0.1);
      worst = max(worst, (abs(mean - claimed) - finite) / sqrt((variances + claimed ** 2) / rows.length));
    }
  }
  return worst;
}

/** The covariances over what is claimed in the limit; the exact share of this n is the variance at the end over its limit. */
function covarianceTable(rows: readonly PathRow[], finite: number): Reproduction {
  return {
    title: `Covariances of φ over their limit, ${rows.length} paths`,
    columns: ['', ...Array.from({ length: TIMES }, (_, k) => `s = ${(k + 1) / TIMES}`)],
    rows: Array.from({ length: TIMES }, (_, k) => [
      `r = ${(k + 1) / TIMES}`,
      ...Array.from({ length: TIMES }, (__, l) => {
        const products = rows.map(
          ({ values }) => values[2 * k] * values[2 * l] + values[2 * k + 1] * values[2 * l + 1],
        );
        const { mean, error } = measuredMean(products);
        const claimed = (2 * (1 + Math.min(k, l))) / TIMES;
        return plusMinus(mean / claimed, error / claimed);
      }),
    ]),
    notes: [
      `In the mean over both coordinates; 1 is claimed in the limit, ${digits(finite, 4)} at r = s = 1 for this n.`,
    ],
  };
}

/** A sample, ascending. */
type Empirical = Float64Array;

/** A sample from numbers in any order. */
function empiricalOf(values: readonly number[]): Empirical {
  return Float64Array.from(values).sort();
}

/** Laws of functionals of a Brownian motion W on [0, 1], as large samples. */
interface BrownianLaws {
  /** max |W(r)| over so many equidistant times. */
  readonly supremum: Empirical;
  /** ∫(W(r) − rW(1))² dr. */
  readonly bridge: Empirical;
}

const PATHS = 20_000;

/** Terms of Σ Z_k²/(πk)², the law of the square integral of a bridge; the mean of the others is added. */
const TERMS = 60;

/** The same laws on every call: their seed is their own. Kolmogorov distance to the exact ones: about .006. */
function brownianLaws(looks: number): BrownianLaws {
  const random = seededRandom(`Brownian laws ${looks}`);
  const supremum = new Float64Array(PATHS);
  const bridge = new Float64Array(PATHS);
  const steps = new Float64Array(looks);
  const terms = new Float64Array(TERMS);
  const weights = Float64Array.from({ length: TERMS }, (_, k) => 1 / (Math.PI * (k + 1)) ** 2);
  const rest = 1 / 6 - weights.reduce((sum, weight) => sum + weight, 0);
  for (let path = 0; path < PATHS; path++) {
    fillNormal(steps, random);
    let place = 0;
    let largest = 0;
    for (let k = 0; k < looks; k++) {
      place += steps[k];
      largest = max(largest, abs(place));
    }
    supremum[path] = largest / sqrt(looks);
    fillNormal(terms, random);
    let sum = rest;
    for (let k = 0; k < TERMS; k++) sum += weights[k] * terms[k] ** 2;
    bridge[path] = sum;
  }
  return { supremum: supremum.sort(), bridge: bridge.sort() };
}

/** The share of a sample at or below x. */
function shareBelow(sample: Empirical, x: number): number {
  let [low, high] = [0, sample.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sample[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low / sample.length;
}

/** The largest distance of two distribution functions. */
function largestGap(sample: Empirical, law: Empirical): number {
  let gap = 0;
  for (let k = 0; k < sample.length; k++) {
    const below = shareBelow(law, sample[k]);
    gap = max(gap, abs((k + 1) / sample.length - below), abs(k / sample.length - below));
  }
  return gap;
}

/** Both distribution functions, drawn. */
function lawFigure(name: string, what: string, sample: Empirical, law: Empirical): Figure {
  const points = (of: Empirical): readonly FigurePoint[] =>
    Array.from({ length: 25 }, (_, k) => {
      const x = law[min(law.length - 1, Math.floor(((k + 0.5) / 25) * law.length))];
      return { x, y: shareBelow(of, x) };
    });
  const bars = points(sample).map(({ x, y }) => {
    const error = 2 * sqrt((y * (1 - y)) / sample.length);
    return { x, y, low: max(0, y - error), high: min(1, y + error) };
  });
  return linearFigure({
    name,
    title: `${what}: distribution`,
    x: what,
    y: 'probability of no more',
    curves: [
      { name: 'measured', style: 0, dashed: false, points: bars },
      { name: 'of Brownian motion', style: 1, dashed: true, points: points(law) },
    ],
  });
}

/** Paths of private SGD. */
export type PathSetting = {
  readonly request: PlainRequest;
  readonly steps: number;
  /** At how many times the path is looked at. */
  readonly looks: number;
  readonly size: number;
};

/** Paths of a chunk. */
export type PathChunk = readonly PathRow[];

const FEATURES = 1;

const CLIP = 4;

const MU = 4;

const STEPS = 2000;

const RATE = 0.7;

const DECAY = 0.51;

/** A multiple of 4. The law that suprema are compared with has as many looks. */
const LOOKS = 80;

/**
 * What the excess of a finite path does to a distribution function: a scale off by a few percent moves it by as many times
 * max x·f(x), which is below 1.
 */
const FINITE_GAP = 0.06;

/** A and S at the truth, without noise. */
const MOMENTS: PopulationMoments = {
  hessian: Float64Array.of(1, 0, 0, 1),
  gradient: Float64Array.of(1 / 12, 0, 0, 1 / 12),
};

/** The variance of √n(θ̄_n − θ₀) on a coordinate over its limit A⁻¹(S + 4B₀²/μ²·I)A⁻¹, exactly; the noise as the theorem has it. */
function exactShare(steps: number): number {
  const noise = (4 * CLIP ** 2) / MU ** 2;
  const fields = {
    ...{ squares: [1, 1], noise: () => noise, response: UNIFORM_VARIANCE },
    ...{ rate: RATE, decay: DECAY, start: [0, 0] },
  };
  return (steps * quadraticLaw(fields, [steps]).average[0][0]) / (UNIFORM_VARIANCE + noise);
}

function chunk(setting: PathSetting, index: number, seed: string): PathChunk {
  const { steps, looks, size } = setting;
  const plan = planOf(setting.request);
  const limit = asymptoticCovariance(plan, MOMENTS);
  const deviations = [limit[0], limit[3]].map(sqrt);
  const checkpoints = Array.from({ length: looks }, (_, k) => Math.round(((k + 1) * steps) / looks));
  return replicationsOf(index, size).map((replication) => {
    const values: number[] = [];
    const suprema = [0, 0];
    let look = 0;
    const { scaling } = streamReplication(onlineSgd, {
      plan,
      population: signPopulation(FEATURES, 1),
      players: steps,
      seed: `${seed}/path/${replication}`,
      checkpoints,
      look(n, state) {
        const path = averageIterate(state.scaling).map((entry, i) => (n * (entry - 1)) / sqrt(steps) / deviations[i]);
        for (let i = 0; i < 2; i++) suprema[i] = max(suprema[i], abs(path[i]));
        if (++look % (looks / TIMES) === 0) values.push(...path);
      },
    });
    const matrix = randomScalingMatrix(scaling);
    return { values, suprema, bridges: [matrix[0] / deviations[0] ** 2, matrix[3] / deviations[1] ** 2] };
  });
}

/** P(D > 2.1/√count) = 3e-4 for the distance D of a sample from its own law. */
const gapBound = (count: number): number => 2.1 / sqrt(count) + FINITE_GAP;

function report(results: readonly CellResult<PathSetting, PathChunk>[]): ExperimentReport {
  const rows = results[0].chunks.flat();
  const laws = brownianLaws(results[0].cell.setting.looks);
  const first = (name: 'suprema' | 'bridges'): Empirical => empiricalOf(rows.map((row) => row[name][0]));
  const samples = [
    { what: 'sup |φ(r)|', sample: first('suprema'), law: laws.supremum },
    { what: '∫(φ(r) − rφ(1))² dr', sample: first('bridges'), law: laws.bridge },
  ];
  const deviation = covarianceDeviation(rows, Math.min);
  const finite = exactShare(results[0].cell.setting.steps);
  const variances = rows.map(({ values }) => (values[2 * TIMES - 2] ** 2 + values[2 * TIMES - 1] ** 2) / 2);
  const chi = chiSquareCriticalValue(0.95, 2);
  const inside = rows.filter(({ values }) => values[2 * TIMES - 2] ** 2 + values[2 * TIMES - 1] ** 2 <= chi).length;
  const share = inside / rows.length;
  // The ellipse of the limit, over a variance that is larger by that share: P = 1 − .05^(1/share), in two dimensions.
  const expected = 1 - 0.05 ** (1 / finite);
  const shareTolerance = DEVIATIONS * sqrt(0.0475 / rows.length) + 0.005;
  return {
    claims: [
      {
        asked: `covariances of the path at r = ¼, ½, ¾, 1: min(r, s)·Σ̃, within ${DEVIATIONS} standard errors and a share of ${FINITE_COVARIANCE} for a finite n`,
        measured: `beyond that share by ${digits(max(0, deviation))} standard errors at most`,
        met: deviation <= DEVIATIONS,
      },
      ...samples.map(({ what, sample, law }) => {
        const gap = largestGap(sample, law);
        return {
          asked: `${what} has the law of that of Brownian motion: largest distance of the distribution functions at most ${gapBound(sample.length).toFixed(3)}`,
          measured: gap.toFixed(3),
          met: gap <= gapBound(sample.length),
        };
      }),
      meanClaim(
        {
          what: 'variance of √n(θ̄ − θ₀) over that of A⁻¹(S + 4B₀²/μ²·I)A⁻¹, with the exact excess of this n',
          expected: finite,
          slack: 0.01,
        },
        // The standard error under the claim: two independent normal coordinates.
        { mean: measuredMean(variances).mean, error: finite / sqrt(rows.length) },
      ),
      numberClaim('that excess, at n = 10⁶', exactShare(1_000_000), 1, 0.01),
      {
        asked: `the 95 % ellipse of the normal limit holds θ̄ with probability ${expected.toFixed(3)} at this n, ± ${shareTolerance.toFixed(3)}`,
        measured: share.toFixed(4),
        met: abs(share - expected) <= shareTolerance,
      },
    ],
    tables: [covarianceTable(rows, finite)],
    figures: samples.map(({ what, sample, law }, index) =>
      lawFigure(index === 0 ? 'path-supremum' : 'path-bridge', what, sample, law),
    ),
    data: {
      paths: rows.length,
      deviation,
      gaps: samples.map(({ sample, law }) => largestGap(sample, law)),
      share,
    },
  };
}

/** Theorem 2 and Corollary 1 of the inference paper. */
export const functionalClt: TheoremValidation<PathSetting, PathChunk> = {
  name: 'online-functional-clt',
  paper: 'online-inference',
  theorems: ['Theorem 2', 'Corollary 1'],
  title: 'Partial sums of the private path are a Brownian motion: covariances, suprema and bridges',
  source:
    'Xie, Shi, Jiang, Kong, He, Online differentially private inference in stochastic gradient descent, Theorem 2, Corollary 1',
  summary:
    'Squared loss of y = 1 + x + u for x = ±1 and u uniform on [−½, ½], clipped at 4, which is hardly ever reached; Gaussian gradients ' +
    'with μ = 4, γ = 0.7, α = 0.51, from the truth. Paths in units of A⁻¹(S + 4B₀²/μ²·I)A⁻¹. The supremum is over 80 times, of the ' +
    'Brownian motion as well. The variance at the end is above its limit by a share that is known exactly.',
  version: 2,
  cells: (scale) => [
    {
      key: 'squared',
      label: `μ = ${MU}`,
      setting: {
        request: {
          variant: 'gdp',
          mu: MU,
          model: { kind: 'response', loss: 'squared', features: FEATURES, clip: CLIP },
          rate: RATE,
          decay: DECAY,
          start: [1, 1],
          inference: [],
        },
        steps: STEPS,
        looks: LOOKS,
        size: 500,
      },
      chunks: scale === 'full' ? 60 : 4,
    },
  ],
  smallRun: (setting) => ({ ...setting, steps: 800, size: 1 }),
  chunk,
  report,
};
