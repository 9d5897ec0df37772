import { checkInteger, checkOpenUnit, checkPositive, checkWord } from '../../check/number.ts';
import { playersUntil } from '../../protocol/margin/forecast.ts';
import type { Study, StudyRequest } from '../../simulation/study.ts';
import { loadStudy } from '../studies.ts';
import { readNumber, readWords } from './number-option.ts';

/** The options of `ldpkit forecast`, as they were typed. */
export interface ForecastOptions {
  readonly players: string;
  readonly epsilon: string;
  readonly delta: string;
  readonly dimension: string;
  readonly degree?: string;
  readonly radius: string;
  readonly loss?: string;
  readonly signal: string;
  readonly target?: string;
  readonly maker?: string;
  readonly json?: boolean;
}

/** One row of a forecast. */
export interface ForecastRow {
  readonly maker: string;
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

/**
 * `ldpkit forecast`: what to expect of each maker before collecting, as a table or as JSON.
 *
 * @throws TypeError or RangeError naming the option.
 */
export async function forecast(protocol: string, options: ForecastOptions): Promise<void> {
  const study = await loadStudy(protocol);
  const number = (name: 'players' | 'epsilon' | 'radius' | 'signal'): number =>
    checkPositive(name, readNumber(name, options[name]));
  const query = {
    players: number('players'),
    radius: number('radius'),
    signal: number('signal'),
    loss: checkWord('loss', options.loss ?? study.losses[0], study.losses),
  };
  const common = {
    epsilon: number('epsilon'),
    delta: checkOpenUnit('delta', readNumber('delta', options.delta)),
    dimension: checkInteger('dimension', readNumber('dimension', options.dimension), 1),
  };
  const degrees =
    options.degree === undefined ? DEGREES : [checkInteger('degree', readNumber('degree', options.degree), 0)];
  const target =
    options.target === undefined ? undefined : checkPositive('target', readNumber('target', options.target));
  const makers = options.maker === undefined ? study.makers : readWords('maker', options.maker);
  const rows = makers.map((maker): ForecastRow => {
    const row = best(study, { ...common, maker }, degrees, query);
    if (target === undefined) return row;
    const request = { ...common, maker, degree: row.degree };
    const needed = playersUntil(target, (players) => study.forecast(request, { ...query, players }).excessRisk);
    return { ...row, playersNeeded: Number.isFinite(needed) ? needed : null };
  });
  if (options.json === true) {
    const document = { protocol, ...common, ...query, ...(target === undefined ? {} : { target }), rows };
    process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
  } else process.stdout.write(`${table(rows, protocol, common, query, target).join('\n')}\n`);
}

function best(
  study: Study,
  request: Omit<StudyRequest, 'degree'>,
  degrees: readonly number[],
  query: Parameters<Study['forecast']>[1],
): ForecastRow {
  let found: ForecastRow | undefined;
  for (const degree of degrees) {
    let forecast: ReturnType<Study['forecast']>;
    try {
      forecast = study.forecast({ ...request, degree }, query);
    } catch (error) {
      // A higher degree may not fit the size limit; the lowest one must.
      if (error instanceof RangeError && found !== undefined) break;
      throw error;
    }
    const { bias, noise, excessRisk, deviation, floor } = forecast;
    const row = { maker: request.maker, degree, bias, noise, excessRisk, deviation, floor };
    if (found === undefined || row.excessRisk < found.excessRisk) found = row;
  }
  if (found === undefined) throw new RangeError('"degree" expected at least one degree');
  return found;
}

function table(
  rows: readonly ForecastRow[],
  protocol: string,
  common: Omit<StudyRequest, 'maker' | 'degree'>,
  query: Parameters<Study['forecast']>[1],
  target: number | undefined,
): string[] {
  const { epsilon, delta, dimension } = common;
  const { players, radius, loss, signal } = query;
  const cells = [
    [
      'maker',
      'degree',
      'bias',
      'noise',
      'excess risk',
      'floor',
      ...(target === undefined ? [] : [`players for ${target}`]),
    ],
    ...rows.map((row) => [
      row.maker,
      String(row.degree),
      row.bias.toPrecision(3),
      row.noise.toPrecision(3),
      row.deviation > 0
        ? `${row.excessRisk.toFixed(4)} ± ${row.deviation.toFixed(4)}`
        : `≤ ${row.excessRisk.toFixed(4)}`,
      row.floor.toFixed(4),
      ...(row.playersNeeded === undefined ? [] : [row.playersNeeded?.toPrecision(2) ?? 'none']),
    ]),
  ];
  const widths = cells[0].map((_, column) => Math.max(...cells.map((line) => line[column].length)));
  return [
    `${protocol}: ${loss} loss, ${players} players, ${dimension} features, ε = ${epsilon}, δ = ${delta}, ‖w‖ ≤ ${radius}`,
    `assumed: records uniform on the sphere, P(right label) − P(wrong label) = ${signal}; no data`,
    '',
    ...cells.map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    ),
  ];
}
