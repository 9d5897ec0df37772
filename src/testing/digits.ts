import type { Measured } from './mean.ts';

const { abs, floor, log10, max, min } = Math;

/** A number in so many significant digits, without an exponent where it needs none, with a minus sign. */
export function digits(value: number, count: number = 3): string {
  return signed(String(Number(value.toPrecision(count))));
}

/** A number and its standard error, `−0.512 ± 0.013`: to two digits of the error, or to so many decimals. */
export function plusMinus(value: number, error: number, decimals: number = decimalsOf(value, error)): string {
  return signed(`${value.toFixed(decimals)} ± ${error.toFixed(decimals)}`);
}

/** A mean in three significant digits and its standard error in two: `1.2e−7 ± 3e−9`. */
export function shownMean({ mean, error }: Measured): string {
  return `${digits(mean)} ± ${digits(error, 2)}`;
}

function decimalsOf(value: number, error: number): number {
  return min(12, max(0, 1 - floor(log10(max(error, abs(value) * 1e-6, 1e-300)))));
}

function signed(text: string): string {
  return text.replace(/-/g, '−');
}
