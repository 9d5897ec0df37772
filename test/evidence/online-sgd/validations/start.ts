import { averageIterate } from 'ldpkit/inference';
import { digits, type ExperimentClaim, meansClaim, plusMinus, powerLaw, slopeClaim } from 'ldpkit/testing';
import {
  type CellResult,
  type ExperimentReport,
  replicationsOf,
  type TheoremValidation,
} from '../../experiment/experiment.ts';
import { logFigure } from '../../experiment/figure.ts';
import { columnMeans, jackknifeSlope } from '../../experiment/statistics.ts';
import { logarithmicGrid, looksAt, planOf, seen, squaredDistance } from '../reproductions/trajectory.ts';
import { decayName, streamCurve, streamLaw } from './curves.ts';
import { quadraticLaw, totals } from './quadratic-law.ts';
import { signPopulation } from './risks.ts';

const { exp, sqrt } = Math;

/** Pairs of streams from two starts, which meet the same people with the same coins. */
type StartSetting = { readonly decay: number; readonly checkpoints: readonly number[]; readonly size: number };

/** Squared distances between the two, by replication and checkpoint. */
type StartChunk = {
  readonly last: readonly (readonly number[])[];
  readonly average: readonly (readonly number[])[];
};

/** η. */
const RATE = 0.4;

/** m of the risk, whose Hessian is diag(1, ½). */
const CONVEXITY = 0.5;

const SPREAD: number = sqrt(CONVEXITY);

/** How far the two starts are apart, squared. Clipping at 100 is never reached, so that the difference is linear in the start. */
const APART = 4;

/** One chunk of the pairs. */
function startChunk({ decay, checkpoints, size }: StartSetting, index: number, seed: string): StartChunk {
  const population = signPopulation(1, SPREAD);
  const looks = replicationsOf(index, size).map((replication) => {
    const [near, far] = [1, 1 + sqrt(APART)].map((start) => {
      const plan = planOf({
        variant: 'gdp',
        mu: 100,
        model: { kind: 'response', loss: 'squared', features: 1, clip: 100 },
        rate: RATE,
        decay,
        start: [1, start],
        inference: [],
      });
      return looksAt(
        { plan, population, checkpoints, seed: `${seed}/start/${replication}` },
        ({ iterate, scaling }) => ({
          last: iterate.slice(),
          average: averageIterate(scaling),
        }),
      );
    });
    return near.map(({ last, average }, k) => ({
      last: squaredDistance(last, far[k].last),
      average: squaredDistance(average, far[k].average),
    }));
  });
  return { last: seen(looks, 'last'), average: seen(looks, 'average') };
}

const DECAYS = [1 / 3, 1 / 2, 1];

const GRID = logarithmicGrid(20, 20_000, 16);

/** The average forgets a start like 1/n² once the last iterate has: from here on, for α up to ½. */
const SETTLED = 2000;

/** Where the last iterate is compared with what is exact: later its mean rests on a few streams that forget slowly. */
const EARLY: readonly number[] = [1, 2, 4, 8, 16, 32, 64];

/** What is left of the start, exactly: E‖d‖² for d ← (I − η·xxᵀ)d, from (0, √δ₀) in the flat direction. */
function remaining(decay: number, checkpoints: readonly number[]): readonly number[] {
  const fields = { squares: [1, CONVEXITY], noise: () => 0, response: 0, rate: RATE, decay, start: [0, APART] };
  return totals(quadraticLaw(fields, checkpoints).last);
}

/** δ₀·exp(−mΣη_i), subexponential in n for α < 1: a bound, with room, for one step leaves ‖d‖² − η·dᵀA(2 − η‖x‖²)d and η‖x‖² ≤ 0.6. */
function forgetting(decay: number, steps: number): number {
  let sum = 0;
  for (let i = 1; i <= steps; i++) sum += RATE * i ** -decay;
  return APART * exp(-CONVEXITY * sum);
}

function report(results: readonly CellResult<StartSetting, StartChunk>[]): ExperimentReport {
  const all = results.map(({ cell: { setting }, chunks }) => {
    const last = chunks.flatMap((one) => one.last);
    const average = chunks.flatMap((one) => one.average);
    return { ...setting, last: columnMeans(last), average: columnMeans(average), rows: { last, average } };
  });
  const lines = all.filter(({ checkpoints }) => checkpoints.length === GRID.length);
  const early = all.filter(({ checkpoints }) => checkpoints.length === EARLY.length);
  const end = GRID.length - 1;
  return {
    claims: [
      ...early.map(({ decay, checkpoints, last }) =>
        meansClaim(
          `what is left of the start in the last iterate, exactly, at ${decayName(decay)}: n = 1 to ${checkpoints[checkpoints.length - 1]}, within 2 %`,
          last,
          remaining(decay, checkpoints),
          0.02,
        ),
      ),
      ...early.map(({ decay }): ExperimentClaim => {
        const loose = EARLY.map((n, k) => forgetting(decay, n) / remaining(decay, EARLY)[k]);
        return {
          asked: `δ₀·exp(−mΣη_i) is above what is left at ${decayName(decay)}: not contradicted, and too large by the more the longer`,
          measured: `${digits(loose[0])} times at n = 1, ${digits(loose[loose.length - 1])} times at n = ${EARLY[EARLY.length - 1]}`,
          met: loose.every((ratio) => ratio >= 1),
        };
      }),
      ...lines.flatMap(({ decay, checkpoints, rows }): readonly ExperimentClaim[] => {
        const what = `at ${decayName(decay)}`;
        if (decay === 1) {
          // Differences shrink by 1 − ηm/i in the mean in the flat direction: n^(−2ηm) squared, here n^(−0.4).
          const exponent = -2 * RATE * CONVEXITY;
          return [
            slopeClaim(
              {
                what: `log-log slope of the start in the last iterate ${what}, squared, −2ηm`,
                ...{ expected: exponent, slack: 0.02 },
              },
              jackknifeSlope(checkpoints, rows.last, 500),
            ),
            slopeClaim(
              { what: `log-log slope of the start in the average ${what}, squared`, expected: exponent, slack: 0.02 },
              jackknifeSlope(checkpoints, rows.average, 500),
            ),
          ];
        }
        return [
          slopeClaim(
            { what: `log-log slope of the start in the average ${what}, squared`, expected: -2, slack: 0.05 },
            jackknifeSlope(checkpoints, rows.average, SETTLED),
          ),
        ];
      }),
    ],
    tables: [
      {
        title: `Squared distance that starts ${APART} apart, squared, leave at n = ${GRID[end].toLocaleString('en-US')}`,
        columns: ['α', 'last iterate', 'average', 'slope of the average'],
        rows: lines.map(({ decay, checkpoints, last, average, rows }) => {
          const { slope, error } = jackknifeSlope(checkpoints, rows.average, SETTLED);
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
      logFigure({
        name: 'start',
        title: 'What is left of the start',
        x: 'players n',
        y: 'squared distance of two averages',
        curves: lines.flatMap(({ decay, checkpoints, average }, style) => [
          streamCurve(`measured, ${decayName(decay)}`, style, checkpoints, average),
          streamLaw(
            decay === 1
              ? 'rate n^(−2ηm) through the last point, α = 1'
              : `rate n^(−2) through the last point, ${decayName(decay)}`,
            style,
            checkpoints.filter((n) => n >= 200),
            powerLaw({ centre: checkpoints[end], level: average[end].mean }, decay === 1 ? -2 * RATE * CONVEXITY : -2),
          ),
        ]),
      }),
      logFigure({
        name: 'start-last',
        title: 'What is left of the start in the last iterate',
        x: 'players n',
        y: 'squared distance of two last iterates',
        curves: early.flatMap(({ decay, checkpoints, last }, style) => [
          streamCurve(`measured, ${decayName(decay)}`, style, checkpoints, last),
          streamLaw(`exact, ${decayName(decay)}`, style, checkpoints, (n) => remaining(decay, [n])[0]),
          streamLaw(`bound δ₀·exp(−mΣη), ${decayName(decay)}`, style + 3, checkpoints, (n) => forgetting(decay, n)),
        ]),
      }),
    ],
    data: all.map(({ decay, last, average }) => ({ decay, last, average })),
  };
}

/** What is said of the start in the non-asymptotic paper. */
export const start: TheoremValidation<StartSetting, StartChunk> = {
  name: 'online-start',
  paper: 'online-rates',
  theorems: ['Remark 2', 'Remark 3'],
  title: 'The last iterate forgets its start subexponentially, the average like n^(−2), and neither at α = 1',
  source: 'Shi, Xie, Jiang, Kong, He, Non-asymptotic analysis of online local private learning with SGD, Remarks 2, 3',
  summary:
    'Two streams from different starts meet the same people with the same coins: for the squared loss, whose clipping norm is never ' +
    'reached, their difference is what the start leaves. m = ½, η = 0.4. At α = 1 it falls like n^(−2ηm), however large n: ' +
    'convergence at the rate 1/n is not assured.',
  version: 2,
  cells: (scale) =>
    DECAYS.flatMap((decay, index) => {
      const name = ['1-3', '1-2', '1'][index];
      return [
        {
          key: `decay-${name}`,
          label: decayName(decay),
          setting: { decay, checkpoints: GRID, size: 5 },
          chunks: scale === 'full' ? 40 : 4,
        },
        {
          key: `early-${name}`,
          label: `${decayName(decay)}, first steps`,
          setting: { decay, checkpoints: EARLY, size: 600 },
          chunks: scale === 'full' ? 20 : 2,
        },
      ];
    }),
  smallRun: (setting) => ({ ...setting, checkpoints: [20, 200], size: 1 }),
  chunk: startChunk,
  report,
};
