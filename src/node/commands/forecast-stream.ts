import type { StreamForecast, StreamStudy, StreamStudyRequest } from '../../../protocols/online-sgd/stream-study.ts';
import { checkInteger, checkOpenUnit, checkPositive } from '../../check/number.ts';
import { jsonText, print, printJson } from '../print.ts';
import type { ForecastOptions } from './forecast-options.ts';
import { readNumber, readWords } from './number-option.ts';
import { streamRequest } from './stream-request.ts';

/** One row of a forecast of a stream. */
export interface StreamForecastRow extends StreamForecast {
  readonly variant: string;
  /** μ or ε, and δ, that the row is for. */
  readonly budget: Pick<StreamStudyRequest, 'mu' | 'epsilon' | 'delta'>;
}

/** Probability that intervals are to hold with. */
const LEVEL = 0.95;

/**
 * `ldpkit forecast` of a sequential protocol: the error of a coordinate under each variant, by the limit law of the average.
 *
 * @throws TypeError or RangeError naming the option.
 */
export async function forecastStream(study: StreamStudy, options: ForecastOptions): Promise<void> {
  const protocol = study.protocol.name;
  const features = checkInteger('dimension', readNumber('dimension', options.dimension ?? '10'), 1);
  const variants = options.variant === undefined ? study.variants : readWords('variant', options.variant);
  const setting = {
    players: checkInteger('players', readNumber('players', options.players), 1),
    spread: checkPositive('spread', readNumber('spread', options.spread ?? '0.5')),
    level: checkOpenUnit('level', LEVEL),
  };
  const rows = variants.map((variant): StreamForecastRow => {
    const request = streamRequest(study, { variant, features }, options);
    const { variant: _, features: __, ...budget } = request;
    return { variant, budget, ...study.forecast(request, setting) };
  });
  if (options.json === true) printJson(jsonText({ protocol, features, ...setting, rows }));
  else print(table(protocol, study, { features, ...setting }, rows));
}

interface Assumed {
  readonly features: number;
  readonly players: number;
  readonly spread: number;
  readonly level: number;
}

function table(
  protocol: string,
  { assumption }: StreamStudy,
  { features, players, spread, level }: Assumed,
  rows: readonly StreamForecastRow[],
): string[] {
  const cells = [
    ['variant', 'budget', 'error', 'without privacy', 'interval'],
    ...rows.map(({ variant, budget, error, floor, half }) => [
      variant,
      budgetText(budget),
      error.toPrecision(3),
      floor.toPrecision(3),
      `± ${half.toPrecision(3)}`,
    ]),
  ];
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  return [
    `${protocol}: ${players} players, ${features} features and an intercept`,
    `assumed: ${assumption}, residuals of standard deviation ${spread}; no data`,
    `standard error of a coordinate of the average, and a normal interval of level ${level}; random scaling gives longer ones`,
    '',
    ...cells.map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    ),
  ];
}

function budgetText({ mu, epsilon, delta }: StreamForecastRow['budget']): string {
  if (mu !== undefined) return `μ = ${mu}`;
  return delta === undefined ? `ε = ${epsilon}` : `ε = ${epsilon}, δ = ${delta}`;
}
