const { min } = Math;

/** Indexes in a block. */
export const BLOCK = 64;

/** From this index on, the powers in a block are computed from the first power of the block. */
const FIRST_BLOCK = 4096;

/** The largest number of terms of the series: (63/4096)^9 is below {@link NEGLIGIBLE}. */
const TERMS = 9;
const NEGLIGIBLE: number = 2 ** -53;

// The block of the last call: its position and its powers.
const powers = new Float64Array(BLOCK);
let exponent = Number.NaN;
let first = -1;

/**
 * i^(−α) of a whole number i ≥ 1 and its neighbours, at their indexes modulo {@link BLOCK}, to a few units in the last
 * place; the next call overwrites it. It depends on i and α alone, not on earlier calls, so that a saved stream continues
 * bit for bit.
 *
 * Powers are computed 64 at a time, by the binomial series of (1 + t)^(−α). A logarithm and an exponential for each
 * step would cost as much as the rest of the step. A number that a function takes or returns may have to be allocated; a
 * plan and an array need not.
 */
export function powersAround(index: number, { decay }: { readonly decay: number }): Float64Array {
  const start = index - (index % BLOCK);
  if (start !== first || decay !== exponent) fillBlock(start, decay);
  return powers;
}

/**
 * Writes `scale`·i^(−α), for `count` indexes i starting at `index`, to the beginning of `target`: {@link powersAround} of
 * each.
 */
export function fillDecayPowers(
  target: Float64Array,
  count: number,
  scale: number,
  index: number,
  alpha: number,
): void {
  for (let done = 0; done < count; ) {
    const place = (index + done) % BLOCK;
    const start = index + done - place;
    if (start !== first || alpha !== exponent) fillBlock(start, alpha);
    const stop = min(count, done + BLOCK - place);
    for (let at = place; done < stop; ) target[done++] = scale * powers[at++];
  }
}

const coefficients = new Float64Array(TERMS);

function fillBlock(start: number, alpha: number): void {
  first = start;
  exponent = alpha;
  if (start < FIRST_BLOCK) {
    for (let place = 0; place < BLOCK; place++) powers[place] = (start + place) ** -alpha;
    return;
  }
  // The number of terms whose remainder is hidden by rounding; later blocks need fewer.
  let terms = 0;
  for (let rest = 1; rest > NEGLIGIBLE; rest *= BLOCK / start) terms++;
  // Coefficients of start^(−α)·(1 + t)^(−α).
  coefficients[0] = start ** -alpha;
  for (let k = 1; k < terms; k++) coefficients[k] = (coefficients[k - 1] * (1 - alpha - k)) / k;
  // Four sums at a time: each sum waits only for its own last product.
  const last = coefficients[terms - 1];
  for (let place = 0; place < BLOCK; place += 4) {
    const t0 = place / start;
    const t1 = (place + 1) / start;
    const t2 = (place + 2) / start;
    const t3 = (place + 3) / start;
    let sum0 = last;
    let sum1 = last;
    let sum2 = last;
    let sum3 = last;
    for (let k = terms - 2; k >= 0; k--) {
      const coefficient = coefficients[k];
      sum0 = sum0 * t0 + coefficient;
      sum1 = sum1 * t1 + coefficient;
      sum2 = sum2 * t2 + coefficient;
      sum3 = sum3 * t3 + coefficient;
    }
    powers[place] = sum0;
    powers[place + 1] = sum1;
    powers[place + 2] = sum2;
    powers[place + 3] = sum3;
  }
}
