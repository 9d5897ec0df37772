import { refusedAs } from '../../check/refusal.ts';
import { type Forecast, playersUntil } from '../../simulation/forecast.ts';
import type { StudyRequest } from '../../simulation/study.ts';
import type { Shown } from '../commands/answer.ts';
import {
  count,
  FORECAST,
  knownVariants,
  option,
  optionOr,
  positive,
  type TypedOption,
  type Values,
  whole,
} from '../commands/options.ts';
import { aligned } from '../print.ts';

/** One row of a forecast. */
interface ForecastRow extends Omit<Forecast, 'degree'> {
  readonly variant: string;
  /** True for what a run collects where neither variant nor degree is named. */
  readonly planned?: true;
  /** The degree that is collected: the requested one, or the best. */
  readonly degree: number;
  /** Players needed for the target; null if no number of players reaches it; absent without a target. */
  readonly playersNeeded?: number | null;
}

/** Degrees that are tried if none is requested. */
const DEGREES = [0, 1, 2];

/** Options of forecasts of protocols that minimise a risk. */
export const RISK_FORECAST: typeof FORECAST & {
  readonly degree: TypedOption<number | undefined>;
  readonly radius: TypedOption<number>;
  readonly target: TypedOption<number | undefined>;
} = {
  ...FORECAST,
  players: optionOr('--players <number>', 'how many players there will be', positive, '1e6'),
  dimension: optionOr('--dimension <number>', 'features of a record', count, '10'),
  degree: option('--degree <number>', 'degree collected for (default: the best of 0, 1 and 2)', whole(0)),
  radius: optionOr('--radius <number>', 'the model satisfies ‖w‖ ≤ radius', positive, '1'),
  target: option('--target <number>', 'also: players needed for this excess risk', positive),
};

/** A protocol's forecasts, and the texts about them. */
interface Assumed {
  readonly protocol: string;
  readonly variants: readonly string[];
  /** The choices that only this kind of protocol has, for the document. */
  readonly choices: { readonly [name: string]: string | number };
  /** What is minimised, for the head of the table. */
  readonly subject: string;
  /** What a record has p of, as a plural noun. */
  readonly unit: string;
  /** One line about the artificial population. */
  readonly population: string;
  /** What may be otherwise with real players, in one line; absent where public records take the place of that population. */
  readonly warning?: string | undefined;
  readonly forecast: (request: StudyRequest, players: number) => Forecast;
  /** What a run collects where neither variant nor degree is named; absent where that is one of the rows. */
  readonly plan?: () => Pick<StudyRequest, 'variant' | 'degree' | 'shares'> | undefined;
}

/**
 * What to expect of each variant before collecting.
 *
 * @throws TypeError or RangeError naming the option.
 */
export function forecastRisk(assumed: Assumed, options: Values<typeof RISK_FORECAST>): Shown {
  const { protocol, choices, subject, unit, population, warning, forecast, plan } = assumed;
  const { players, radius, target, epsilon, delta, dimension, degree } = options;
  const common = { epsilon, delta, dimension };
  const withTarget = (row: ForecastRow, request: StudyRequest): ForecastRow => {
    if (target === undefined) return row;
    const needed = playersUntil(target, (some) => forecast(request, some).excessRisk);
    return { ...row, playersNeeded: Number.isFinite(needed) ? needed : null };
  };
  const named = knownVariants(options.variant ?? assumed.variants, assumed.variants).map((variant): ForecastRow => {
    const row = best(forecast, { ...common, variant }, degree === undefined ? DEGREES : [degree], players);
    return withTarget(row, { ...common, variant, degree: row.degree });
  });
  const planned = options.variant === undefined && degree === undefined ? plan?.() : undefined;
  const first = (planned === undefined ? [] : [{ ...common, ...planned }]).map((request) =>
    withTarget({ ...rowOf(request, forecast(request, players)), planned: true }, request),
  );
  const rows = [...first, ...named];
  const query = { players, radius, ...choices, ...(target === undefined ? {} : { target }) };
  const head = ['variant', 'degree', 'bias', 'noise', 'excess risk', 'floor'];
  return {
    document: {
      protocol,
      ...common,
      ...query,
      assumed: population,
      ...(warning === undefined ? {} : { warning }),
      rows,
    },
    lines: [
      `${protocol}: ${subject}${players} players, ${dimension} ${unit}, ε = ${epsilon}, δ = ${delta}, ‖w‖ ≤ ${radius}`,
      `assumed: ${population}`,
      ...(warning === undefined ? [] : [`warning: ${warning}`]),
      '',
      ...aligned([target === undefined ? head : [...head, `players for ${target}`], ...rows.map(cellsOf)]),
    ],
  };
}

function best(
  forecast: Assumed['forecast'],
  request: Omit<StudyRequest, 'degree'>,
  degrees: readonly number[],
  players: number,
): ForecastRow {
  let found: ForecastRow | undefined;
  let refused: unknown;
  for (const degree of degrees) {
    try {
      const row = rowOf({ ...request, degree }, forecast({ ...request, degree }, players));
      if (found === undefined || row.excessRisk < found.excessRisk) found = row;
    } catch (error) {
      // A high degree may exceed the size limit, and degree 0 may not exist; at least one of them must be possible.
      if (refusedAs(error) !== 'value') throw error;
      refused ??= error;
    }
  }
  if (found === undefined) throw refused;
  return found;
}

function rowOf({ variant, degree }: Pick<StudyRequest, 'variant' | 'degree'>, found: Forecast): ForecastRow {
  const { bias, noise, excessRisk, deviation, floor } = found;
  return { variant, degree, bias, noise, excessRisk, deviation, floor };
}

function cellsOf(row: ForecastRow): readonly string[] {
  const { variant, planned, degree, bias, noise, excessRisk, deviation, floor, playersNeeded } = row;
  // Not the mean of draws: either a bound, or a risk that does not depend on the number of players.
  const bound = `${excessRisk === floor ? '' : '≤ '}${excessRisk.toFixed(4)}`;
  return [
    planned ? `${variant} (planned)` : variant,
    String(degree),
    bias.toPrecision(3),
    noise.toPrecision(3),
    deviation > 0 ? `${excessRisk.toFixed(4)} ± ${deviation.toFixed(4)}` : bound,
    floor.toFixed(4),
    ...(playersNeeded === undefined ? [] : [playersNeeded?.toPrecision(2) ?? 'none']),
  ];
}
