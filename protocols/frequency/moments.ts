import type { FrequencyMechanism, FrequencyTally } from '../../src/mechanism/frequency.ts';
import type { HadamardResponse } from '../../src/mechanism/hadamard-response.ts';

/** E z² = constant + slope·F for one report's unbiased estimate z of a share F. */
export interface SecondMoment {
  readonly constant: number;
  readonly slope: number;
}

/** The second moments for every category alone. */
export function affineMoments(mechanism: FrequencyMechanism, tally: FrequencyTally): readonly SecondMoment[] {
  const { categories } = mechanism;
  if (mechanism.name !== 'Hadamard response') {
    return new Array<SecondMoment>(categories).fill(subsetMoment(mechanism, 1));
  }
  const { scale, blockSize } = mechanism;
  const shares = blockShares(mechanism, tally);
  return Array.from({ length: categories }, (_, c) => ({
    constant: scale * scale * shares[Math.floor(c / (blockSize - 1))],
    slope: 0,
  }));
}

/** The second moments for the first 1, 2, …, k − 1 categories together. */
export function prefixMoments(
  mechanism: FrequencyMechanism,
  tally: FrequencyTally,
  unbiased: Float64Array,
): readonly SecondMoment[] {
  if (mechanism.name === 'Hadamard response') return hadamardPrefixes(mechanism, tally, unbiased);
  return Array.from({ length: mechanism.categories - 1 }, (_, i) => subsetMoment(mechanism, i + 1));
}

/**
 * For s categories together, T of which are in the report: z = (T − sq)/(p − q). Two categories are both in the report
 * with probability p(m − 1)/(k − 1) where one of them is the true one, and (p(m − 2) + (1 − p)m)(m − 1)/((k − 1)(k − 2))
 * otherwise. Randomized response is the case m = 1.
 */
function subsetMoment(mechanism: Exclude<FrequencyMechanism, HadamardResponse>, count: number): SecondMoment {
  const { categories: k, hit, stray, gap } = mechanism;
  const m = mechanism.name === 'subset selection' ? mechanism.subset : 1;
  const withTrue = (hit * (m - 1)) / (k - 1);
  const others = k === 2 ? 0 : ((hit * (m - 2) + (1 - hit) * m) * (m - 1)) / ((k - 1) * (k - 2));
  const centre = count * stray;
  // E T² − 2·centre·E T + centre², with E T = centre + (p − q)F.
  const constant = centre + count * (count - 1) * others - centre * centre;
  const slope = gap + 2 * (count - 1) * (withTrue - others) - 2 * centre * gap;
  return { constant: constant / (gap * gap), slope: slope / (gap * gap) };
}

/** The share of the reports in each block. */
function blockShares({ blocks, blockSize }: HadamardResponse, { counts, reports }: FrequencyTally): Float64Array {
  const shares = new Float64Array(blocks);
  for (let y = 0; y < counts.length; y++) shares[Math.floor(y / blockSize)] += counts[y] / reports;
  return shares;
}

/**
 * z is scale·Σ of the signs of the rows in the report's block. The product of the signs of two rows r, r′ is the sign of
 * row r ⊕ r′, whose mean is the frequency of that row's category over the scale; in different blocks it is 0.
 */
function hadamardPrefixes(
  mechanism: HadamardResponse,
  tally: FrequencyTally,
  unbiased: Float64Array,
): readonly SecondMoment[] {
  const { categories, blockSize, scale } = mechanism;
  const shares = blockShares(mechanism, tally);
  const found: SecondMoment[] = [];
  let constant = 0;
  for (let c = 0; c < categories - 1; c++) {
    const block = Math.floor(c / (blockSize - 1));
    const first = block * (blockSize - 1);
    constant += scale * scale * shares[block];
    for (let before = first; before < c; before++) {
      const both = first + ((c - first + 1) ^ (before - first + 1)) - 1;
      if (both < categories) constant += 2 * scale * unbiased[both];
    }
    found.push({ constant, slope: 0 });
  }
  return found;
}
