import type { MarginDatum } from '../../protocols/generalized-linear/margin/record.ts';

/** Player i of a frozen round: features on a coarse grid, so that no rounding is in them. */
export function player(i: number, dimension: number): MarginDatum {
  const features = Array.from(
    { length: dimension },
    (_, j) => (((i * (j + 3) * 37) % 101) - 50) / (60 * Math.sqrt(dimension)),
  );
  return { features, label: features[0] > 0 ? 1 : -1 };
}
