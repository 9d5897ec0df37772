import { scaleLinear } from 'd3-scale';
import { powerOfTen } from 'ldpkit/node';
import type { FigureAxis } from '../experiment/figure.ts';

const { ceil, floor, log10 } = Math;

/** A tick of an axis. */
export interface Tick {
  readonly value: number;
  readonly text: string;
}

/** Ticks asked for, and of decades the most. */
const COUNT = 6;
const MOST = 8;

/** A logarithmic axis of fewer ticks says too little. */
const LEAST = 3;

/** Round numbers on an axis; none between whole numbers where all values are `whole`. */
export function ticksOf(axis: FigureAxis, low: number, high: number, whole: boolean = false): readonly Tick[] {
  if (axis.logarithmic) {
    const values = logarithmic(low, high).filter((value) => !whole || Number.isInteger(value));
    // One notation on an axis: numbers as they are where all of them are short, else powers of ten.
    const plain = values.every((value) => value >= 1e-3 && value < 1e5);
    return values.map((value) => ({
      value,
      text: plain ? value.toLocaleString('en-US', { maximumSignificantDigits: 6 }) : powerText(value),
    }));
  }
  const scale = scaleLinear([low, high], [0, 1]);
  const values = scale.ticks(COUNT).filter((value) => !whole || Number.isInteger(value));
  const format = whole ? wholeText : scale.tickFormat(COUNT);
  return values.map((value) => ({ value, text: format(value) }));
}

/** 1, 2 and 5 of every decade; its beginning alone where decades are many, all its digits or more where they are few. */
function logarithmic(low: number, high: number): readonly number[] {
  if (log10(high / low) > 2.5) {
    const decades = digitsOf(low, high, [1]);
    const every = ceil(decades.length / MOST);
    return decades.filter((_, index) => index % every === 0);
  }
  for (const digits of [
    [1, 2, 5],
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
  ]) {
    const values = digitsOf(low, high, digits);
    if (values.length >= LEAST) return values;
  }
  return scaleLinear([low, high], [0, 1]).ticks(LEAST + 1);
}

function digitsOf(low: number, high: number, digits: readonly number[]): readonly number[] {
  const values: number[] = [];
  for (let exponent = floor(log10(low)); 10 ** exponent <= high; exponent++) {
    for (const digit of digits) {
      const value = Number(`${digit}e${exponent}`);
      if (value >= low && value <= high) values.push(value);
    }
  }
  return values;
}

function powerText(value: number): string {
  const [mantissa, exponent] = Number(value.toPrecision(6)).toExponential().split('e');
  const power = powerOfTen(Number(exponent));
  return mantissa === '1' ? power : `${mantissa}·${power}`;
}

function wholeText(value: number): string {
  return value.toLocaleString('en-US').replace('-', '−');
}
