const { min } = Math;

/** Indexes in a block. */
const BLOCK = 64;

/** From here on the powers in a block are extended from its first. */
const FIRST_BLOCK = 4096;

/** Most terms of the series: (63/4096)^9 is below {@link NEGLIGIBLE}. */
const TERMS = 9;
const NEGLIGIBLE: number = 2 ** -53;

// The block of the last call: what it is of, and its powers.
const powers = new Float64Array(BLOCK);
let exponent = Number.NaN;
let first = -1;

/**
 * i^(−α) for a whole number i ≥ 1, to a few units in the last place. A function of i and α alone, whatever was asked before, so
 * that a stream that was saved goes on bit for bit.
 *
 * Powers are computed 64 at a time, by the binomial series of (1 + t)^(−α): a logarithm and an exponential for each step would
 * cost as much as all else in it.
 */
export function decayPower(index: number, alpha: number): number {
  const place = index % BLOCK;
  if (index - place !== first || alpha !== exponent) fillBlock(index - place, alpha);
  return powers[place];
}

/** Writes `scale`·i^(−α) for the `count` numbers from `index` on to the beginning of `target`: {@link decayPower} of each. */
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
  // As many as leave a remainder that rounding hides; fewer the later the block.
  let terms = 0;
  for (let rest = 1; rest > NEGLIGIBLE; rest *= BLOCK / start) terms++;
  // Of start^(−α)·(1 + t)^(−α).
  coefficients[0] = start ** -alpha;
  for (let k = 1; k < terms; k++) coefficients[k] = (coefficients[k - 1] * (1 - alpha - k)) / k;
  // Four at a time: each sum waits for its own last product only.
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
