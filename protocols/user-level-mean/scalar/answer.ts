import type { Values } from '../../../src/core/frame.ts';
import { randomizeDiscreteGaussian } from '../../../src/mechanism/discrete-gaussian.ts';
import { randomizeHadamard } from '../../../src/mechanism/hadamard-response.ts';
import { randomizeResponse } from '../../../src/mechanism/randomized-response.ts';
import { randomizeSubset } from '../../../src/mechanism/subset-selection.ts';
import { createScratch } from '../../../src/numeric/scratch.ts';
import { normal } from '../../../src/random/normal.ts';
import type { Random } from '../../../src/random/random.ts';
import type { Question } from './question.ts';
import { randomizeSign } from './sign.ts';

const { floor, max, min } = Math;

// Scratch of one report, overwritten by each.
const scratch = /* @__PURE__ */ createScratch(1);

/** The answer of a player whose local mean is y, written over `values`. Allocates nothing. */
export function randomizeAnswer(question: Question, y: number, values: Values, random: Random): void {
  if (question.kind === 'sign') {
    values[0] = randomizeSign(question, y, random);
    return;
  }
  const { lower, upper } = question;
  if (question.kind === 'noisy') {
    const unit = scratch.values;
    // Projected again after the division: the sensitivity holds for the double that is randomized.
    unit[0] = min(1, max(-1, (2 * y - lower - upper) / (upper - lower)));
    if (question.noise === undefined) values[0] = unit[0] + question.sigma * normal(random);
    else randomizeDiscreteGaussian(question.noise, unit, values as Int32Array, random);
    return;
  }
  const { mechanism } = question;
  const { categories } = mechanism;
  const bin = min(categories - 1, max(0, floor(((y - lower) / (upper - lower)) * categories)));
  if (mechanism.name === 'randomized response') values[0] = randomizeResponse(mechanism, bin, random);
  else if (mechanism.name === 'Hadamard response') values[0] = randomizeHadamard(mechanism, bin, random);
  else randomizeSubset(mechanism, bin, values as Uint32Array, random);
}
