import { averageIterate } from '../../../src/inference/random-scaling.ts';
import type { PlainRequest } from '../../../src/protocol/contract.ts';
import type { Json } from '../../../src/protocol/digest.ts';
import {
  type CellResult,
  type ExperimentClaim,
  type ExperimentReport,
  replicationsOf,
} from '../../../src/simulation/paper-experiment.ts';
import { streamReplication } from '../../../src/simulation/stream.ts';
import type { TheoremValidation } from '../../../src/simulation/theorem-validation.ts';
import { type OnlineSgdRequest, onlineSgdPlan } from '../parameters.ts';
import { onlineSgd } from '../protocol.ts';
import { columnMeans, digits, logSlope, plusMinus } from '../reproductions/statistics.ts';
import { logarithmicGrid, squaredDistance } from '../reproductions/trajectory.ts';
import { boundClaim, claimedCurve, decayName, measuredCurve, rateThrough, slopeClaim } from './claims.ts';
import { signPopulation } from './risks.ts';

const { exp, sqrt } = Math;

/** Pairs of streams from two starts, which meet the same people with the same coins. */
export type StartSetting = { readonly decay: number; readonly checkpoints: readonly number[]; readonly size: number };

/** Squared distances between the two, by replication and checkpoint. */
export type StartPart = {
  readonly last: readonly (readonly number[])[];
  readonly average: readonly (readonly number[])[];
};

/** η. */
const RATE = 0.4;

/** m of the risk, whose Hessian is diag(1, ½). */
const CONVEXITY = 0.5;
const SPREAD: number = sqrt(CONVEXITY);
const DECAYS = [1 / 3, 1 / 2, 1];
const GRID = logarithmicGrid(20, 20_000, 16);

/** The average forgets a start like 1/n² once the last iterate has: from here on, for α up to ½. */
const SETTLED = 2000;

/** Below it the rounding of reports to single precision is all that separates the two. */
const ROUNDING = 1e-13;

/** How far the two starts are apart, squared. Clipping at 100 is never reached, so that the difference is linear in the start. */
const APART = 4;

function part({ decay, checkpoints, size }: StartSetting, index: number, seed: string): StartPart {
  const result = { last: [] as number[][], average: [] as number[][] };
  const { from, to } = replicationsOf(index, size);
  for (let replication = from; replication < to; replication++) {
    const [near, far] = [1, 1 + sqrt(APART)].map((start) => {
      const request: PlainRequest = {
        maker: 'gdp',
        mu: 100,
        model: { kind: 'response', loss: 'squared', features: 1, clip: 100 },
        rate: RATE,
        decay,
        start: [1, start],
        inference: [],
      };
      const looks: Float64Array[] = [];
      streamReplication(onlineSgd, {
        plan: onlineSgdPlan(request as unknown as OnlineSgdRequest),
        population: signPopulation(1, SPREAD),
        players: checkpoints[checkpoints.length - 1],
        seed: `${seed}/start/${replication}`,
        checkpoints,
        look: (_, state) => void looks.push(state.iterate.slice(), averageIterate(state.scaling)),
      });
      return looks;
    });
    const distances = near.map((look, k) => squaredDistance(look, far[k]));
    result.last.push(distances.filter((_, k) => k % 2 === 0));
    result.average.push(distances.filter((_, k) => k % 2 === 1));
  }
  return result;
}

/**
 * δ₀·exp(−mΣη_i), subexponential in n for α < 1. One step leaves ‖d‖² − η·dᵀA(2 − η‖x‖²)d in the mean, and η‖x‖² is 0.6 at most:
 * it is a bound, with room.
 */
function forgetting(decay: number, steps: number): number {
  let sum = 0;
  for (let i = 1; i <= steps; i++) sum += RATE * i ** -decay;
  return APART * exp(-CONVEXITY * sum);
}

function report(results: readonly CellResult<StartSetting, StartPart>[]): ExperimentReport {
  const lines = results.map(({ cell: { setting }, parts }) => {
    const last = parts.flatMap((one) => one.last);
    const average = parts.flatMap((one) => one.average);
    return { ...setting, last: columnMeans(last), average: columnMeans(average), rows: { last, average } };
  });
  const end = GRID.length - 1;
  return {
    claims: lines.flatMap(({ decay, checkpoints, last, rows }): readonly ExperimentClaim[] => {
      const what = `at ${decayName(decay)}`;
      if (decay === 1) {
        // Differences shrink by 1 − ηm/i in the mean in the flat direction: n^(−2ηm) squared, here n^(−0.4).
        const exponent = -2 * RATE * CONVEXITY;
        return [
          slopeClaim(
            `the start in the last iterate ${what}, squared, −2ηm`,
            exponent,
            logSlope(checkpoints, rows.last, 500),
            0.02,
          ),
          slopeClaim(
            `the start in the average ${what}, squared`,
            exponent,
            logSlope(checkpoints, rows.average, 500),
            0.02,
          ),
        ];
      }
      return [
        boundClaim(
          `δ₀·exp(−mΣη_i), for the start in the last iterate ${what},`,
          checkpoints.filter((n) => forgetting(decay, n) > ROUNDING),
          last.filter((_, k) => forgetting(decay, checkpoints[k]) > ROUNDING),
          (n) => forgetting(decay, n),
        ),
        slopeClaim(`the start in the average ${what}, squared`, -2, logSlope(checkpoints, rows.average, SETTLED), 0.05),
      ];
    }),
    tables: [
      {
        title: `Squared distance that starts ${APART} apart, squared, leave at n = ${GRID[end].toLocaleString('en-US')}`,
        columns: ['α', 'last iterate', 'average', 'slope of the average'],
        rows: lines.map(({ decay, checkpoints, last, average, rows }) => {
          const { slope, error } = logSlope(checkpoints, rows.average, SETTLED);
          return [
            decayName(decay).slice(4),
            digits(last[end].mean),
            digits(average[end].mean),
            plusMinus(slope, error),
          ];
        }),
        notes: [
          'Both streams of a pair meet the same people with the same coins; for a squared loss the difference is that of the starts.',
        ],
      },
    ],
    figures: [
      {
        kind: 'curves',
        name: 'start',
        title: 'What is left of the start',
        x: { label: 'players n', logarithmic: true },
        y: { label: 'squared distance of two averages', logarithmic: true },
        curves: lines.flatMap(({ decay, checkpoints, average }, style) => [
          measuredCurve(`measured, ${decayName(decay)}`, style, checkpoints, average),
          claimedCurve(
            decay === 1 ? 'rate n^(−2ηm), α = 1' : `rate n^(−2), ${decayName(decay)}`,
            style,
            checkpoints.filter((n) => n >= 200),
            rateThrough(checkpoints[end], average[end].mean, decay === 1 ? 2 * RATE * CONVEXITY : 2),
          ),
        ]),
        levels: [],
      },
    ],
    data: lines.map(
      ({ decay, last, average }): Json => ({
        decay,
        last: last.map((mean) => ({ ...mean })),
        average: average.map((mean) => ({ ...mean })),
      }),
    ),
  };
}

/** What is said of the start in the non-asymptotic paper. */
export const start: TheoremValidation<StartSetting, StartPart> = {
  name: 'online-start',
  paper: 'online-rates',
  theorems: ['Remark 2', 'Remark 3'],
  title: 'The last iterate forgets its start subexponentially, the average like n^(−2), and neither at α = 1',
  source: 'Shi, Xie, Jiang, Kong, He, Non-asymptotic analysis of online local private learning with SGD, Remarks 2, 3',
  summary:
    'Two streams from different starts meet the same people with the same coins: for the squared loss, whose clipping norm is never ' +
    'reached, their difference is what the start leaves. m = ½, η = 0.4. At α = 1 it falls like n^(−2ηm), however large n: ' +
    'convergence at the rate 1/n is not assured.',
  version: 1,
  cells: (scale) =>
    DECAYS.map((decay, index) => ({
      key: `decay-${['1-3', '1-2', '1'][index]}`,
      label: decayName(decay),
      setting: { decay, checkpoints: GRID, size: 5 },
      parts: scale === 'full' ? 40 : 2,
    })),
  probe: (setting) => ({ ...setting, checkpoints: [20, 200], size: 1 }),
  part,
  report,
};
