import { availableParallelism } from 'node:os';
import { RefusedValue, refusedAs } from '../../check/refusal.ts';
import type { Dataset } from '../../simulation/runner.ts';
import type { Forecast, MarginLaw, StudyRequest } from '../../simulation/study.ts';
import * as line from '../commands/options.ts';
import { aligned, counted, rounded } from '../print.ts';
import type { OptionsOf, Read, Shown, Values } from '../study.ts';
import type { ForecastTask } from '../threads.ts';

interface ForecastRow extends Omit<Forecast, 'degree'> {
  readonly variant: string;
  /** True for what a run collects where neither variant nor degree is named. */
  readonly planned?: true;
  /** The degree that is collected: the requested one, or the best. */
  readonly degree: number;
  /** Players needed for the target; null if no number of players reaches it; absent without a target. */
  readonly playersNeeded?: number | null;
}

/** About how many forecasts find the players for a target, for the progress. */
const SEARCHED = 20;

const DEGREES = [0, 1, 2];

/** Options of forecasts of protocols that minimise a risk. */
export const RISK_FORECAST: typeof line.FORECAST &
  OptionsOf<{ degree: number | undefined; radius: number; target: number | undefined }> = {
  ...line.FORECAST,
  degree: line.option('--degree <number>', 'degree collected for (default: the best of 0, 1 and 2)', line.whole(0)),
  radius: line.optionOr('--radius <number>', 'the model satisfies ‖w‖ ≤ radius', line.radius, '1'),
  target: line.option('--target <number>', 'also: players needed for this excess risk', line.positive),
};

interface Assumed extends Pick<AssumedMargins, 'choices' | 'population'>, Partial<Pick<AssumedMargins, 'warning'>> {
  readonly protocol: string;
  /** The protocol's folder name, or a module file. */
  readonly word: string;
  readonly variants: readonly string[];
  /** What is minimised, for the head of the table. */
  readonly subject: string;
  /** What a record has p of, as a noun for one of them. */
  readonly unit: string;
  /** What the study's forecaster is made from. */
  readonly setting: ForecastTask['setting'];
  /** What a run collects where neither variant nor degree is named; absent where that is one of the rows. */
  readonly plan?: () => Pick<StudyRequest, 'variant' | 'degree' | 'shares'> | undefined;
}

export async function forecastRisk(assumed: Assumed, options: Values<typeof RISK_FORECAST>): Promise<Shown> {
  // Loaded when they are needed: certificates and lists show no progress, and need no threads.
  const [{ createProgress }, { createThreads }] = await Promise.all([
    import('../progress.ts'),
    import('../threads.ts'),
  ]);
  const { protocol, choices, subject, unit, population, warning, plan } = assumed;
  const { players, radius, target, epsilon, delta, dimension, degree } = options;
  const common = { epsilon, delta, dimension };
  const variants = line.knownVariants(options.variant ?? assumed.variants, assumed.variants);
  const degrees = degree === undefined ? DEGREES : [degree];
  // What a run collects is forecast beside the variants.
  const beside = options.variant === undefined && degree === undefined && plan !== undefined;
  const planned = beside ? plan() : undefined;
  const extra = planned === undefined ? 0 : 1;
  const searched = target === undefined ? 0 : SEARCHED;
  const total = variants.length * degrees.length + extra + searched * (variants.length + extra);
  const progress = createProgress();
  let done = 0;
  const threads = createThreads(Math.min(availableParallelism(), total));
  const ask = async <Result>(
    name: 'forecast' | 'playersNeeded',
    request: StudyRequest,
    steps: number,
  ): Promise<Result> => {
    const { word, setting } = assumed;
    const task: ForecastTask = { word, setting, request, players, target };
    const found = await threads.does<Result>(name, task);
    // The first forecast refuses what is wrong, and where it is the only one there is nothing to show.
    if (done === 0 && total > 1) progress.begin(`forecasting ${protocol}`, total);
    done += steps;
    if (total > 1) progress.advance(done);
    return found;
  };
  const rowOf = async (request: StudyRequest): Promise<ForecastRow> => {
    const { degree: _, ...found } = await ask<Forecast>('forecast', request, 1);
    return { variant: request.variant, degree: request.degree, ...found };
  };
  const withTarget = async (row: ForecastRow, request: StudyRequest): Promise<ForecastRow> => {
    if (target === undefined) return row;
    const needed = await ask<number>('playersNeeded', request, SEARCHED);
    return { ...row, playersNeeded: Number.isFinite(needed) ? needed : null };
  };
  const variantRow = async (variant: string): Promise<ForecastRow> => {
    const rows = await Promise.allSettled(degrees.map((degree) => rowOf({ ...common, variant, degree })));
    const row = best(rows, degrees);
    return withTarget(row, { ...common, variant, degree: row.degree });
  };
  const plannedRow = async (collected: NonNullable<typeof planned>): Promise<ForecastRow> => {
    const request = { ...common, ...collected };
    return withTarget({ ...(await rowOf(request)), planned: true }, request);
  };
  const [first, named] = await Promise.all([
    Promise.allSettled(planned === undefined ? [] : [plannedRow(planned)]),
    Promise.allSettled(variants.map(variantRow)),
  ]).finally(threads.close);
  progress.end();
  // A variant that was not typed and cannot serve what was, such as a loss, is left out, unless all are.
  const left: { readonly variant: string; readonly because: string }[] = [];
  const rows = [...first, ...named].flatMap((settled, at): ForecastRow[] => {
    if (settled.status === 'fulfilled') return [settled.value];
    const error: unknown = settled.reason;
    if (refusedAs(error) !== 'value' || options.variant !== undefined || at < first.length) throw error;
    const because = (error as Error).message;
    if (left.push({ variant: variants[at - first.length], because }) === variants.length) throw error;
    return [];
  });
  const query = { players, radius, ...choices, ...(target === undefined ? {} : { target }) };
  const head = ['variant', 'degree', 'bias', 'noise', 'excess risk', 'floor'];
  const warned = { ...(warning === undefined ? {} : { warning }), ...(left.length === 0 ? {} : { without: left }) };
  return {
    document: { protocol, ...common, ...query, assumed: population, ...warned, rows },
    lines: [
      `${protocol}: ${subject}${counted(players, 'player')}, ${counted(dimension, unit)}, ε = ${epsilon}, δ = ${delta}, ‖w‖ ≤ ${radius}`,
      `assumed: ${population}`,
      ...(warning === undefined ? [] : [`warning: ${warning}`]),
      ...left.map(({ variant, because }) => `without ${variant}: ${because}`),
      '',
      ...aligned([target === undefined ? head : [...head, `players for ${target}`], ...rows.map(cellsOf)]),
    ],
  };
}

/** The row of the least excess risk, from the lowest degree on. */
function best(rows: readonly PromiseSettledResult<ForecastRow>[], degrees: readonly number[]): ForecastRow {
  let found: ForecastRow | undefined;
  for (const row of rows) {
    // A high degree may exceed the size limit, and degree 0 may not exist; at least one of them must be possible.
    if (row.status === 'rejected') {
      if (refusedAs(row.reason) !== 'value') throw row.reason;
    } else if (found === undefined || row.value.excessRisk < found.excessRisk) found = row.value;
  }
  if (found !== undefined) return found;
  const refusals = rows as readonly PromiseRejectedResult[];
  throw (refusals.find((_, at) => degrees[at] > 0) ?? refusals[0]).reason;
}

function cellsOf(row: ForecastRow): readonly string[] {
  const { variant, planned, degree, bias, noise, excessRisk, deviation, floor, playersNeeded } = row;
  // Not the mean of draws: either a bound, or a risk that does not depend on the number of players.
  const bound = `${excessRisk === floor ? '' : '≤ '}${rounded(excessRisk, 4)}`;
  return [
    planned ? `${variant} (planned)` : variant,
    String(degree),
    bias.toPrecision(3),
    noise.toPrecision(3),
    deviation > 0 ? `${rounded(excessRisk, 4)} ± ${deviation.toFixed(4)}` : bound,
    rounded(floor, 4),
    ...(playersNeeded === undefined ? [] : [playersNeeded?.toPrecision(2) ?? 'none']),
  ];
}

/** The text of `--margins`: `normal:MEAN,SD` or `uniform:LOW,HIGH`. */
export const marginText: Read<MarginLaw['margin']> = (name, typed) => {
  const [, law, first, second] = /^(normal|uniform):([^,]+),([^,]+)$/.exec(typed) ?? [];
  if (law === undefined) throw new RefusedValue(name, 'normal:MEAN,SD or uniform:LOW,HIGH', typed);
  const [one, other] = [line.readNumber(name, first), line.readNumber(name, second)];
  return law === 'normal' ? { law, mean: one, deviation: other } : { law: 'uniform', low: one, high: other };
};

/** A share of wrong labels, from 0 to below a half. */
export const labelNoiseText: Read<number> = (name, typed) => {
  const share = line.readNumber(name, typed);
  if (!(share >= 0 && share < 0.5)) throw new RefusedValue(name, 'a number from 0 to below 0.5', share);
  return share;
};

/** P(right label) − P(wrong label) where nothing is said of labels and nothing of margins. */
const DEFAULT_SIGNAL = 0.5;

/** What is said of the players of a forecast, as typed. */
interface StatedMargins {
  readonly margins: MarginLaw['margin'] | undefined;
  readonly labelNoise: number | undefined;
  readonly signal: number | undefined;
}

/** A made-up population: what a study forecasts with, and what is shown of it. */
interface AssumedMargins {
  readonly signal: number;
  readonly declared: MarginLaw | undefined;
  /** The choices that only this kind of protocol has, for the document. */
  readonly choices: { readonly [name: string]: string | number };
  readonly population: string;
  /** What of it was not declared, and what that may cost; absent where all of it was, or where public records take its place. */
  readonly warning: string | undefined;
}

/** The population of a forecast without a file; refused where labels are spoken of twice. */
export function assumedMargins({ margins, labelNoise, signal }: StatedMargins): AssumedMargins {
  if (labelNoise !== undefined && signal !== undefined) {
    throw new RefusedValue('signal', 'none beside --label-noise, which says the same', signal);
  }
  const flipped = labelNoise ?? (signal === undefined ? undefined : Number(((1 - signal) / 2).toPrecision(12)));
  if (margins === undefined) {
    const clear = flipped === undefined ? DEFAULT_SIGNAL : Number((1 - 2 * flipped).toPrecision(12));
    return {
      signal: clear,
      declared: undefined,
      choices: { signal: clear },
      population: `records uniform on the sphere, P(right label) − P(wrong label) = ${clear}; no data`,
      warning: WARNING,
    };
  }
  const noise = flipped ?? 0;
  const { law, ...numbers } = margins;
  const text = `${law}:${Object.values(numbers).join(',')}`;
  return {
    signal: 1 - 2 * noise,
    declared: { margin: margins, labelNoise: noise },
    choices: { margins: text, labelNoise: noise },
    population: `declared: margins y⟨u, x⟩ ${text} within [−1, 1] along one direction, features uniform across it, ${noise} of the labels wrong; no data`,
    warning: undefined,
  };
}

/** The population of a forecast with a file; refused where margins or labels are declared as well. */
export function marginsOfFile({ players }: Dataset, { margins, labelNoise, signal }: StatedMargins): AssumedMargins {
  const declared = Object.entries({ margins, 'label-noise': labelNoise, signal });
  const [name] = declared.find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined) {
    throw new RefusedValue(`"${name}" expected none beside --data, whose records have margins and labels of their own`);
  }
  return {
    signal: 1,
    declared: undefined,
    choices: { publicRecords: players },
    population: `players like ${counted(players, 'public record')} of --data, which no certificate protects`,
    warning: undefined,
  };
}

const WARNING =
  'nothing was declared, and this is a default: real labels are seldom fair and margins seldom even. There the polynomial (bias) costs more, a floor above 0, and on the flights the excess risk was eight times as large; --margins and --label-noise declare a law, --data FILE takes public records';

/**
 * How tallies come about. `reports`: every report is made. `sum`: none is, and what all of them add up to is drawn by the
 * law of sums. `headline`: reports for the headline run, and the law of sums for every other run that has one.
 */
export const LAWS = ['reports', 'sum', 'headline'] as const;

export type LawChoice = (typeof LAWS)[number];
