import { seededRandom } from 'ldpkit';
import { hingeLoss } from 'ldpkit/optimize';
import {
  createForecaster,
  populationOptimum,
  populationRisk,
  referencePopulation,
} from 'ldpkit/protocols/generalized-linear';
import { hinge, hingeParameters } from 'ldpkit/protocols/hinge';
import { digits, rateFit, slopeClaim } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { logFigure } from '../../experiment/figure.ts';
import {
  FORECAST_COLUMNS,
  forecastClaim,
  forecastCurves,
  forecastLine,
  forecastRows,
} from '../../shared/excess-forecast.ts';
import { PAPER } from '../../shared/paper.ts';
import { printedPlayers } from '../table-1.ts';
import { collect } from './excess-risk.ts';

const { server } = hinge;

const { exp } = Math;

type Setting = {
  readonly variant: 'lifted' | 'gaussian';
  readonly epsilon: number;
  readonly dimension: number;
  readonly players: number;
  /** Of the polynomial in the place of the derivative of the hinge. */
  readonly degree: number;
  /** Draws of the noise that the forecast averages. */
  readonly draws: number;
  /** Collections of a chunk. */
  readonly runs: number;
};

type Chunk = {
  /** Excess risk of every collection on the reference population. */
  readonly excess: readonly number[];
  readonly forecast: number;
  /** Standard deviation of the forecast excess from one collection to the next. */
  readonly deviation: number;
};

/** P(right label) − P(wrong label) of the reference population. */
const SIGNAL = 0.5;

const optima = new Map<number, number>();

/** The least hinge risk over the unit ball, computed once for each dimension. */
function optimumOf(reference: ReturnType<typeof referencePopulation>): number {
  const known = optima.get(reference.dimension) ?? populationOptimum(reference, hingeLoss(), 1);
  optima.set(reference.dimension, known);
  return known;
}

function chunk(
  { variant, epsilon, dimension, players, degree, draws, runs }: Setting,
  index: number,
  seed: string,
): Chunk {
  const request = { epsilon, degree, dimension };
  const parameters = hingeParameters(
    variant === 'lifted' ? { variant, ...request } : { variant, delta: 1e-6, ...request },
  );
  const loss = hingeLoss();
  const reference = referencePopulation(dimension, SIGNAL);
  const best = optimumOf(reference);
  const random = seededRandom(`${seed}/table/${variant}/${epsilon}/${dimension}/${players}/${degree}/${index}`);
  const excess = Array.from({ length: runs }, () => {
    const { w } = server.estimate(parameters, collect(parameters, players, SIGNAL, random), { radius: 1 });
    return populationRisk(reference, loss, w) - best;
  });
  const { excessRisk, deviation } = createForecaster(dimension, { loss, signal: SIGNAL, draws })(parameters, players);
  return { excess, forecast: excessRisk, deviation };
}

const TARGETS = [0.2, 0.1, 0.05];

function report(results: readonly CellResult<Setting, Chunk>[]): ExperimentReport {
  const lines = results.map((result) => forecastLine(result, result.cell.setting.draws));
  const printed = TARGETS.map((target) => printedPlayers(target, 5));
  const variants = [...new Set(lines.map(({ setting }) => setting.variant))];
  return {
    claims: [
      forecastClaim(lines, 0.25),
      // Forecasts at all n are made of the same draws, so that their errors are less than those of the fit.
      ...[1, 2, 3].flatMap((degree) => {
        const own = lines.filter(
          ({ setting }) => setting.epsilon === 4 && setting.dimension === 3 && setting.degree === degree,
        );
        if (own.length < 3) return [];
        const points = own.map(({ setting, ratio, error }) => ({ x: setting.players, y: exp(ratio), relative: error }));
        return [
          slopeClaim(
            {
              what: `log-log slope in n of the excess over its forecast, degree ${degree}, R = 1`,
              expected: 0,
              // Forecast and collections have other samples of one population.
              slack: 0.05,
              largestTolerance: 0.3,
            },
            rateFit(points),
          ),
        ];
      }),
      {
        asked:
          'as printed, log₁₀ of the players of algorithm 1 with its constants, p = 5: refuted as a number of people, at least 10^50 for α ≤ 0.2',
        measured: TARGETS.map((target, i) => `α = ${target}: 10^${printed[i].toFixed(0)}`).join(', '),
        met: printed.every((players) => players >= 50),
      },
      {
        asked:
          'as printed, quasi-polynomial in 1/α: refuted, log₁₀ of the players grows at least as fast as 1/α, to 5 %',
        measured: `by factors ${digits(printed[1] / printed[0])} and ${digits(printed[2] / printed[1])} when α is halved`,
        met: printed[1] >= 1.9 * printed[0] && printed[2] >= 1.9 * printed[1],
      },
    ],
    tables: [
      {
        title: 'Excess hinge risk on the reference population',
        columns: FORECAST_COLUMNS,
        rows: forecastRows(lines),
        notes: ['R = 1, one label in four wrong, δ = 1e-6 for Gaussian reports.'],
      },
    ],
    figures: [
      logFigure({
        name: 'table-1',
        title: 'Excess hinge risk, simulated and forecast, ε = 2, p = 3',
        x: 'players n',
        y: 'mean excess hinge risk',
        curves: variants.flatMap((variant, style) =>
          forecastCurves(
            variant,
            style,
            lines.filter(
              ({ setting: { variant: own, epsilon, dimension } }) =>
                own === variant && epsilon === 2 && dimension === 3,
            ),
          ),
        ),
      }),
    ],
    data: {
      lines: lines.map(({ setting, excess, forecast, ratio, error }) => ({
        ...setting,
        excess,
        forecast,
        ratio,
        error,
      })),
      printed,
    },
  };
}

/** Table 1: how many players an excess risk takes, simulated and forecast. */
export const table: TheoremValidation<Setting, Chunk> = {
  name: 'hinge-table-1',
  title: 'Players for an excess hinge risk',
  paper: 'noninteractive',
  theorems: ['Table 1', 'Theorem 11'],
  source: `${PAPER}, table 1`,
  summary:
    'Collections of reports of the toolkit, degree 1 (at the full scale to 3), R = 1, from the law of the reference population, and the forecast that the numbers of ' +
    '`npm run reproduce -- table-1` are made with; and the players of algorithm 1 as printed, from its constants, which are too many to simulate.',
  version: 1,
  cells: (scale) => {
    const full = scale === 'full';
    const cell = (
      variant: Setting['variant'],
      epsilon: number,
      dimension: number,
      players: number,
      runs = 0,
      degree = 1,
    ) => ({
      key: `${variant}-${epsilon}-${dimension}-${players}-${degree}`,
      label: `${variant}, ε = ${epsilon}, p = ${dimension}, n = ${players.toLocaleString('en-US')}, degree ${degree}`,
      setting: { variant, epsilon, dimension, players, degree, draws: full ? 96 : 72, runs: full ? 20 : runs },
      chunks: full ? 6 : 1,
    });
    return [
      cell('lifted', 2, 3, 5000, 80),
      cell('lifted', 2, 3, 20_000, 60),
      cell('gaussian', 2, 3, 20_000, 60),
      ...(full
        ? [
            cell('lifted', 2, 3, 50_000),
            cell('gaussian', 2, 3, 50_000),
            cell('gaussian', 2, 3, 200_000),
            cell('lifted', 2, 5, 20_000),
            cell('gaussian', 2, 5, 50_000),
            ...[1, 2, 3].flatMap((degree) =>
              [4000, 16_000, 64_000].map((players) => cell('lifted', 4, 3, players, 20, degree)),
            ),
            cell('lifted', 1, 10, 20_000),
            cell('lifted', 4, 10, 20_000),
            cell('gaussian', 4, 10, 20_000),
          ]
        : []),
    ];
  },
  smallRun: (setting) => ({ ...setting, dimension: 1, players: 20, draws: 2, runs: 2 }),
  chunk,
  report,
};
