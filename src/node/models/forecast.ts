import { refusal } from '../../check/number.ts';
import type { ModelForecast, ModelStudy } from '../../simulation/model-study.ts';
import type { ForecastOptions } from '../commands/forecast-options.ts';
import { readWords } from '../commands/number-option.ts';
import { wholeNumber } from '../figures.ts';
import { jsonText, print, printJson } from '../print.ts';
import { modelRequest } from './request.ts';

/** One row of a forecast of a fit. */
export interface ModelForecastRow extends ModelForecast {
  readonly variant: string;
}

/**
 * `ldpkit forecast` of a fitted model: how far the noise moves it, by closed forms.
 *
 * @throws TypeError or RangeError naming the option, and for a protocol whose claim is refuted.
 */
export function forecastModel(protocol: string, study: ModelStudy, options: ForecastOptions): void {
  const { forecast, setting, budget } = study;
  if (forecast === undefined) {
    throw new RangeError(refusal('protocol', 'one with a guarantee to plan for', protocol));
  }
  const variants = options.variant === undefined ? study.variants : readWords('variant', options.variant);
  const numbers = { ...study.defaults.certify, ...(setting === 'central' ? {} : { samples: 100 }) };
  const asked = variants.map((variant) => modelRequest(study, variant, options, numbers));
  const rows = asked.map((one): ModelForecastRow => ({ variant: one.variant, ...forecast(one) }));
  const [{ players, samples, dimension, epsilon, mu }] = asked;
  const spent = budget === 'mu' ? { mu } : { epsilon };
  const held = setting === 'central' ? { records: players } : { players, samples };
  if (options.json === true) {
    printJson(jsonText({ protocol, ...spent, ...held, dimension, rows }));
    return;
  }
  const who = setting === 'central' ? 'records' : `players with ${wholeNumber(samples)} records each`;
  const cost = budget === 'mu' ? `μ = ${mu}` : `ε = ${epsilon}`;
  print([
    `${protocol}: ${wholeNumber(players)} ${who}, ${dimension} features, ${cost}`,
    ...rows.flatMap(({ variant, what, error, assumed }) => [
      `assumed: ${assumed}; no data`,
      '',
      `${variant}: error ${error.toPrecision(3)}, ${what}`,
    ]),
  ]);
}
