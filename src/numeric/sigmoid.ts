const { abs, exp } = Math;

/** 1/(1 + e^(−t)), without overflow. */
export function sigmoid(t: number): number {
  const e = exp(-abs(t));
  return t > 0 ? 1 / (1 + e) : e / (1 + e);
}
