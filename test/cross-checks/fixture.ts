import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Figures that others computed: `fixtures/<name>.json`, made by `make/<name>.py`, with the versions it used. */
export function fixture<Figures>(name: string): Figures {
  return JSON.parse(readFileSync(join(__dirname, 'fixtures', `${name}.json`), 'utf8'));
}

/** The generator of `make/fixture.py`, draw by draw: nothing is rounded on either side. */
export interface Uniforms {
  next(): number;
  between(bound: number): number;
  bell(): number;
}

/** s = 1664525·s + 1013904223 mod 2³², of which 16 bits are used. */
export function uniforms(seed: number): Uniforms {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(1664525, state) + 1013904223) >>> 0;
    return ((state >>> 16) + 0.5) / 65536;
  };
  return {
    next,
    between: (bound) => bound * (2 * next() - 1),
    bell: () => {
      let sum = 0;
      for (let i = 0; i < 12; i++) sum += next();
      return sum - 6;
    },
  };
}

/** The records that models are fitted to. */
export interface Records {
  readonly features: readonly Float64Array[];
  readonly responses: readonly number[];
}

const TRUTH = [1, -0.75, 0.25];

/** 300 records of three features and a response: ½ + x₁ − ¾x₂ + ¼x₃ and an error of deviation nearly 1. */
export function records(seed: number, bound: number): Records {
  const source = uniforms(seed);
  const features: Float64Array[] = [];
  const responses: number[] = [];
  for (let i = 0; i < 300; i++) {
    const x = Float64Array.from(TRUTH, () => source.between(bound));
    features.push(x);
    responses.push(0.5 + x.reduce((sum, entry, j) => sum + TRUTH[j] * entry, 0) + source.bell());
  }
  return { features, responses };
}

/** max |aᵢ − bᵢ|; NaN for arrays of different lengths, so that no comparison holds. */
export function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Number.NaN;
  let largest = 0;
  for (let i = 0; i < a.length; i++) largest = Math.max(largest, Math.abs(a[i] - b[i]));
  return largest;
}
