import { checkInteger, checkWord, RefusedKind, RefusedValue } from '../../src/check/refusal.ts';
import type { PlainRequest } from '../../src/core/contract.ts';
import { type CategoryRequest, randomizedResponse, subsetSelection } from '../../src/mechanism/categories.ts';
import { bestFrequencyMechanism, type FrequencyMechanism, hadamardResponse } from '../../src/mechanism/frequency.ts';

const MECHANISMS = { randomizedResponse, hadamardResponse, subsetSelection };

/** Names of the variants; which of them is the best depends on k and ε. */
export const VARIANTS: readonly string[] = Object.keys(MECHANISMS);

/** Most categories, so that no server makes a device work for long: a report has at most 32,768 numbers. */
const MOST_CATEGORIES = 2 ** 16;

/** Most bins of a number: the covariances of all pairs of them are looked at. */
const MOST_BINS = 4096;

/** What everybody knows before a collection. Plain data. */
export interface FrequencySetting {
  /** The randomizer of a category, with k, ε and its probabilities. */
  readonly mechanism: FrequencyMechanism;
  /** e₀ < … < e_k where the categories are bins of a number: bin c is [e_c, e_{c+1}), the last one with its end. */
  readonly edges?: readonly number[];
}

/**
 * The setting of a request: `epsilon`, and `categories` (a number k, the data are 0 … k − 1) or `edges` (the bins of a
 * number, which is clipped to them); `variant` names a mechanism. Default: the one of least squared error for this k
 * and ε, which is known before anybody is asked.
 */
export function frequencySetting({ epsilon, categories, edges, variant }: PlainRequest): FrequencySetting {
  if (edges !== undefined && categories !== undefined) {
    throw new RefusedValue('categories', 'none beside "edges", which give their number', categories);
  }
  const bins = edges === undefined ? undefined : checkEdges(edges);
  const count = bins === undefined ? checkInteger('categories', categories, 2, MOST_CATEGORIES) : bins.length - 1;
  const request = { epsilon, categories: count } as CategoryRequest;
  const maker: (request: CategoryRequest) => FrequencyMechanism =
    variant === undefined
      ? bestFrequencyMechanism
      : MECHANISMS[checkWord('variant', variant as string, VARIANTS) as keyof typeof MECHANISMS];
  const mechanism = maker(request);
  return bins === undefined ? { mechanism } : { mechanism, edges: bins };
}

/** The variant of a setting. */
export function variantOf({ mechanism }: FrequencySetting): string {
  return VARIANTS.find((name) => name.toLowerCase() === mechanism.name.replace(' ', '').toLowerCase())!;
}

/** How many numbers a report has. */
export function reportLength({ mechanism }: FrequencySetting): number {
  return mechanism.name === 'subset selection' ? mechanism.subset : 1;
}

function checkEdges(edges: unknown): readonly number[] {
  const expected = `a list of 3 to ${MOST_BINS + 1} rising numbers`;
  if (!Array.isArray(edges)) throw new RefusedKind('edges', expected, edges);
  if (edges.length < 3 || edges.length > MOST_BINS + 1) throw new RefusedValue('edges', expected, edges.length);
  edges.forEach((edge, i) => {
    const rises = typeof edge === 'number' && Number.isFinite(edge) && (i === 0 || edge > edges[i - 1]);
    if (!rises) throw new RefusedValue(`edges[${i}]`, 'a finite number above the one before', edge);
    // A quantile lies a part of a bin above its lower edge.
    if (edge - edges[i - 1] === Infinity) {
      throw new RefusedValue(`edges[${i}]`, 'a number at a finite distance from the one before', edge);
    }
  });
  return Array.from(edges, (edge) => edge + 0);
}
