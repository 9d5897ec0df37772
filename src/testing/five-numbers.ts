import type { FiveNumbers } from './figure.ts';

const { floor, min } = Math;

/** The 5 %, 25 %, 50 %, 75 % and 95 % points of numbers, interpolated. */
export function fiveNumbers(values: readonly number[]): FiveNumbers {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => {
    const place = share * (sorted.length - 1);
    const below = floor(place);
    const above = min(below + 1, sorted.length - 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  };
  return [at(0.05), at(0.25), at(0.5), at(0.75), at(0.95)];
}
