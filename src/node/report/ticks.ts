import type { ScaleLinear } from 'd3-scale';
import { powerOfTen, signed } from '../print.ts';

// Where the ticks of an axis stand, and their texts, for which the margin of a chart is narrow.

/** The most powers of ten that an axis of a chart has room for. */
const POWERS = 12;

/** 1, 2 and 5 times powers of ten within a range, or only the powers, of many every second, every third and so on. */
export function decimalTicks(low: number, high: number, onlyPowers: boolean = false): readonly number[] {
  const ticks: number[] = [];
  const step = Math.ceil(Math.log10(high / low) / POWERS) || 1;
  const lowest = Math.floor(Math.log10(low) / step) * step;
  for (let exponent = lowest; 10 ** exponent <= high; exponent += step) {
    for (const digit of onlyPowers ? [1] : [1, 2, 5]) {
      const tick = Number(`${digit}e${exponent}`);
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  }
  return ticks;
}

/** From this number on a tick is too long for the margin. */
const LONG = 1e5;

/** A tick of an axis of powers as a decimal number, or by its power of ten if it would be too long for the margin. */
export function decimalText(tick: number): string {
  if (tick >= LONG) return powerText(tick);
  return tick >= 1e-3 || !Number.isInteger(Math.log10(tick)) ? String(tick) : powerOfTen(Math.log10(tick));
}

/** The ticks of an even axis as decimal numbers, or by powers of ten if one of them would be too long for the margin. */
export function linearText(y: ScaleLinear<number, number>): (tick: number) => string {
  return Math.max(...y.domain().map(Math.abs)) >= 10 * LONG ? powerText : y.tickFormat(6);
}

/** 0, 10⁶, −2.5×10⁶. */
function powerText(tick: number): string {
  if (tick === 0) return '0';
  const [mantissa, exponent] = tick.toExponential(2).split('e');
  const power = powerOfTen(Number(exponent));
  return `${signed(Number(mantissa))}×${power}`.replace(/^(−?)1×/, '$1');
}
