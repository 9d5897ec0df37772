import type { UserForecast, UserStudy } from '../../../protocols/user-level-mean/user-study.ts';
import { checkInteger, checkOpenUnit, checkPositive, checkWord } from '../../check/number.ts';
import { decimal } from '../../privacy/rounding.ts';
import { wholeNumber } from '../figures.ts';
import { jsonText, print, printJson } from '../print.ts';
import type { ForecastOptions } from './forecast-options.ts';
import { readNumber, readWords } from './number-option.ts';

/** One row of a forecast of means. */
export interface UserForecastRow extends UserForecast {
  readonly variant: string;
}

/**
 * `ldpkit forecast` of a protocol for players with several samples: the error of each variant's mean, by closed forms.
 *
 * @throws TypeError or RangeError naming the option.
 */
export async function forecastUsers(study: UserStudy, options: ForecastOptions): Promise<void> {
  const protocol = study.protocol.name;
  const dimension = checkInteger('dimension', readNumber('dimension', options.dimension ?? '1'), 1);
  const { variants: shown } = dimension === 1 ? study.scalar : study.vector;
  const variants = options.variant === undefined ? shown : readWords('variant', options.variant);
  for (const variant of variants) checkWord('variant', variant, study.variants);
  const setting = { spread: checkPositive('spread', readNumber('spread', options.spread ?? '0.5')) };
  const common = {
    epsilon: checkPositive('epsilon', readNumber('epsilon', options.epsilon)),
    delta: checkOpenUnit('delta', readNumber('delta', options.delta)),
    players: checkInteger('players', readNumber('players', options.players), 1),
    samples: checkInteger('samples', readNumber('samples', options.samples ?? '100'), 1),
    dimension,
  };
  const rows = variants.map(
    (variant): UserForecastRow => ({ variant, ...study.forecast({ variant, ...common }, setting) }),
  );
  if (options.json === true) printJson(jsonText({ protocol, ...common, ...setting, rows }));
  else print(table(protocol, { ...common, ...setting }, rows));
}

type Assumed = Omit<Parameters<UserStudy['forecast']>[0], 'variant'> & { readonly spread: number };

function table(protocol: string, assumed: Assumed, rows: readonly UserForecastRow[]): string[] {
  const { epsilon, delta, players, samples, dimension, spread } = assumed;
  const cells = [
    ['variant', 'error', 'floor'],
    ...rows.map(({ variant, error, floor }) => [
      variant,
      error.toPrecision(3),
      floor === 0 ? '0' : floor.toPrecision(3),
    ]),
  ];
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const coordinates = dimension === 1 ? '' : `, ${dimension} coordinates`;
  return [
    `${protocol}: ${wholeNumber(players)} players with ${wholeNumber(samples)} samples each${coordinates}, ε = ${epsilon}, δ = ${decimal(delta)}`,
    `assumed: coordinates in [−1, 1] with a standard deviation of ${spread}, all players alike, enough of them to find the mean roughly; no data`,
    'error: root of the mean squared ℓ₂ error; floor: what no number of players removes',
    '',
    ...cells.map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    ),
  ];
}
