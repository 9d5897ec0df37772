import { digits, type ExperimentClaim, type Measured, measuredMean, plusMinus } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, Reproduction } from '../../experiment/experiment.ts';
import { type Figure, logFigure, meanCurve } from '../../experiment/figure.ts';
import { SCHEMES, schemePlan, type TwoRoundsChunk, type TwoRoundsSetting } from './runs.ts';

const { abs, hypot, log, sqrt } = Math;

type Result = CellResult<TwoRoundsSetting, TwoRoundsChunk>;

/** What came of a setting: mean squared errors, scheme after scheme. */
export interface Outcome {
  readonly key: string;
  readonly setting: TwoRoundsSetting;
  readonly runs: number;
  readonly squares: readonly Measured[];
}

const AXES = [
  { field: 'samples', label: 'samples m' },
  { field: 'players', label: 'players n' },
  { field: 'dimension', label: 'dimension d' },
  { field: 'epsilon', label: 'ε' },
] as const;

/** Mean squared error of other schemes on such samples, by n, as their authors print it. */
const PUBLISHED = [
  { name: 'DAME-BS', of: { 2040: 0.063, 18040: 0.011 } },
  { name: 'Kent, Berrett, Yu', of: { 2040: 0.078, 18040: 0.018 } },
  { name: 'Girgis et al.', of: { 2040: 1.76, 18040: 0.237 } },
] as const;

/** What is asked is decided where it is three standard errors away. */
const DEVIATIONS = 3;

function outcomeOf({ cell: { key, setting }, chunks }: Result): Outcome {
  const all = SCHEMES.map((_, k) => chunks.flatMap(({ squares }) => squares[k]));
  return { key, setting, runs: all[0].length, squares: all.map(measuredMean) };
}

/** The root of a mean square. */
function root({ mean, error }: Measured): Measured {
  return { mean: sqrt(mean), error: error / (2 * sqrt(mean)) };
}

/** What is printed by others has no error. */
const shown = ({ mean, error }: Measured): string => (error === 0 ? digits(mean) : plusMinus(mean, error));

/** A claim that the mean squared error of one is below that of another times a factor, to three standard errors of the logarithms. */
export function belowClaim(asked: string, one: Measured, other: Measured, factor: number): ExperimentClaim {
  const margin = log((factor * other.mean) / one.mean);
  const doubt = DEVIATIONS * hypot(one.error / one.mean, other.error / other.mean);
  const measured = `${shown(root(one))} against ${shown(root(other))}, ${digits(sqrt(other.mean / one.mean))} times`;
  return { asked, measured, met: margin >= doubt, ...(abs(margin) < doubt ? { undecided: true as const } : {}) };
}

const at = (name: string): number => SCHEMES.findIndex((scheme) => scheme.name === name);

function claimsOf(outcomes: readonly Outcome[]): readonly ExperimentClaim[] {
  const of = (key: string, name: string): Measured => outcomes.find((one) => one.key === key)!.squares[at(name)];
  const exact = (mean: number): Measured => ({ mean, error: 0 });
  return [
    belowClaim('d = 8, n = 20,000, m = 50, ε = 1: twoRound within .03', of('base', 'twoRound'), exact(0.03 ** 2), 1),
    belowClaim(
      'there: two rounds with s stated at most 1.5 times the error of eight (vector)',
      of('base', 'twoRound, s stated'),
      of('base', 'vector'),
      1.5 ** 2,
    ),
    belowClaim('there: twoRound at most a tenth of naive', of('base', 'twoRound'), of('base', 'naive'), 0.01),
    belowClaim('there: naive below printed', of('base', 'naive'), of('base', 'printed'), 1),
    belowClaim(
      'd = 32: twoRound at least 2.5 times nearer than coordinates',
      of('dimension-1', 'twoRound'),
      of('dimension-1', 'coordinates'),
      1 / 2.5 ** 2,
    ),
    ...['clipped-0-0', 'clipped-0-1', 'clipped-1-0', 'clipped-1-1'].map((key) => {
      const { players, spread } = outcomes.find((one) => one.key === key)!.setting;
      const printed = PUBLISHED[0].of[players as 2040 | 18040];
      return belowClaim(
        `n = ${players}, s = ${spread}: vector below what DAME-BS prints, ${printed} in the square`,
        of(key, 'vector'),
        exact(printed),
        1,
      );
    }),
    ...[1, 2, 3].map((k) =>
      belowClaim(
        `departures: twoRound with s stated is nearer at ε = ${2 ** k} than at ${2 ** (k - 1)}`,
        of(`departures-${k}`, 'twoRound, s stated'),
        of(`departures-${k - 1}`, 'twoRound, s stated'),
        1,
      ),
    ),
  ];
}

function rowsOf({ setting, squares }: Outcome): readonly (readonly string[])[] {
  const { samples, players, dimension, epsilon } = setting;
  return SCHEMES.map((scheme, k) => {
    const plan = schemePlan(scheme, setting);
    const rounds = plan !== undefined && 'shares' in plan ? plan.shares.length : 1;
    const numbers = [dimension, players, samples, epsilon].map((value) => (k === 0 ? digits(value, 6) : ''));
    return [...numbers, scheme.name, String(rounds), scheme.guarantee, shown(root(squares[k]))];
  });
}

const COLUMNS = ['d', 'n', 'm', 'ε', 'scheme', 'rounds', 'guarantee', 'root mean squared error'];

function tableOf(title: string, outcomes: readonly Outcome[], notes: readonly string[]): Reproduction {
  const common = `ℓ₂ errors ± standard errors of ${outcomes[0].runs} runs; δ = 1e−6 where there is one.`;
  return { title, columns: COLUMNS, rows: outcomes.flatMap(rowsOf), notes: [common, ...notes] };
}

/** Squared errors of the studies beside ours. */
function publishedTable(outcomes: readonly Outcome[]): Reproduction {
  return {
    title: 'Published studies: mean squared error',
    columns: ['n', 's', ...SCHEMES.map(({ name }) => name), ...PUBLISHED.map(({ name }) => `${name}, printed`)],
    rows: outcomes.map(({ setting: { players, spread }, squares }) => [
      ...[String(players), String(spread)],
      ...squares.map(shown),
      ...PUBLISHED.map(({ of }) => String(of[players as 2040 | 18040])),
    ]),
    notes: [
      `d = 8, m = 20, ε = .6; means ± standard errors of ${outcomes[0].runs} runs, sums over coordinates. The printed numbers are those of the ` +
        'authors of DAME-BS, on their draws; which s they used is not printed.',
    ],
  };
}

function figureOf({ field, label }: (typeof AXES)[number], outcomes: readonly Outcome[]): Figure {
  const line = outcomes
    .filter(({ key }) => key === 'base' || key.startsWith(field))
    .sort((a, b) => a.setting[field] - b.setting[field]);
  return logFigure({
    name: `two-rounds-${field}`,
    title: `Error against ${label}`,
    x: label,
    y: 'root mean squared error',
    curves: SCHEMES.map(({ name }, style) =>
      meanCurve(
        name,
        style,
        line.map(({ setting }) => setting[field]),
        line.map(({ squares }) => root(squares[style])),
      ),
    ),
  });
}

/** Claims, tables and figures of the comparison. */
export function twoRoundsReport(results: readonly Result[]): ExperimentReport {
  const outcomes = results.map(outcomeOf);
  const from = (source: string): readonly Outcome[] => outcomes.filter(({ setting }) => setting.source === source);
  return {
    claims: claimsOf(outcomes),
    tables: [
      tableOf('Synthetic samples', from('uniform'), ['The answer 0 is off by √(d/12): .82 at d = 8.']),
      publishedTable(from('clipped')),
      tableOf('Departures of airport-days', from('departures'), [
        'The answer 0 is off by .255. With s stated: s = 1/√24 and m = 6, the harmonic mean of the flights of a day, since few of them vary most.',
      ]),
    ],
    figures: AXES.map((axis) => figureOf(axis, from('uniform'))),
    data: outcomes.map(({ key, setting, runs, squares }) => ({
      ...{ key, setting, runs },
      errors: Object.fromEntries(SCHEMES.map(({ name }, k) => [name, { ...root(squares[k]) }])),
    })),
  };
}
