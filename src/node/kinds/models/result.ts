import type { Uncertainty } from '../../../inference/model-interval.ts';
import type { Certificate } from '../../../privacy/certificate.ts';
import { describeGuarantee, type Guarantee } from '../../../privacy/guarantee.ts';
import { compact, counted, wholeNumber } from '../../print.ts';
import { lineChart, profileChart } from '../../report/charts.ts';
import { type Picture, STYLES } from '../../report/markup.ts';
import { capital, type RunResult, type StudyHead, type Tile } from '../../report/result.ts';
import { doubtsOf, promiseInWords, type Verdict } from '../../report/verdict.ts';
import type { RefutedDocument } from '../../study.ts';

/** How far a private fit is from the non-private one: ℓ₂ distance of coefficients, in the unit of the document, and mean loss. */
export interface ModelErrors {
  readonly distance: number;
  readonly risk: number;
  readonly excessRisk: number;
  /** The share of intervals that contain the fit, and the mean of half their length; null where none are released. */
  readonly coverage: number | null;
  readonly halfWidth: number | null;
}

export interface ModelEstimate {
  readonly theta: readonly number[];
  readonly intervals: readonly (readonly [number, number])[] | null;
}

/** One run: one variant, one budget, one set of coins. */
export interface ModelRunRecord {
  readonly variant: string;
  readonly budget: number;
  /** From 1. */
  readonly repetition: number;
  readonly estimate: ModelEstimate;
  /** What the noise leaves open about the fit, in the unit of the document, from what was released alone. */
  readonly uncertainty: Uncertainty;
  readonly metrics: ModelErrors;
  /** Whether its steps were seen to have come to an end; null where what was released does not tell it. */
  readonly finished: boolean | null;
  readonly seconds: number;
}

/**
 * What `ldpkit run` of a fitted model reports: the headline run (first variant, budget closest to 1, first repetition),
 * then every run. `metrics` and `baselines` are computed from the records without privacy. Only the fits are private,
 * and for a refuted claim even they are not.
 */
export interface ModelRunDocument extends Omit<StudyHead, 'guarantee' | 'grade'>, Omit<ModelRunRecord, 'repetition'> {
  readonly symbol: 'ε' | 'μ';
  readonly delta?: number;
  /** Who holds the records: players who answer in rounds, or a trusted curator. */
  readonly setting: 'rounds' | 'central';
  /** Records of all players, and how many of each player plans rely on. */
  readonly records: number;
  readonly samples: number;
  readonly dimension: number;
  readonly features: readonly string[];
  /** Unit of coefficients and distances, and how many such units are 1 in the model. */
  readonly unit: string;
  readonly scale: number;
  /** The guarantee for one player, or for one record; null where the claim is refuted. */
  readonly guarantee: Guarantee | null;
  /** Claims that do not hold, one for each variant; absent where there is a guarantee. */
  readonly refuted?: readonly RefutedDocument[];
  readonly baselines: {
    /** The non-private fit with the least risk. */
    readonly nonPrivate: { readonly theta: readonly number[]; readonly risk: number };
    /** The best model without features, and the model of zeros: neither needs any player. */
    readonly constant: { readonly risk: number; readonly excessRisk: number };
    readonly zero: { readonly distance: number; readonly risk: number; readonly excessRisk: number };
  };
  readonly repetitions: number;
  /** What was public beforehand, and which conditions of a theorem do not hold. */
  readonly notes: readonly string[];
  readonly runs: readonly ModelRunRecord[];
  /** One for each budget and variant; empty where the claim is refuted. */
  readonly certificates: readonly { readonly budget: number; readonly certificate: Certificate }[];
}

/** Coefficients that the first sentence names. */
const NAMED = 3;

const NOTE =
  'Distance: ℓ₂, of the coefficients to those of least risk on the same records. The best constant ignores the features; zero asks ' +
  'nobody. Fit, baselines and errors are computed from the records in the clear, for comparison.';

const UNFINISHED =
  '* Not seen to be finished in one run at least: the last steps went further than their noise does, or the curvature is lost in ' +
  'its noise. Intervals, if any, say where such a fit stopped, not where it was going.';

const ZERO = 'zero: nobody is asked';

export function modelResult(document: ModelRunDocument): RunResult {
  const { summary, notes, symbol, budget, variant, certificates, repetitions, refuted = [], setting } = document;
  const rows = summed(document);
  const headline = rows.find((one) => one.variant === variant && one.budget === budget)!;
  const means = repetitions > 1 ? ' ± its standard deviation' : '';
  const claims = [
    ['variant', 'guaranteed', 'claimed', 'refuted'],
    ...refuted.map((one) => [one.variant, 'nothing', describeGuarantee(one.claimed), one.because]),
  ];
  const central = setting === 'central';
  return {
    verdict: verdictOf(document, headline),
    tiles: tilesOf(document, headline),
    about: [`${capital(summary)}.`, `${capital(playedText(document))}.`, ...notes],
    parts: [
      { heading: `Distance and excess risk against ${symbol}`, pictures: errorCharts(document, rows) },
      {
        heading: 'The model',
        pictures: [coefficientChart(document)],
        rows: coefficientRows(document),
        right: 1,
        notes: [`Of the first run of ${variant} at ${symbol} = ${budget}.`],
      },
      {
        heading: 'Results',
        rows: resultRows(document, rows),
        right: 2,
        grouped: true,
        notes: [
          `${NOTE} Means of ${counted(repetitions, 'run')}, the distance${means}.`,
          ...(rows.some(({ unfinished }) => unfinished > 0) ? [UNFINISHED] : []),
        ],
      },
      ...(certificates.length > 0 ? [] : [{ heading: 'What is not promised', rows: claims }]),
    ],
    ...(certificates.length > 0 ? { promised: { symbol, budget, central, certificates } } : {}),
  };
}

/** The runs of one variant at one budget: their means, the deviation of the distance between runs, and how many were not finished. */
interface Summed extends ModelErrors, Pick<ModelRunRecord, 'variant' | 'budget' | 'seconds'> {
  readonly deviation: number | null;
  readonly unfinished: number;
}

function summed({ runs }: ModelRunDocument): readonly Summed[] {
  const names = new Map(runs.map((run) => [`${run.variant} ${run.budget}`, run]));
  return Array.from(names.values(), ({ variant, budget }) => {
    const of = runs.filter((run) => run.variant === variant && run.budget === budget);
    const mean = (value: (run: ModelRunRecord) => number): number =>
      of.reduce((sum, run) => sum + value(run), 0) / of.length;
    const known = (key: 'coverage' | 'halfWidth'): number | null =>
      of[0].metrics[key] === null ? null : mean(({ metrics }) => metrics[key]!);
    const distance = mean(({ metrics }) => metrics.distance);
    const squares = mean(({ metrics }) => (metrics.distance - distance) ** 2);
    return {
      ...{ variant, budget, distance },
      deviation: of.length < 2 ? null : Math.sqrt((squares * of.length) / (of.length - 1)),
      risk: mean(({ metrics }) => metrics.risk),
      excessRisk: mean(({ metrics }) => metrics.excessRisk),
      coverage: known('coverage'),
      halfWidth: known('halfWidth'),
      unfinished: of.filter(({ finished }) => finished === false).length,
      seconds: mean(({ seconds }) => seconds),
    };
  });
}

/** A number of the document with a typographic minus sign; never a minus zero. */
function figure(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return '0';
  return `${value < 0 ? '−' : ''}${size >= 1e-3 && size < 100 ? size.toPrecision(3) : compact(size)}`;
}

function playedText({ setting, players, records, samples, features, unit, scale }: ModelRunDocument): string {
  const who =
    setting === 'central'
      ? `a curator holds ${counted(players, 'record')}`
      : records === players
        ? `${counted(players, 'player')}, each with one record, answer in rounds`
        : `${counted(players, 'player')} with ${counted(records, 'record')}, each with ${wholeNumber(samples)} or more, answer in rounds`;
  const scaled = scale === 1 ? '' : ` in ${unit} (${scale} of them are 1 in the model)`;
  return `${who}; ${counted(features.length, 'coefficient')}${scaled}`;
}

function verdictOf(document: ModelRunDocument, { distance, excessRisk, coverage, unfinished }: Summed): Verdict {
  const { variant, symbol, budget, baselines, players, setting, guarantee, unit, features, estimate } = document;
  const useless = excessRisk >= baselines.constant.excessRisk;
  const largest = features
    .map((name, i) => ({ name, value: estimate.theta[i] }))
    .filter(({ name }, i) => i > 0 || name !== 'intercept')
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .slice(0, NAMED)
    .map(({ name, value }) => `${name} ${figure(value)}`);
  const central = setting === 'central';
  const who = counted(players, central ? 'record' : 'player');
  const from = central ? `From ${who} that a trusted curator holds` : `From the noisy answers of ${who}`;
  const inside = coverage === null ? '' : ` Its intervals hold ${Math.round(100 * coverage)} % of those coefficients.`;
  const stopped =
    unfinished === 0
      ? ''
      : ` Its steps were not seen to come to an end in ${unfinished} of ${counted(document.repetitions, 'run')}: ` +
        (coverage === null ? 'it may have been on its way.' : 'such intervals may hold less than they say.');
  return {
    open: useless || guarantee === null || unfinished > 0,
    learnt: useless
      ? `${from} no useful model came (${variant}, ${symbol} = ${budget}): a constant that ignores the features is as good.`
      : `${from} came a model of ${counted(features.length, 'coefficient')} (${variant}, ${symbol} = ${budget}), the largest of which are ${largest.join(', ')}.`,
    distance:
      `Its coefficients are ${figure(distance)} (ℓ₂, in ${unit}) from those of the fit in the clear, the mean of ${counted(document.repetitions, 'run')}; ` +
      `coefficients of zero, for which nobody is asked, are ${figure(baselines.zero.distance)} from it.${inside}${stopped}`,
    cost:
      `${figure(excessRisk)} of risk above that of the fit, where the best constant has ${figure(baselines.constant.excessRisk)}; ` +
      `${who}.`,
    promise:
      guarantee === null
        ? 'Nothing: the claim of this protocol is refuted, and no privacy may be relied on.'
        : promiseInWords(guarantee, central ? 'record' : 'player'),
    ...doubtsOf(
      document.runs.filter(({ repetition }) => repetition === 1),
      (run) => run.variant === variant && run.budget === budget,
      (run) => ({
        ...{ name: `${run.variant} at ${symbol} = ${run.budget}, first run`, players, figure },
        who: central ? 'records' : 'players',
        unfinished: run.finished === false,
      }),
    ),
  };
}

function tilesOf(document: ModelRunDocument, row: Summed): readonly Tile[] {
  const { variant, symbol, budget, baselines, players, records, setting, guarantee, unit } = document;
  const central = setting === 'central';
  return [
    {
      name: `distance to the fit in the clear, ${variant} at ${symbol} = ${budget}`,
      figure: figure(row.distance),
      notes: [unit, `zero ${figure(baselines.zero.distance)}`],
    },
    {
      name: 'excess risk',
      figure: figure(row.excessRisk),
      notes: [`best constant ${figure(baselines.constant.excessRisk)}`, `zero ${figure(baselines.zero.excessRisk)}`],
    },
    {
      name: central ? 'records of the curator' : 'players',
      figure: wholeNumber(players),
      notes: [...(central ? [] : [counted(records, 'record')]), `${row.seconds.toFixed(2)} s a fit`],
    },
    {
      name: central ? 'one record is promised' : 'one player is promised',
      figure: guarantee === null ? 'nothing' : describeGuarantee(guarantee),
      notes: [guarantee === null ? 'the claim is refuted' : 'all releases together'],
    },
  ];
}

function resultRows(document: ModelRunDocument, rows: readonly Summed[]): readonly (readonly string[])[] {
  const { baselines, symbol, runs } = document;
  const { nonPrivate, constant, zero } = baselines;
  const intervals = <Cell>(cells: readonly Cell[]): readonly Cell[] =>
    runs.some(({ estimate }) => estimate.intervals !== null) ? cells : [];
  const blank = intervals(['', '']);
  return [
    [symbol, 'variant', 'distance', 'risk', 'excess risk', ...intervals(['inside', 'half an interval']), 'seconds'],
    ['', 'fit in the clear', '0', nonPrivate.risk.toFixed(5), '0', ...blank, ''],
    ['', 'best constant', '', constant.risk.toFixed(5), figure(constant.excessRisk), ...blank, ''],
    ['', 'zero', figure(zero.distance), zero.risk.toFixed(5), figure(zero.excessRisk), ...blank, ''],
    ...rows.map(
      ({ budget, variant, distance, deviation, risk, excessRisk, coverage, halfWidth, unfinished, seconds }) => [
        ...[String(budget), unfinished > 0 ? `${variant} *` : variant],
        `${figure(distance)}${deviation === null ? '' : ` ± ${figure(deviation)}`}`,
        ...[risk.toFixed(5), figure(excessRisk)],
        ...intervals([
          coverage === null ? '–' : `${Math.round(100 * coverage)} %`,
          halfWidth === null ? '–' : `± ${figure(halfWidth)}`,
        ]),
        seconds.toFixed(3),
      ],
    ),
  ];
}

function coefficientRows({ features, estimate: { intervals, theta }, baselines, variant }: ModelRunDocument) {
  return [
    ['', variant, ...(intervals === null ? [] : ['interval']), 'fit in the clear'],
    ...features.map((name, i) => [
      name,
      figure(theta[i]),
      ...(intervals === null ? [] : [`[${intervals[i].map(figure).join(', ')}]`]),
      figure(baselines.nonPrivate.theta[i]),
    ]),
  ];
}

/** Distance and excess risk against the budget, both logarithmic. Levels show the answers that need no player. */
function errorCharts({ baselines, symbol, unit }: ModelRunDocument, rows: readonly Summed[]): readonly Picture[] {
  const variants = [...new Set(rows.map(({ variant }) => variant))];
  const chart = (
    name: string,
    of: (row: Summed) => number,
    levels: readonly (readonly ['solid' | 'dashed', number, string])[],
  ): Picture => {
    const tip = (row: Summed): string => `${row.variant}, ${symbol} = ${row.budget}: ${figure(of(row))}`;
    const series = variants.map((variant, style) => {
      // A risk below that of the fit comes from rounding only.
      const drawn = rows.filter((row) => row.variant === variant && of(row) > 0);
      const points = drawn.map((row) => ({ x: row.budget, mean: of(row), tip: tip(row) }));
      return { name: variant, style: style % STYLES, points };
    });
    return lineChart({
      label: `${capital(name)} against ${symbol}`,
      xLabel: `${symbol} (logarithmic)`,
      yLabel: `${name} (logarithmic)`,
      logarithmic: true,
      series: series.filter(({ points }) => points.length > 0),
      levels: levels
        .filter(([, value]) => value > 0)
        .map(([kind, value, name]) => ({ kind, value, name, tip: `${name}: ${figure(value)}` })),
    });
  };
  return [
    chart(`distance, ${unit}`, (row) => row.distance, [['dashed', baselines.zero.distance, ZERO]]),
    chart('excess risk', (row) => row.excessRisk, [
      ['solid', baselines.constant.excessRisk, 'best constant'],
      ['dashed', baselines.zero.excessRisk, ZERO],
    ]),
  ];
}

function coefficientChart(document: ModelRunDocument): Picture {
  const { features, estimate, baselines, variant, symbol, budget, unit } = document;
  const places = features.map((name, i) => {
    const [low, high] = estimate.intervals?.[i] ?? [estimate.theta[i], estimate.theta[i]];
    const [value, found] = [baselines.nonPrivate.theta[i], estimate.theta[i]];
    const tip = `${name}: fit ${figure(value)}, ${variant} ${figure(found)}`;
    return { name, value, estimate: found, error: (high - low) / 2, tip };
  });
  const whiskers = estimate.intervals === null ? '' : ', with intervals of level 0.95';
  const name = `${variant} at ${symbol} = ${budget}, first run${whiskers}; bars are the fit in the clear`;
  return profileChart({ label: 'Coefficients', name, xLabel: 'coefficient', yLabel: unit, places, style: 0 });
}
