import { hingeLoss } from 'ldpkit/optimize';
import { createForecaster, populationRisk, publicPopulation } from 'ldpkit/protocols/generalized-linear';
import { study } from 'ldpkit/protocols/hinge';
import { hingeOptimum } from 'ldpkit/simulate';
import { type Measured, measuredMean, plusMinus } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, PaperExperiment, Reproduction } from '../../experiment/experiment.ts';
import { type CurveFigure, type FigureCurve, linearFigure, plainCurve } from '../../experiment/figure.ts';
import { CANDIDATES, type Candidate, modelOf, parametersOf } from '../collections.ts';
import { constantModelRisk, makeFile } from '../files.ts';

const { floor, hypot, max, min } = Math;

/** A file with a number of players, an ε and a radius. */
export type Setting = {
  readonly dimension: number;
  readonly positive: number;
  readonly wrong: number;
  readonly players: number;
  readonly epsilon: number;
  readonly radius: number;
  /** Collections of every rival; of the default there are four times as many or more, and of the best rival four times as many again. */
  readonly runs: number;
};

/** What came of a cell: risks on the players' records, of every collection. */
export type Chunk = {
  readonly degree: number;
  /** The least risk of a model in the ball. */
  readonly best: number;
  /** The risk of the best constant score, whether a model of the ball can have it or not. */
  readonly score: number;
  /** The least risk of a model that uses the constant coordinate alone. */
  readonly constant: number;
  /** The forecast excess risk of the default, from other records of the same law. */
  readonly forecast: number;
  readonly risks: { readonly [candidate: string]: readonly number[] };
  /** The rival whose mean is least in these collections, and its risks in other ones: those that chose it are too good. */
  readonly rival: { readonly name: string; readonly risks: readonly number[] };
};

const loss = hingeLoss();

/** For each collection of a rival so many of the default, and of the best rival again. */
const OWN = 4;

/** A few collections in a hundred make the mean excess: until it is known to a tenth the default is collected so many times as often, where that costs little. */
const mostBatches = (dimension: number): number => min(4, floor(12 / dimension));

function chunk(setting: Setting, index: number, seed: string): Chunk {
  const { dimension, players, epsilon, radius, runs } = setting;
  const file = makeFile(setting, `${seed}/players`);
  const population = publicPopulation(file, file.players);
  const question = { file, epsilon, radius, players };
  const risksOf = (candidate: Candidate, count: number, first = 0): readonly number[] | undefined => {
    const parameters = parametersOf(candidate, question);
    if (parameters === undefined) return undefined;
    return Array.from({ length: count }, (_, run) => {
      const own = `${seed}/${candidate}/${JSON.stringify(setting)}/${index}/${first + run}`;
      return populationRisk(population, loss, modelOf(candidate, parameters, question, own));
    });
  };
  const best = hingeOptimum(file, radius).risk;
  const risks: Record<string, readonly number[]> = {};
  for (const candidate of CANDIDATES) {
    const found = risksOf(candidate, candidate === 'default' ? OWN * runs : runs);
    if (found !== undefined) risks[candidate] = found;
  }
  for (let batch = 1; batch < mostBatches(dimension); batch++) {
    const { mean, error } = measuredMean(risks.default);
    if (error <= 0.1 * (mean - best)) break;
    risks.default = [...risks.default, ...(risksOf('default', OWN * runs, risks.default.length) ?? [])];
  }
  const name = CANDIDATES.slice(1)
    .filter((candidate) => risks[candidate] !== undefined)
    .reduce((least, next) => (measuredMean(risks[next]).mean < measuredMean(risks[least]).mean ? next : least));
  const planned = parametersOf('default', question);
  if (planned === undefined) throw new RangeError('a plan stays within its own limit');
  const other = publicPopulation(makeFile(setting, `${seed}/public`), file.players);
  const forecaster = createForecaster(dimension, { loss, radius, population: other, intercept: 0, unitNorm: true });
  return {
    degree: planned.degree,
    best,
    score: study.bestConstant(file, radius).risk,
    constant: constantModelRisk(file, radius),
    forecast: forecaster(planned, players).excessRisk,
    risks,
    rival: { name, risks: risksOf(name, OWN * runs, runs) ?? [] },
  };
}

/** A cell as the report counts it. */
interface Row extends Chunk {
  readonly setting: Setting;
  readonly own: Measured;
  /** The best of mean only and the degrees 1 to 4. */
  readonly other: Measured & { readonly name: string };
  /** Whether the default is at most that of the best model + 2 standard errors of the difference. */
  readonly asGood: boolean;
  /** The same beside the model that uses the constant alone. */
  readonly asConstant: boolean;
  /** Forecast over measured excess. */
  readonly ratio: number;
}

function rowOf({ cell: { setting }, chunks: [found] }: CellResult<Setting, Chunk>): Row {
  const own = measuredMean(found.risks.default);
  const other = { name: found.rival.name, ...measuredMean(found.rival.risks) };
  return {
    ...found,
    setting,
    own,
    other,
    asGood: own.mean <= other.mean + 2 * hypot(own.error, other.error),
    asConstant: own.mean <= found.constant + 2 * own.error,
    ratio: found.forecast / (own.mean - found.best),
  };
}

const share = (rows: readonly Row[], met: (row: Row) => boolean): number => rows.filter(met).length / rows.length;
const percent = (part: number): string => `${(100 * part).toFixed(0)} %`;
const foreseen = ({ ratio }: Row): boolean => ratio >= 1 / 1.5 && ratio <= 1.5;
/** Whether an excess that the measurement allows is within the factor. */
const foreseenWithin = ({ forecast, own, best }: Row): boolean =>
  forecast >= (own.mean - best - 2 * own.error) / 1.5 && forecast <= (own.mean - best + 2 * own.error) * 1.5;

function tableOf(rows: readonly Row[], radius: number, epsilon: number): Reproduction {
  const shown = (row: Row): readonly string[] => [
    String(row.setting.dimension),
    percent(row.setting.positive),
    percent(row.setting.wrong),
    row.setting.players.toExponential(0),
    String(row.degree),
    row.best.toFixed(4),
    row.score.toFixed(4),
    row.constant.toFixed(4),
    `${plusMinus(row.other.mean, row.other.error, 4)} (${row.other.name})`,
    `${plusMinus(row.own.mean, row.own.error, 4)}${row.asGood ? '' : ' above the best'}`,
    row.forecast.toFixed(4),
    row.ratio.toFixed(2),
  ];
  return {
    title: `hinge risk, ‖w‖ ≤ ${radius}, ε = ${epsilon}`,
    columns: [
      ...[
        'p',
        'positives',
        'wrong labels',
        'n',
        'degree planned',
        'non-private',
        'best constant score',
        'constant alone',
      ],
      ...['best of mean and degrees 1–4', 'default', 'forecast excess', 'forecast / measured'],
    ],
    rows: rows.filter(({ setting }) => setting.radius === radius && setting.epsilon === epsilon).map(shown),
    notes: [
      'Means ± standard errors over collections. The best constant score is known to nobody and mostly out of reach: records are on',
      'the unit sphere, so that a constant coordinate does not give the same score to all. "Constant alone" is the best model in the',
      'ball that uses that coordinate only, found from the labels in the clear. Mean and degrees are collected and fitted by themselves;',
      'the best of them is chosen by some collections, and its risk is that of others.',
    ],
  };
}

/** In how many cells the default and its rivals are within so much of the non-private risk. */
function figureOf(rows: readonly Row[]): CurveFigure {
  const shares = rows.map((_, i) => (100 * (i + 1)) / rows.length);
  const curve = (name: string, style: number, of: (row: Row) => number): FigureCurve => {
    const excess = rows.map((row) => max(1e-5, of(row) - row.best));
    return plainCurve(
      name,
      style,
      excess.sort((a, b) => a - b),
      shares,
    );
  };
  return linearFigure({
    name: 'defaults',
    title: 'Cells within so much of the non-private risk',
    x: 'excess hinge risk',
    y: 'cells, %',
    logarithmic: 'x',
    curves: [
      curve('default', 0, ({ own }) => own.mean),
      curve('best of mean and degrees 1–4, in hindsight', 1, ({ other }) => other.mean),
      curve('constant alone, known from the labels', 2, ({ constant }) => constant),
    ],
  });
}

function report(results: readonly CellResult<Setting, Chunk>[]): ExperimentReport {
  const rows = results.map(rowOf);
  const few = rows.length < 50;
  const claimed = (asked: string, least: number, met: (row: Row) => boolean) => {
    const part = share(rows, met);
    const measured = `${percent(part)} of ${rows.length}`;
    return few ? { asked, measured, met: false, undecided: true as const } : { asked, measured, met: part >= least };
  };
  const radii = [...new Set(rows.map(({ setting }) => setting.radius))];
  const epsilons = [...new Set(rows.map(({ setting }) => setting.epsilon))];
  return {
    claims: [
      claimed(
        'the default is at most the best of mean and degrees 1–4 + 2 standard errors in 95 % of the cells',
        0.95,
        (row) => row.asGood,
      ),
      claimed('the same beside the constant alone, known from the labels', 0.95, (row) => row.asConstant),
      claimed('the forecast is within a factor 1.5 of the measured excess in 90 % of the cells', 0.9, foreseen),
      claimed('the same up to two standard errors of what was measured', 0.9, foreseenWithin),
    ],
    tables: epsilons.flatMap((epsilon) => radii.map((radius) => tableOf(rows, radius, epsilon))),
    figures: [figureOf(rows)],
    data: rows.map(({ setting, degree, best, score, constant, forecast, own, other, ratio }) => ({
      ...{ ...setting, degree, best, score, constant, forecast, ratio },
      ...{ risk: own.mean, error: own.error, rival: other.name, rivalRisk: other.mean, rivalError: other.error },
    })),
  };
}

/** The default of the hinge protocol on synthetic files, beside what is simpler. */
export const defaults: PaperExperiment<Setting, Chunk> = {
  name: 'defaults',
  title: 'The default on synthetic files, beside what is simpler',
  source: 'no paper: what a user gets without choosing anything',
  summary:
    'Synthetic files of 10,000 records: a constant and normal features, labels divided by a line, 2, 10 or 50 % positive, and a share of ' +
    'labels turned round. 10,000 players answer by reports, and with short ones up to a million; else the tally is drawn from the normal law with the ' +
    'mean and covariance of the sum. Beyond 10,000 players each record is held by many. The forecast knows another file of the same law.',
  version: 5,
  cells: (scale) => {
    const grid =
      scale === 'full'
        ? {
            dimensions: [3, 10, 30],
            positives: [0.02, 0.1, 0.5],
            wrongs: [0, 0.2, 0.4],
            sizes: [1e4, 1e5, 1e6, 1e7],
            radii: [2],
            runs: 8,
          }
        : { dimensions: [3, 10], positives: [0.1, 0.5], wrongs: [0.2], sizes: [1e4, 1e6], radii: [2], runs: 4 };
    const { dimensions, positives, wrongs, sizes, radii, runs } = grid;
    return radii.flatMap((radius) =>
      dimensions.flatMap((dimension) =>
        positives.flatMap((positive) =>
          wrongs.flatMap((wrong) =>
            sizes.map((players) => ({
              key: `${radius}-${dimension}-${100 * positive}-${100 * wrong}-${players}`,
              label: `p = ${dimension}, ${100 * positive} % positive, ${100 * wrong} % wrong, n = ${players}, ‖w‖ ≤ ${radius}`,
              setting: { dimension, positive, wrong, players, epsilon: 1, radius, runs },
              chunks: 1,
            })),
          ),
        ),
      ),
    );
  },
  smallRun: (setting) => ({ ...setting, dimension: 2, positive: 0.5, wrong: 0, players: 1e5, runs: 1 }),
  chunk,
  report,
};
