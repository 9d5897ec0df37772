import { bits, type Json, seededRandom } from 'ldpkit';
import { fillSphere } from 'ldpkit/mechanism';
import { createRotation, rotate, rotationBound } from 'ldpkit/protocols/user-level-mean';
import { digits, measuredMean, ratePoints, toleranceOf } from 'ldpkit/testing';
import {
  type CellResult,
  type ExperimentReport,
  type Sweep,
  sweepCells,
  sweepResults,
  type TheoremValidation,
} from '../../experiment/experiment.ts';
import { claimedCurve, logFigure, measuredCurve } from '../../experiment/figure.ts';
import { shareError } from '../../experiment/statistics.ts';

const { abs, max, min, sqrt } = Math;

interface RotationSetting {
  readonly [name: string]: Json;
  readonly size: number;
  readonly players: number;
  readonly rotations: number;
}

interface RotationChunk {
  readonly [name: string]: Json;
  /** Largest coordinate of all players' images, rotation by rotation. */
  readonly largest: readonly number[];
  /** The same of a rotation without random signs. */
  readonly unsigned: number;
}

const PLAYERS = 20;
const FAILURE = 0.05;
const ROTATIONS = 300;

const SWEEP: Sweep<RotationSetting> = {
  ...{ key: 'size', variable: 'coordinates D', xs: [32, 128, 512, 2048] },
  setting: (size, _, scale) => ({ size, players: PLAYERS, rotations: ROTATIONS * (scale === 'full' ? 20 : 1) }),
};

const bound = (size: number): number => rotationBound(1, size, PLAYERS, FAILURE);

/** Unit vectors: flat on 1, 2, 4, … coordinates, the lengths that rotations spread least evenly, and in random directions. */
function vectorsOf(size: number, players: number): readonly Float64Array[] {
  const random = seededRandom(`vectors ${size}`);
  return Array.from({ length: players }, (_, i) => {
    const vector = new Float64Array(size);
    const flat = 2 ** i;
    if (flat > size) fillSphere(vector, random);
    else for (let k = 0; k < flat; k++) vector[k] = (bits(random) & 1 ? 1 : -1) / sqrt(flat);
    return vector;
  });
}

function largestOf(rotation: ReturnType<typeof createRotation>, vectors: readonly Float64Array[]): number {
  let largest = 0;
  for (const vector of vectors) {
    for (const coordinate of rotate(rotation, vector)) largest = max(largest, abs(coordinate));
  }
  return largest;
}

function chunk({ size, players, rotations }: RotationSetting, index: number, seed: string): RotationChunk {
  const vectors = vectorsOf(size, players);
  const largest: number[] = [];
  for (let i = 0; i < rotations; i++) {
    largest.push(largestOf(createRotation(size, `${seed} ${size} ${index * rotations + i}`), vectors));
  }
  // Without signs the flat vector becomes an axis.
  const signs = new Float64Array(size).fill(1 / sqrt(size));
  const flat = new Float64Array(size).fill(1 / sqrt(size));
  return { largest, unsigned: largestOf({ ...createRotation(size, seed), signs }, [flat]) };
}

function report(results: readonly CellResult<RotationSetting, RotationChunk>[]): ExperimentReport {
  const found = sweepResults(SWEEP, results);
  const largest = found.map(({ chunks }) => chunks.flatMap((one) => one.largest));
  const outside = largest.map(
    (values, i) => values.filter((value) => value > bound(SWEEP.xs[i])).length / values.length,
  );
  const unsigned = found.map(({ chunks }) => min(...chunks.map((one) => one.unsigned)));
  const means = ratePoints(SWEEP.xs, largest.map(measuredMean));
  const ratios = means.map(({ x, y }) => y / bound(x));
  return {
    claims: [
      {
        // A rate that is ξ at most is above it by that with probability 3e-6; it stays far below besides.
        asked: `no coordinate of ${PLAYERS} rotated vectors is above √(2·ln(2Dn/ξ)/D), but with probability at most ξ = ${FAILURE}`,
        measured: outside.map((share, i) => `${digits(share)} at D = ${SWEEP.xs[i]}`).join(', '),
        met: outside.every((share, i) => share <= FAILURE + toleranceOf(shareError(FAILURE, largest[i].length))),
      },
      {
        // Means of hundreds of maxima deviate by less than .01 of the bound.
        asked: 'the bound is not idle: the largest coordinate is between .6 and .95 of it on average, for every D',
        measured: ratios.map((ratio) => digits(ratio)).join(', '),
        met: ratios.every((ratio) => ratio >= 0.6 && ratio <= 0.95),
      },
      {
        asked: 'control: without random signs a flat vector becomes an axis, far above the bound',
        measured: unsigned.map((value, i) => `${digits(value / bound(SWEEP.xs[i]))} times the bound`).join(', '),
        met: unsigned.every((value, i) => value > bound(SWEEP.xs[i])),
      },
    ],
    tables: [
      {
        title: 'Largest coordinate of all rotated unit vectors',
        columns: ['D', 'mean', 'bound', 'share beyond it', 'without signs'],
        rows: means.map(({ x, y }, i) => [
          String(x),
          digits(y),
          digits(bound(x)),
          digits(outside[i]),
          digits(unsigned[i]),
        ]),
        notes: [`${PLAYERS} vectors, flat on 1, 2, 4, … coordinates or in random directions; ξ = ${FAILURE}.`],
      },
    ],
    figures: [
      logFigure({
        name: 'user-level-random-rotation',
        title: 'Largest coordinate after a random rotation',
        x: 'coordinates D',
        y: 'largest coordinate, in units of the norm',
        curves: [
          measuredCurve('measured, mean', 0, means),
          claimedCurve('√(2·ln(2Dn/ξ)/D)', 1, SWEEP.xs, bound),
          {
            name: 'without random signs',
            style: 2,
            dashed: false,
            points: SWEEP.xs.map((x, i) => ({ x, y: unsigned[i] })),
          },
        ],
      }),
    ],
    data: means.map((point, i) => ({ ...point, outside: outside[i], unsigned: unsigned[i] })),
  };
}

/** Random signs and a Hadamard matrix spread every vector. */
export const randomRotationValidation: TheoremValidation<RotationSetting, RotationChunk> = {
  name: 'user-level-random-rotation',
  title: 'Coordinates after a random rotation',
  paper: 'slides',
  theorems: ['Results for the multivariate case, random rotation'],
  source:
    'Avella-Medina 2023 (slides), results for the multivariate case: ‖HDy‖∞ = Õ(B/√d) for all players with high probability',
  summary:
    'Random signs and a Walsh–Hadamard matrix on 20 fixed unit vectors, again and again with other signs; the bound has the constant of ' +
    'Hoeffding’s inequality and a union bound.',
  version: 1,
  cells: (scale) => sweepCells([SWEEP], scale, scale === 'full' ? 2 : 1),
  smallRun: (setting) => ({ ...setting, rotations: 1 }),
  chunk,
  report,
};
