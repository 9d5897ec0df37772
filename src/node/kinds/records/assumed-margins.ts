import { refusal } from '../../../check/number.ts';
import { RefusedValue } from '../../../check/refusal.ts';
import type { Dataset } from '../../../simulation/population.ts';
import type { MarginLaw } from '../../../simulation/study.ts';
import { type Read, readNumber } from '../../commands/options.ts';
import { counted } from '../../figures.ts';

// What `ldpkit forecast` is told of margins and labels in the place of a file, and how it says what it assumes.

/** The text of `--margins`: `normal:MEAN,SD` or `uniform:LOW,HIGH`. */
export const marginText: Read<MarginLaw['margin']> = (name, typed) => {
  const [, law, first, second] = /^(normal|uniform):([^,]+),([^,]+)$/.exec(typed) ?? [];
  if (law === undefined) throw new RefusedValue(refusal(name, 'normal:MEAN,SD or uniform:LOW,HIGH', typed));
  const [one, other] = [readNumber(name, first), readNumber(name, second)];
  return law === 'normal' ? { law, mean: one, deviation: other } : { law: 'uniform', low: one, high: other };
};

/** A share of wrong labels, from 0 to below a half. */
export const labelNoiseText: Read<number> = (name, typed) => {
  const share = readNumber(name, typed);
  if (!(share >= 0 && share < 0.5)) throw new RefusedValue(refusal(name, 'a number from 0 to below 0.5', share));
  return share;
};

/** P(right label) − P(wrong label) where nothing is said of labels and nothing of margins. */
const DEFAULT_SIGNAL = 0.5;

/** What is said of the players of a forecast, as typed. */
export interface Told {
  readonly margins: MarginLaw['margin'] | undefined;
  readonly labelNoise: number | undefined;
  readonly signal: number | undefined;
}

/** A made-up population: what a study forecasts with, and what is shown beside the number. */
export interface AssumedMargins {
  readonly signal: number;
  readonly declared: MarginLaw | undefined;
  /** For the document. */
  readonly choices: { readonly [name: string]: string | number };
  /** In one line. */
  readonly population: string;
  /** What of it was not declared, and what that may cost; absent where all of it was. */
  readonly warning: string | undefined;
}

/**
 * The population of a forecast without a file.
 *
 * @throws RangeError where labels are spoken of twice.
 */
export function assumedMargins({ margins, labelNoise, signal }: Told): AssumedMargins {
  if (labelNoise !== undefined && signal !== undefined) {
    throw new RefusedValue(refusal('signal', 'none beside --label-noise, which says the same', signal));
  }
  const told = labelNoise ?? (signal === undefined ? undefined : Number(((1 - signal) / 2).toPrecision(12)));
  if (margins === undefined) {
    const clear = told === undefined ? DEFAULT_SIGNAL : Number((1 - 2 * told).toPrecision(12));
    return {
      signal: clear,
      declared: undefined,
      choices: { signal: clear },
      population: `records uniform on the sphere, P(right label) − P(wrong label) = ${clear}; no data`,
      warning: WARNING,
    };
  }
  const noise = told ?? 0;
  const words = margins.law === 'normal' ? [margins.mean, margins.deviation] : [margins.low, margins.high];
  const text = `${margins.law}:${words.join(',')}`;
  return {
    signal: 1 - 2 * noise,
    declared: { margin: margins, labelNoise: noise },
    choices: { margins: text, labelNoise: noise },
    population: `declared: margins y⟨u, x⟩ ${text} within [−1, 1] along one direction, features uniform across it, ${noise} of the labels wrong; no data`,
    warning: undefined,
  };
}

/**
 * The population of a forecast with a file.
 *
 * @throws RangeError where margins or labels are declared as well.
 */
export function toldByFile({ players }: Dataset, told: Told): AssumedMargins {
  for (const name of ['margins', 'labelNoise', 'signal'] as const) {
    if (told[name] !== undefined) {
      const typed = name === 'labelNoise' ? 'label-noise' : name;
      throw new RefusedValue(
        `"${typed}" expected none beside --data, whose records have margins and labels of their own`,
      );
    }
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
