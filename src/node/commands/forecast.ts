import { checkInteger, checkOpenUnit, checkPositive, checkWord } from '../../check/number.ts';
import { type Forecast, playersUntil } from '../../simulation/forecast.ts';
import type { PointStudy } from '../../simulation/point-study.ts';
import type { Study, StudyRequest } from '../../simulation/study.ts';
import { jsonText, print, printJson } from '../print.ts';
import type { ForecastOptions } from './forecast-options.ts';
import { readNumber, readWords } from './number-option.ts';

/** One row of a forecast. */
export interface ForecastRow {
  readonly variant: string;
  /** Degree collected for: the one asked for, or the best. */
  readonly degree: number;
  readonly bias: number;
  readonly noise: number;
  readonly excessRisk: number;
  readonly deviation: number;
  readonly floor: number;
  /** Players needed for the target; null where no number of players reaches it; absent without a target. */
  readonly playersNeeded?: number | null;
}

/** Degrees tried where none is asked for. */
const DEGREES = [0, 1, 2];

/** What a forecast is for, the same for all variants. */
interface Collection {
  readonly epsilon: number;
  readonly delta: number;
  readonly dimension: number;
  readonly players: number;
  readonly radius: number;
}

/** A protocol's forecasts, and what is said of them. */
interface Assumed {
  /** The choices that only this kind of protocol has, for the JSON document. */
  readonly choices: { readonly [name: string]: string | number };
  /** What is minimised, for the head of the table. */
  readonly subject: string;
  /** What a record has p of. */
  readonly unit: string;
  /** One line on the population made up. */
  readonly population: string;
  readonly forecast: (request: StudyRequest, players: number) => Forecast;
}

/**
 * `ldpkit forecast` of a protocol on labelled records: what to expect of each variant before collecting, as a table or as JSON.
 *
 * @throws TypeError or RangeError naming the option.
 */
export async function forecastRecords(study: Study, options: ForecastOptions): Promise<void> {
  forecastRisk(study, options, (collection) => assumedRecords(study, collection, options));
}

/**
 * The same of a protocol on points.
 *
 * @throws TypeError or RangeError naming the option.
 */
export async function forecastPoints(study: PointStudy, options: ForecastOptions): Promise<void> {
  forecastRisk(study, options, (collection) => assumedPoints(study, collection));
}

function forecastRisk(
  study: Study | PointStudy,
  options: ForecastOptions,
  assume: (collection: Collection) => Assumed,
): void {
  const protocol = study.protocol.name;
  const number = (name: 'players' | 'epsilon'): number => checkPositive(name, readNumber(name, options[name]));
  const collection: Collection = {
    players: number('players'),
    radius: checkPositive('radius', readNumber('radius', options.radius ?? '1')),
    epsilon: number('epsilon'),
    delta: checkOpenUnit('delta', readNumber('delta', options.delta)),
    dimension: checkInteger('dimension', readNumber('dimension', options.dimension ?? '10'), 1),
  };
  const assumed = assume(collection);
  const degrees =
    options.degree === undefined ? DEGREES : [checkInteger('degree', readNumber('degree', options.degree), 0)];
  const target =
    options.target === undefined ? undefined : checkPositive('target', readNumber('target', options.target));
  const variants = options.variant === undefined ? study.variants : readWords('variant', options.variant);
  const { players, radius, ...common } = collection;
  const rows = variants.map((variant): ForecastRow => {
    const row = best(assumed, { ...common, variant }, degrees, players);
    if (target === undefined) return row;
    const request = { ...common, variant, degree: row.degree };
    const needed = playersUntil(target, (count) => assumed.forecast(request, count).excessRisk);
    return { ...row, playersNeeded: Number.isFinite(needed) ? needed : null };
  });
  if (options.json === true) {
    const query = { players, radius, ...assumed.choices, ...(target === undefined ? {} : { target }) };
    printJson(jsonText({ protocol, ...common, ...query, rows }));
  } else print(table(rows, protocol, collection, assumed, target));
}

function assumedRecords(study: Study, { radius }: Collection, options: ForecastOptions): Assumed {
  const signal = checkPositive('signal', readNumber('signal', options.signal ?? '0.5'));
  const loss = checkWord('loss', options.loss ?? study.losses[0], study.losses);
  return {
    choices: { signal, loss },
    subject: `${loss} loss, `,
    unit: 'features',
    population: `records uniform on the sphere, P(right label) − P(wrong label) = ${signal}`,
    forecast: (request, players) => study.forecast(request, { players, radius, signal, loss }),
  };
}

function assumedPoints(study: PointStudy, { dimension, radius }: Collection): Assumed {
  return {
    choices: {},
    subject: '',
    unit: 'coordinates',
    population: study.assumption,
    forecast: study.forecaster({ dimension, radius }),
  };
}

function best(
  { forecast }: Assumed,
  request: Omit<StudyRequest, 'degree'>,
  degrees: readonly number[],
  players: number,
): ForecastRow {
  let found: ForecastRow | undefined;
  let refused: unknown;
  for (const degree of degrees) {
    let made: Forecast;
    try {
      made = forecast({ ...request, degree }, players);
    } catch (error) {
      // A high degree may not fit the size limit, degree 0 may not exist; one of them must be possible.
      if (!(error instanceof RangeError)) throw error;
      refused ??= error;
      continue;
    }
    const { bias, noise, excessRisk, deviation, floor } = made;
    const row = { variant: request.variant, degree, bias, noise, excessRisk, deviation, floor };
    if (found === undefined || row.excessRisk < found.excessRisk) found = row;
  }
  if (found === undefined) throw refused ?? new RangeError('"degree" expected at least one degree');
  return found;
}

function table(
  rows: readonly ForecastRow[],
  protocol: string,
  { epsilon, delta, dimension, players, radius }: Collection,
  { subject, unit, population }: Assumed,
  target: number | undefined,
): string[] {
  const cells = [
    [
      'variant',
      'degree',
      'bias',
      'noise',
      'excess risk',
      'floor',
      ...(target === undefined ? [] : [`players for ${target}`]),
    ],
    ...rows.map((row) => [
      row.variant,
      String(row.degree),
      row.bias.toPrecision(3),
      row.noise.toPrecision(3),
      row.deviation > 0 ? `${row.excessRisk.toFixed(4)} ± ${row.deviation.toFixed(4)}` : bound(row),
      row.floor.toFixed(4),
      ...(row.playersNeeded === undefined ? [] : [row.playersNeeded?.toPrecision(2) ?? 'none']),
    ]),
  ];
  const widths = cells[0].map((_, column) => Math.max(...cells.map((line) => line[column].length)));
  return [
    `${protocol}: ${subject}${players} players, ${dimension} ${unit}, ε = ${epsilon}, δ = ${delta}, ‖w‖ ≤ ${radius}`,
    `assumed: ${population}; no data`,
    '',
    ...cells.map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    ),
  ];
}

/** An excess risk that is not the mean of draws: a bound, or one that no number of players changes. */
function bound({ excessRisk, floor }: ForecastRow): string {
  return `${excessRisk === floor ? '' : '≤ '}${excessRisk.toFixed(4)}`;
}
