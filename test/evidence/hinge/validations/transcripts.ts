import { seededRandom } from 'ldpkit';
import type { CopiesParameters } from 'ldpkit/protocols/generalized-linear';
import { player, printed } from 'ldpkit/protocols/hinge';

const { exp, max } = Math;

/** Transcripts under the noise printed for a budget. */
export type TranscriptSetting = {
  /** What was asked of the printed noise. */
  readonly epsilon: number;
  readonly delta: number;
  readonly degree: number;
  /** ε′ at which δ is measured. */
  readonly at: readonly number[];
  /** Transcripts of a part. */
  readonly reports: number;
};

/** Sums over transcripts of (1 − exp(ε′ − loss))₊ and of its square, by ε′. */
export type TranscriptPart = { readonly sums: readonly number[]; readonly squares: readonly number[] };

/**
 * Transcripts of the record (1, 1), whose privacy loss against (−1, −1), the furthest there is, is read off their numbers: each
 * number z with noise σ about ±1 adds 2z/σ².
 */
export function transcriptPart(
  { epsilon, delta, degree, at, reports }: TranscriptSetting,
  index: number,
  seed: string,
): TranscriptPart {
  const parameters: CopiesParameters = printed({ epsilon, delta, degree, dimension: 1 });
  const { firstNoise, furtherNoise } = parameters.copies;
  const random = seededRandom(`${seed}/transcripts/${degree}/${epsilon}/${index}`);
  const record = { features: [1], label: 1 };
  const report = player.randomize(parameters, record, random);
  const sums = at.map(() => 0);
  const squares = at.map(() => 0);
  for (let i = 0; i < reports; i++) {
    player.randomizeInto(parameters, record, random, report);
    const { values } = report;
    let loss = 0;
    for (let k = 0; k < values.length; k++) {
      const noise = k < 2 ? firstNoise : furtherNoise;
      const sigma = k % 2 === 0 ? noise.features : noise.label;
      loss += (2 * values[k]) / (sigma * sigma);
    }
    for (let j = 0; j < at.length; j++) {
      const value = max(0, 1 - exp(at[j] - loss));
      sums[j] += value;
      squares[j] += value * value;
    }
  }
  return { sums, squares };
}
